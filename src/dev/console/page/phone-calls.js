import { chip, el, emptyState, show } from './elements.js';
import { toSegments } from './rows.js';
import { placeOf } from './places.js';
import { get, listenToEvents } from './server.js';
import { drawSegment } from './timeline.js';
import { ago, counted, duration, shortId, timeOfDay } from './words.js';

/**
 * @typedef {import('../records.ts').PhoneCallSummary} PhoneCallSummary
 * @typedef {import('../records.ts').Recorded} Recorded
 */

/**
 * The list of phone calls, and the timeline of one of them, which grows while it happens.
 * @param {HTMLElement} view
 * @param {(isConnected: boolean) => void} onConnection
 */
export const startPhoneCalls = async (view, onConnection) => {
  /** @type {Map<number, PhoneCallSummary>} the last active first when it is drawn */
  const calls = new Map();
  /** @type {{ id: number, events: Recorded[] } | undefined} */
  let selected;
  let follows = true;
  let upToDeadline = false;
  let isDrawing = false;
  /** @type {string | undefined} the key of the row that an address names, until it's there */
  let sought;

  const list = el('nav', { class: 'list', attributes: { 'aria-label': 'Phone calls' } });
  const timeline = el('div', { class: 'timeline' });
  view.append(el('div', { class: 'split' }, list, timeline));

  /** @param {number} id */
  const select = async (id) => {
    selected = { id, events: [] };
    draw();
    const { events } = await get(`phone-calls/${id}`);
    // What came while it was read is there twice.
    const known = new Map([...events, ...selected.events].map((/** @type {Recorded} */ one) => [one.seq, one]));
    if (selected.id === id) selected = { id, events: [...known.values()].toSorted((a, b) => a.seq - b.seq) };
    draw();
  };

  const draw = () => {
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      drawList();
      drawTimeline();
    });
  };

  const drawList = () => {
    const now = Date.now();
    const sorted = [...calls.values()].toSorted((a, b) => b.lastAt - a.lastAt);
    show(
      list,
      el(
        'label',
        { class: 'switch' },
        checkbox(follows, 'follow', (checked) => {
          follows = checked;
          followNewest();
        }),
        'Follow the newest',
      ),
      ...sorted.map((call) => drawEntry(call, { isSelected: selected?.id === call.id, now, onSelect: choose })),
      el(
        'button',
        {
          class: 'entry',
          attributes: { type: 'button', 'data-key': 'call-0', 'aria-current': selected?.id === 0 && 'true' },
          on: { click: () => choose(0) },
        },
        el('span', { class: 'name' }, 'Without a phone call'),
        el('span', { class: 'quiet' }, 'webhooks, deliveries, warnings'),
      ),
    );
  };

  /** @param {number} id */
  const choose = (id) => {
    follows = false;
    void select(id);
  };

  const drawTimeline = () => {
    if (!selected) {
      const hint = 'Whatever this process does for a phone call appears here while it happens.';
      return show(timeline, emptyState('No phone call yet', hint));
    }
    const { id, events } = selected;
    const call = calls.get(id);
    const segments = toSegments(events);
    const failed = segments.flatMap(({ rows }) => rows).filter((row) => row.failed);
    show(
      timeline,
      el(
        'header',
        { class: 'heading' },
        el('h2', {}, call ? call.callId : 'Without a phone call'),
        call && el('p', { class: 'quiet' }, describe(call)),
        failed.length > 0 && drawFailures(id, failed),
        el(
          'label',
          { class: 'switch' },
          checkbox(upToDeadline, 'up-to-deadline', (checked) => {
            upToDeadline = checked;
            draw();
          }),
          'Scale to the deadline',
        ),
      ),
      drawLegend(),
      ...segments.map((segment) => drawSegment(segment, { upToDeadline })),
      segments.length === 0 && emptyState('Nothing to draw', 'The events of this phone call will appear here.'),
    );
    reveal();
  };

  /** Opens the row that is sought, and goes there. */
  const reveal = () => {
    const row = sought && timeline.querySelector(`details[data-key="${CSS.escape(sought)}"]`);
    if (!(row instanceof HTMLDetailsElement)) return;
    sought = undefined;
    row.open = true;
    row.querySelector('summary')?.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'center' });
  };

  const followNewest = () => {
    const [newest] = [...calls.values()].toSorted((a, b) => b.lastAt - a.lastAt);
    if (follows && newest && newest.id !== selected?.id) void select(newest.id);
    else draw();
  };

  const readAll = async () => {
    const { position, phoneCalls } = await get('phone-calls');
    calls.clear();
    for (const call of phoneCalls) calls.set(call.id, call);
    if (selected) await select(selected.id).catch(() => (selected = undefined));
    followNewest();
    return position;
  };

  listenToEvents(await readAll(), {
    onConnection,
    onReset: () => void readAll(),
    onEvent: (recorded) => {
      const { phoneCall } = recorded;
      if (phoneCall) calls.set(phoneCall.id, phoneCall);
      if (selected?.id === (phoneCall?.id ?? 0)) selected.events.push(recorded);
      followNewest();
    },
  });

  return {
    /** Shows a phone call, and one of its rows. @param {number} id @param {string | undefined} row */
    showPlace: (id, row) => {
      sought = row;
      if (selected?.id === id) draw();
      else choose(id);
      follows = false;
    },
  };
};

/** @param {boolean} checked @param {string} key @param {(checked: boolean) => void} onChange */
const checkbox = (checked, key, onChange) =>
  el('input', {
    attributes: { type: 'checkbox', checked, 'data-key': key },
    on: { change: ({ target }) => target instanceof HTMLInputElement && onChange(target.checked) },
  });

/**
 * @param {PhoneCallSummary} call
 * @param {{ isSelected: boolean, now: number, onSelect: (id: number) => void }} options
 */
const drawEntry = (call, { isSelected, now, onSelect }) =>
  el(
    'button',
    {
      class: 'entry',
      attributes: { type: 'button', 'data-key': `call-${call.id}`, 'aria-current': isSelected && 'true' },
      on: { click: () => onSelect(call.id) },
    },
    el('span', { class: 'name', attributes: { title: call.callId } }, shortId(call.callId)),
    call.failures > 0 ? chip(counted(call.failures, 'failure'), 'bad') : chip('ok', 'ok'),
    el('span', { class: 'quiet' }, `${timeOfDay(call.firstAt)} · ${requestsOf(call)} · ${ago(call.lastAt, now)}`),
  );

/** @param {PhoneCallSummary} call */
const describe = (call) =>
  [
    call.tenant && `tenant ${call.tenant}`,
    `${duration(call.lastAt - call.firstAt)} from the first to the last`,
    counted(call.tools, 'tool call'),
    requestsOf(call),
  ]
    .filter(Boolean)
    .join(' · ');

/** Counts the requests, and apart from them the retries. @param {PhoneCallSummary} call */
const requestsOf = ({ requests, retries }) =>
  counted(requests - retries, 'request') + (retries > 0 ? ` + ${counted(retries, 'retry', 'retries')}` : '');

/** Links to the rows of what failed. @param {number} id @param {readonly import('./rows.js').Row[]} rows */
const drawFailures = (id, rows) =>
  el(
    'p',
    { class: 'failures' },
    `${counted(rows.length, 'failure')}: `,
    ...rows.map(({ key, title, result }) =>
      el('a', { attributes: { href: `#${placeOf(id, key)}`, 'data-key': `failure-${key}` } }, `${title} (${result})`),
    ),
  );

const drawLegend = () =>
  el(
    'p',
    { class: 'legend', attributes: { 'aria-hidden': 'true' } },
    ...[
      ['bar ok', 'answered'],
      ['bar bad', 'failed'],
      ['wait', 'waited'],
      ['limit', 'deadline'],
    ].map(([name = '', words = '']) => el('span', {}, el('i', { class: name }), words)),
  );
