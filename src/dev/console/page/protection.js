import { chip, el, emptyState, show, watchChanges } from './elements.js';
import { placeOf } from './places.js';
import { get } from './server.js';
import { circuitChange, count, counted, duration, exactTime, inWords } from './words.js';

/**
 * @typedef {import('../../../http/operation.ts').HttpClientStatus} HttpClientStatus
 * @typedef {import('../../../observability/metrics/create-metrics.ts').MetricsSnapshot['metrics']} Metrics
 */

/** @type {Readonly<Record<string, 'ok' | 'bad' | 'warn' | 'neutral'>>} */
const circuitStates = { closed: 'ok', open: 'bad', 'half-open': 'warn', off: 'neutral' };

/** @type {Readonly<Record<string, string>>} */
const circuitWords = {
  closed: 'Requests pass.',
  open: 'The API keeps failing. Requests are refused at once, so that callers needn’t wait.',
  'half-open': 'One request finds out whether the API works again.',
  off: 'This API has no circuit breaker.',
};

/**
 * Shows the breakers and limits between the application and each API.
 * @param {HTMLElement} view
 */
export const startProtection = (view) => {
  const content = el('div', { class: 'page' });
  view.append(content);
  const isOther = watchChanges();
  return async () => {
    const state = await get('protection');
    if (!isOther(state)) return;
    const { apis, metrics, changes } = state;
    const circuits = samplesOf(metrics, 'circuit_opened_total');
    const credentials = samplesOf(metrics, 'credential_renewals_total');
    const cards = Object.entries(apis ?? {}).map(([name, status]) => drawApi(name, status));
    show(
      content,
      cards.length > 0 ? el('div', { class: 'cards' }, ...cards) : noApis(apis),
      circuits.length > 0 &&
        el(
          'section',
          { class: 'card' },
          el('h2', {}, 'Circuit breakers that have opened'),
          ...circuits.map((sample) => drawCircuit(sample, metrics)),
        ),
      el(
        'section',
        { class: 'card' },
        el('h2', {}, 'What changed'),
        changes.length === 0 &&
          el('p', { class: 'quiet' }, 'No circuit breaker opened, and no API asked all calls to wait.'),
        ...changes.map(drawChange),
      ),
      credentials.length > 0 &&
        el(
          'section',
          { class: 'card' },
          el('h2', {}, 'Credentials'),
          ...credentials.map((sample) => drawCredential(sample, metrics)),
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
    // Closed is as it should be; a word for it would read like an alarm.
    el('h2', {}, name, isTripped(circuit) && chip(`circuit ${circuit}`, circuitStates[circuit] ?? 'neutral')),
    el('p', { class: 'quiet' }, circuitWords[circuit] ?? ''),
    el(
      'dl',
      { class: 'figures' },
      ...(circuit === 'open'
        ? figure('next try', circuitRetryAfterMs > 0 ? `in ${duration(circuitRetryAfterMs)}` : 'at the next request')
        : []),
      ...figure('requests waiting', count(rateLimit.waiting)),
      ...figure('next request may go', rateLimit.nextFreeInMs > 0 ? `in ${duration(rateLimit.nextFreeInMs)}` : 'now'),
      ...figure('paused by the API', rateLimit.pausedForMs > 0 ? `for ${duration(rateLimit.pausedForMs)}` : 'no'),
      ...figure('retries left', retriesLeft === undefined ? 'no budget' : count(Math.floor(retriesLeft))),
      ...(quotaLeft === undefined ? [] : figure('left of the quota', count(quotaLeft))),
      ...(usage ? figure('used of its budget', `${count(usage.used)} of ${count(usage.limit)}`) : []),
    ),
  );

/** @param {string} circuit */
const isTripped = (circuit) => circuit === 'open' || circuit === 'half-open';

/** @param {string} name @param {string} value */
const figure = (name, value) => [el('dt', {}, name), el('dd', {}, value)];

/** @param {import('../records.ts').Recorded} recorded */
const drawChange = ({ seq, event, phoneCall }) => {
  const [name, word, state] = changeOf(event);
  return el(
    'p',
    { class: 'line' },
    el('span', { class: 'quiet' }, exactTime(event.at)),
    el('strong', {}, name),
    chip(word, state),
    event.tenant && el('span', { class: 'quiet' }, `tenant ${event.tenant}`),
    phoneCall &&
      el('a', { attributes: { href: `#${placeOf(phoneCall.id, `event-${seq}`)}` } }, `during ${phoneCall.callId}`),
  );
};

/**
 * @param {import('../../../observability/events.ts').IntegrationEvent} event
 * @returns {readonly [string, string, 'ok' | 'bad' | 'warn' | 'neutral']}
 */
const changeOf = (event) => {
  switch (event.type) {
    case 'circuit':
      return [`circuit breaker of ${event.operation}`, circuitChange(event), event.to === 'open' ? 'bad' : 'neutral'];
    case 'rate-limit':
      return [`rate limit of ${event.api}`, `paused for ${duration(event.pausedForMs)}`, 'warn'];
    case 'destination-disabled':
      return [event.destination, `disabled: ${inWords(event.reason)}`, 'bad'];
    default:
      return [event.operation, event.type, 'neutral'];
  }
};

/** @param {Metrics} metrics @param {string} name */
const samplesOf = (metrics, name) => metrics.find((metric) => metric.name === name)?.samples ?? [];

/** @param {Metrics} metrics @param {string} name @param {Readonly<Record<string, string>>} labels */
const valueOf = (metrics, name, labels) =>
  samplesOf(metrics, name).find((sample) =>
    Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  )?.value ?? 0;

/** @param {Metrics[number]['samples'][number]} sample @param {Metrics} metrics */
const drawCircuit = ({ labels, value: opened }, metrics) => {
  const open = valueOf(metrics, 'circuits', { ...labels, state: 'open' });
  const halfOpen = valueOf(metrics, 'circuits', { ...labels, state: 'half-open' });
  return el(
    'p',
    { class: 'line' },
    el('strong', {}, labels['circuit'] ?? ''),
    open > 0 && chip(`${open} open`, 'bad'),
    halfOpen > 0 && chip(`${halfOpen} half-open`, 'warn'),
    el(
      'span',
      { class: 'quiet' },
      `opened ${counted(opened, 'time')}${open + halfOpen === 0 ? ', requests pass again' : ''}`,
    ),
  );
};

/** @param {Metrics[number]['samples'][number]} sample @param {Metrics} metrics */
const drawCredential = ({ labels, value: renewals }, metrics) => {
  const failures = valueOf(metrics, 'credential_renewal_failures_total', labels);
  return el(
    'p',
    { class: 'line' },
    el('strong', {}, `${labels['api']}: ${labels['credential']}`),
    chip(counted(renewals, 'renewal'), 'ok'),
    failures > 0 && chip(`${failures} failed`, 'bad'),
  );
};
