import { chip, el } from './elements.js';
import { describeWait } from './rows.js';
import { duration, exactTime, timeOfDay } from './words.js';

/**
 * @typedef {import('./rows.js').Row} Row
 * @typedef {import('./rows.js').Segment} Segment
 * @typedef {import('./rows.js').Deadline} Deadline
 */

/**
 * Draws one segment: its deadline as a bar, and each row on one axis of time.
 * @param {Segment} segment
 * @param {object} options
 * @param {boolean} options.upToDeadline the axis ends with the deadline, instead of with what happened
 */
export const drawSegment = ({ startAt, endAt, deadline, rows }, { upToDeadline }) => {
  const lastAt = upToDeadline && deadline ? Math.max(endAt, deadline.at) : endAt;
  const lengthMs = Math.max(1, lastAt - startAt);
  /** @param {number} at */
  const place = (at) => Math.min(100, Math.max(0, ((at - startAt) / lengthMs) * 100));

  return el(
    'section',
    { class: 'segment' },
    el(
      'header',
      {},
      el('h3', {}, timeOfDay(startAt), el('span', { class: 'quiet' }, ` took ${duration(endAt - startAt)}`)),
      deadline && drawDeadline(deadline),
    ),
    drawAxis(lengthMs),
    ...rows.map((row) => drawRow(row, { place, deadline })),
  );
};

/** Shows how much of a deadline is used up. @param {Deadline} deadline */
const drawDeadline = ({ budgetMs, usedMs }) => {
  const share = Math.min(1, usedMs / budgetMs);
  const label = `${duration(usedMs)} of ${duration(budgetMs)} used`;
  return el(
    'div',
    { class: 'deadline' },
    el(
      'div',
      {
        class: `meter ${share > 0.9 ? 'bad' : share > 0.6 ? 'warn' : 'ok'}`,
        attributes: {
          role: 'meter',
          'aria-label': 'Deadline',
          'aria-valuemin': 0,
          'aria-valuemax': budgetMs,
          'aria-valuenow': Math.round(usedMs),
          'aria-valuetext': label,
        },
      },
      el('span', { style: { width: `${share * 100}%` } }),
    ),
    el('span', { class: 'quiet' }, label),
  );
};

/** @param {number} lengthMs */
const drawAxis = (lengthMs) => {
  const stepMs = niceStep(lengthMs / 4);
  const ticks = Array.from({ length: Math.floor(lengthMs / stepMs) + 1 }, (_, index) => index * stepMs);
  return el(
    'div',
    { class: 'axis', attributes: { 'aria-hidden': 'true' } },
    el(
      'div',
      { class: 'track' },
      ...ticks.map((ms) =>
        el('span', { class: 'tick', style: { left: `${(ms / lengthMs) * 100}%` } }, ms === 0 ? '0' : axisLabel(ms)),
      ),
    ),
  );
};

/** @param {number} ms */
const axisLabel = (ms) => (ms >= 1_000 ? `${ms / 1_000} s` : `${ms} ms`);

/** 1, 2 or 5 of a power of ten. @param {number} ms */
const niceStep = (ms) => {
  const power = 10 ** Math.floor(Math.log10(ms));
  const factor = [1, 2, 5, 10].find((one) => one * power >= ms) ?? 10;
  return factor * power;
};

/**
 * @param {Row} row
 * @param {object} axis
 * @param {(at: number) => number} axis.place
 * @param {Deadline | undefined} axis.deadline
 */
const drawRow = (row, { place, deadline }) => {
  const { key, kind, depth, title, result, state, startAt, endAt, waits } = row;
  const took = kind === 'note' ? '' : duration(endAt - startAt);
  const words = waits.map(describeWait).join(', ');
  return el(
    'details',
    { class: `row ${kind}`, attributes: { 'data-key': key, 'data-state': state }, style: { '--depth': String(depth) } },
    el(
      'summary',
      { attributes: { 'data-key': `${key}-summary`, title: words || title } },
      el(
        'span',
        { class: 'label' },
        el('span', { class: 'kind' }, kindMark[kind]),
        el('span', { class: 'title' }, title),
      ),
      el(
        'span',
        { class: 'track' },
        deadline &&
          place(deadline.at) < 100 &&
          el('span', { class: 'limit', style: { left: `${place(deadline.at)}%` } }),
        ...waits.map((wait) => drawBar('wait', place(wait.startAt), place(wait.endAt))),
        kind === 'note'
          ? el('span', { class: `mark ${state}`, style: { left: `${place(endAt)}%` } })
          : drawBar(`bar ${state}`, place(startAt), place(endAt)),
      ),
      el('span', { class: 'result' }, chip(result, state), el('span', { class: 'took' }, took)),
      words && el('span', { class: 'waited' }, words),
    ),
    row.event && drawFields(row.event),
  );
};

/** @type {Readonly<Record<Row['kind'], string>>} */
const kindMark = { tool: 'tool', call: 'call', attempt: '↳', delivery: 'out', webhook: 'in', note: 'note' };

/** @param {string} name @param {number} from @param {number} to */
const drawBar = (name, from, to) => el('span', { class: name, style: { left: `${from}%`, width: `${to - from}%` } });

/** Lists the fields of an event. @param {object} event */
const drawFields = (event) =>
  el(
    'dl',
    { class: 'fields' },
    ...Object.entries(event).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, shown(name, value))]),
  );

/** @param {string} name @param {unknown} value */
const shown = (name, value) => {
  if (name === 'at' && typeof value === 'number') return exactTime(value);
  if (typeof value === 'number' && name.endsWith('Ms')) return duration(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
};
