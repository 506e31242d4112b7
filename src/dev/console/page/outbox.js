import { chip, el, emptyState, show, watchChanges } from './elements.js';
import { get, post, Refused } from './server.js';
import { ago, count, counted, duration, inWords } from './words.js';

/**
 * @typedef {import('./server.js').Session} Session
 * @typedef {import('../../../outbox/index.ts').UndeliveredMessage & { handle: string }} UndeliveredMessage
 * @typedef {import('../../../outbox/outbox.ts').DestinationStatus} DestinationStatus
 */

/**
 * Shows the waiting and the dead messages, and the actions on them.
 * @param {HTMLElement} view
 * @param {Session} session
 */
export const startOutbox = (view, session) => {
  const destinations = el('div', { class: 'cards' });
  const letters = el('div', {});
  const said = el('p', { class: 'said', attributes: { role: 'status' } });
  const page = el('div', { class: 'page' }, destinations, said, letters);
  view.append(page);
  /** @type {Set<string>} */
  const chosen = new Set();
  const { allowActions } = session;
  const isOther = watchChanges();

  const draw = async () => {
    if (!session.shows.outbox)
      return show(page, emptyState('No outbox was given', 'Give createConsole an outbox to see its messages.'));
    const answers = await Promise.all([get('outbox'), get('dead-letters')]).catch((error) => {
      if (error instanceof Refused && error.message === 'queue_without_admin') return undefined;
      throw error;
    });
    if (!answers)
      return show(page, emptyState('The queue has no admin', 'Look at its messages with the tools of its engine.'));
    const [status, { messages, isLast }] = answers;
    if (!isOther([status, messages, [...chosen]])) return;
    for (const handle of chosen)
      if (!messages.some((/** @type {UndeliveredMessage} */ one) => one.handle === handle)) chosen.delete(handle);
    show(destinations, ...Object.entries(status.destinations).map(([name, counts]) => drawDestination(name, counts)));
    show(
      letters,
      el(
        'section',
        { class: 'card' },
        el(
          'h2',
          {},
          'Dead letters',
          chip(`${count(messages.length)}${isLast ? '' : '+'}`, messages.length > 0 ? 'bad' : 'ok'),
        ),
        messages.length === 0
          ? el('p', { class: 'quiet' }, 'Everything was delivered, or still has attempts before it.')
          : drawActions(messages),
        ...messages.map(drawLetter),
      ),
    );
  };

  /** @param {readonly UndeliveredMessage[]} messages */
  const drawActions = (messages) =>
    el(
      'div',
      { class: 'actions' },
      action('Redrive', 'redrive-chosen', () => void change('redrive', { handles: [...chosen] }), chosen.size === 0),
      action('Discard…', 'discard-chosen', () => confirm([...chosen]), chosen.size === 0),
      action('Redrive all', 'redrive-all', () => void change('redrive', { since: 0 }), false),
      el(
        'span',
        { class: 'quiet' },
        allowActions ? `${chosen.size} of ${messages.length} chosen` : 'Actions are off: allowActions turns them on.',
      ),
    );

  /** @param {string} name @param {string} key @param {() => void} act @param {boolean} isIdle */
  const action = (name, key, act, isIdle) =>
    el(
      'button',
      {
        class: 'button',
        attributes: { type: 'button', 'data-key': key, disabled: !allowActions || isIdle },
        on: { click: act },
      },
      name,
    );

  /** @param {UndeliveredMessage} message */
  const drawLetter = ({
    handle,
    id,
    event,
    destination,
    reason,
    attempts,
    diedAt,
    publishedAt,
    lastFailure,
    idempotencyKey,
    body,
  }) =>
    el(
      'div',
      { class: 'letter' },
      el('input', {
        attributes: {
          type: 'checkbox',
          'data-key': `choose-${handle}`,
          'aria-label': `Choose ${event} for ${destination}`,
          checked: chosen.has(handle),
          disabled: !allowActions,
        },
        on: {
          change: ({ target }) => {
            if (target instanceof HTMLInputElement && target.checked) chosen.add(handle);
            else chosen.delete(handle);
            void draw();
          },
        },
      }),
      el(
        'details',
        { attributes: { 'data-key': `letter-${handle}` } },
        el(
          'summary',
          { attributes: { 'data-key': `letter-${handle}-summary` } },
          el('strong', {}, `${event} → ${destination}`),
          chip(inWords(reason), 'bad'),
          el('span', { class: 'quiet' }, `${counted(attempts, 'attempt')} · given up ${ago(diedAt, Date.now())}`),
        ),
        el(
          'dl',
          { class: 'fields' },
          ...Object.entries({
            id,
            idempotencyKey,
            published: ago(publishedAt, Date.now()),
            lastFailure: JSON.stringify(lastFailure) ?? '–',
          }).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
        ),
        el('pre', {}, JSON.stringify(body, null, 2)),
      ),
    );

  /** @param {'redrive' | 'discard'} name @param {object} which */
  const change = async (name, which) => {
    try {
      const { count: changed } = await post(session, `dead-letters/${name}`, which);
      chosen.clear();
      said.textContent = `${counted(changed, 'message')} ${name === 'redrive' ? 'will be delivered again' : 'discarded'}.`;
    } catch (error) {
      said.textContent = `Not done: ${error instanceof Refused ? inWords(error.message) : 'the console does not answer'}.`;
    }
    await draw();
  };

  /** @param {readonly string[]} handles */
  const confirm = (handles) => {
    const dialog = el(
      'dialog',
      { attributes: { 'aria-labelledby': 'discard-title' } },
      el('h2', { attributes: { id: 'discard-title' } }, `Discard ${counted(handles.length, 'message')}?`),
      el('p', {}, 'What is discarded is never delivered.'),
      el(
        'div',
        { class: 'actions' },
        el(
          'button',
          {
            class: 'button bad',
            attributes: { type: 'button' },
            on: {
              click: () => {
                dialog.close();
                void change('discard', { handles });
              },
            },
          },
          'Discard',
        ),
        el('button', { class: 'button', attributes: { type: 'button' }, on: { click: () => dialog.close() } }, 'Keep'),
      ),
    );
    dialog.addEventListener('close', () => dialog.remove());
    page.append(dialog);
    dialog.showModal();
  };

  return draw;
};

/** @param {string} name @param {DestinationStatus} status */
const drawDestination = (name, { ready, delayed, leased, dead, oldestAgeMs, isDisabled }) =>
  el(
    'section',
    { class: `card api ${isDisabled ? 'bad' : dead > 0 ? 'warn' : 'ok'}` },
    el('h2', {}, name, isDisabled && chip('disabled', 'bad')),
    el(
      'dl',
      { class: 'figures' },
      ...Object.entries({
        'to be sent': count(ready),
        'to be tried again': count(delayed),
        'under way': count(leased),
        'dead letters': count(dead),
        'oldest waits': ready + delayed + leased > 0 ? `for ${duration(oldestAgeMs)}` : '–',
      }).flatMap(([term, value]) => [el('dt', {}, term), el('dd', {}, value)]),
    ),
  );
