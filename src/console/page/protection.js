import { chip, el, emptyState, show } from './elements.js';
import { get } from './server.js';
import { count, counted, duration } from './words.js';

/**
 * @typedef {import('../../http/operation.ts').HttpClientStatus} HttpClientStatus
 * @typedef {import('../../observability/metrics/snapshot.ts').CircuitMetrics} CircuitMetrics
 */

/** @type {Readonly<Record<string, 'ok' | 'bad' | 'warn' | 'neutral'>>} */
const circuitStates = { closed: 'ok', open: 'bad', 'half-open': 'warn', off: 'neutral' };

/** @type {Readonly<Record<string, string>>} */
const circuitWords = {
  closed: 'Requests pass.',
  open: 'Nothing is sent, so that callers hear at once.',
  'half-open': 'One request finds out whether the API is back.',
  off: 'No breaker stands before this API.',
};

/**
 * What stands between the application and each API right now.
 * @param {HTMLElement} view
 */
export const startProtection = (view) => {
  const content = el('div', { class: 'page' });
  view.append(content);
  return async () => {
    const { apis, circuits, credentials } = await get('protection');
    const cards = Object.entries(apis ?? {}).map(([name, status]) => drawApi(name, status));
    show(
      content,
      cards.length > 0 ? el('div', { class: 'cards' }, ...cards) : noApis(apis),
      circuits.length > 0 &&
        el('section', { class: 'card' }, el('h2', {}, 'Circuits that have changed'), ...circuits.map(drawCircuit)),
      credentials.length > 0 &&
        el(
          'section',
          { class: 'card' },
          el('h2', {}, 'Credentials'),
          ...credentials.map(
            (/** @type {{ api: string, credential: string, renewals: number, renewalFailures: number }} */ one) =>
              el(
                'p',
                { class: 'line' },
                el('strong', {}, `${one.api}: ${one.credential}`),
                chip(counted(one.renewals, 'renewal'), 'ok'),
                one.renewalFailures > 0 && chip(`${one.renewalFailures} failed`, 'bad'),
              ),
          ),
        ),
    );
  };
};

/** @param {unknown} apis */
const noApis = (apis) =>
  apis
    ? emptyState('No API is configured', 'The integration has no client.')
    : emptyState('No integration was given', 'Give createConsole an integration to see its breakers and limits.');

/** @param {string} name @param {HttpClientStatus} status */
const drawApi = (name, { circuit, circuitRetryAfterMs, rateLimit, quotaLeft, retriesLeft, usage }) =>
  el(
    'section',
    { class: `card api ${circuitStates[circuit] ?? 'neutral'}` },
    el('h2', {}, name, chip(circuit, circuitStates[circuit] ?? 'neutral')),
    el('p', { class: 'quiet' }, circuitWords[circuit] ?? ''),
    el(
      'dl',
      { class: 'figures' },
      ...figure('next probe', circuit === 'open' ? `in ${duration(circuitRetryAfterMs)}` : '–'),
      ...figure('waiting at the limit', count(rateLimit.waiting)),
      ...figure('next free place', rateLimit.nextFreeInMs > 0 ? `in ${duration(rateLimit.nextFreeInMs)}` : 'now'),
      ...figure('paused by a 429', rateLimit.pausedForMs > 0 ? `for ${duration(rateLimit.pausedForMs)}` : 'no'),
      ...figure('retries left', retriesLeft === undefined ? 'no budget' : count(Math.floor(retriesLeft))),
      ...(quotaLeft === undefined ? [] : figure('quota left', count(quotaLeft))),
      ...(usage ? figure('used of its budget', `${count(usage.used)} of ${count(usage.limit)}`) : []),
    ),
  );

/** @param {string} name @param {string} value */
const figure = (name, value) => [el('dt', {}, name), el('dd', {}, value)];

/** @param {CircuitMetrics} circuit */
const drawCircuit = ({ circuit, open, halfOpen, opened }) =>
  el(
    'p',
    { class: 'line' },
    el('strong', {}, circuit),
    open > 0 && chip(`${open} open`, 'bad'),
    halfOpen > 0 && chip(`${halfOpen} half-open`, 'warn'),
    open + halfOpen === 0 && chip('closed', 'ok'),
    el('span', { class: 'quiet' }, `opened ${counted(opened, 'time')}`),
  );
