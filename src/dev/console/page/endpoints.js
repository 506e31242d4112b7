import { chip, el, emptyState, show, svg, watchChanges } from './elements.js';
import { get } from './server.js';
import { count, counted, duration, inWords, percent, timeOfDay, whyWaited } from './words.js';

/**
 * @typedef {import('../../../observability/metrics/create-metrics.ts').MetricsSnapshot} MetricsSnapshot
 * @typedef {import('../../../observability/metrics/create-metrics.ts').EndpointMetrics} EndpointMetrics
 * @typedef {EndpointMetrics['latency']} Latency
 * @typedef {object} Endpoint
 * @property {string} name
 * @property {EndpointMetrics} metrics
 * @property {readonly string[]} notes
 * @property {Readonly<Record<string, number>>} retries how often, by what was waited for
 */

/**
 * Shows how often each endpoint was used, its results and its times.
 * @param {HTMLElement} view
 */
export const startEndpoints = (view) => {
  const content = el('div', { class: 'page' });
  view.append(content);
  const isOther = watchChanges();
  return async () => {
    const snapshot = await get('endpoints');
    if (!isOther({ ...snapshot, at: 0 })) return;
    const groups = groupsOf(snapshot).filter(({ endpoints }) => endpoints.length > 0);
    show(
      content,
      el('p', { class: 'quiet' }, `Counted since ${timeOfDay(snapshot.since)}. Open a row for its distribution.`),
      ...groups.map(drawGroup),
      groups.length === 0 &&
        emptyState('Nothing was used yet', 'Every operation, tool, webhook and delivery gets a row.'),
    );
  };
};

/** @type {readonly [EndpointMetrics['kind'], title: string, nameOf: (labels: EndpointMetrics['labels']) => string][]} */
const kinds = [
  ['call', 'Operations', ({ operation = '' }) => operation],
  ['tool', 'Tools', ({ tool = '' }) => tool],
  ['webhook', 'Received webhooks', ({ receiver, event }) => `${receiver} ← ${event}`],
  ['delivery', 'Deliveries out', ({ destination, event }) => `${event} → ${destination}`],
];

/** @param {MetricsSnapshot} snapshot @returns {readonly { title: string, endpoints: readonly Endpoint[] }[]} */
const groupsOf = ({ endpoints, metrics }) =>
  kinds.map(([kind, title, nameOf]) => ({
    title,
    endpoints: endpoints
      .filter((endpoint) => endpoint.kind === kind)
      .map((endpoint) => ({
        name: nameOf(endpoint.labels),
        metrics: endpoint,
        notes: metrics.flatMap((metric) => notesOf(metric, endpoint)),
        retries: retriesOf(metrics, endpoint),
      })),
  }));

/** @param {MetricsSnapshot['metrics']} metrics @param {EndpointMetrics} endpoint */
const retriesOf = (metrics, { labels }) =>
  Object.fromEntries(
    metrics
      .filter(({ name }) => countsRetries.has(name))
      .flatMap(({ samples }) => samples.filter((sample) => isOfLabels(sample.labels, labels)))
      .map(({ labels: all, value }) => [whyWaited[all['reason'] ?? ''] ?? all['reason'] ?? 'sent again', value]),
  );

const countsRetries = new Set(['retries_total', 'delivery_retries_total']);

/** @param {Readonly<Record<string, string>>} all @param {Readonly<Record<string, string>>} labels */
const isOfLabels = (all, labels) => Object.entries(labels).every(([label, text]) => all[label] === text);

/**
 * Every other count of an endpoint, such as its waits.
 * @param {MetricsSnapshot['metrics'][number]} metric @param {EndpointMetrics} endpoint
 */
const notesOf = ({ type, name, samples }, { labels }) =>
  samples.flatMap(({ labels: all, value }) => {
    const words = Object.entries(all).filter(([label]) => !(label in labels));
    const isShownElsewhere = countsRetries.has(name) || words.some(([label]) => shownBelow.has(label));
    if (type !== 'counter' || value === 0 || !isOfLabels(all, labels) || isShownElsewhere) return [];
    const [, title = '', unit] = /^(.*?)(_seconds)?_total$/.exec(name) ?? [];
    const amount = unit ? duration(value * 1_000) : count(value);
    const [, reason = ''] = words.find(([label]) => label === 'reason') ?? [];
    if (title === 'wait') return [`waited ${amount}: ${whyWaited[reason] ?? inWords(reason)}`];
    return [`${[title, ...words.map(([, word]) => word)].map(inWords).join(' ')}: ${amount}`];
  });

const shownBelow = new Set(['outcome', 'status', 'error']);

/** @param {{ title: string, endpoints: readonly Endpoint[] }} group */
const drawGroup = ({ title, endpoints }) =>
  el(
    'section',
    { class: 'card' },
    el('h2', {}, title),
    el(
      'div',
      { class: 'grid head', attributes: { 'aria-hidden': 'true' } },
      ...['', 'count', 'retried', 'success', 'p50', 'p95', 'p99', 'latency'].map((name) => el('span', {}, name)),
    ),
    ...endpoints.toSorted((a, b) => a.name.localeCompare(b.name)).map(drawEndpoint),
  );

/** @param {Endpoint} endpoint */
const drawEndpoint = ({ name, metrics, notes, retries }) => {
  const { count: times, successRate, latency, errors, outcomes } = metrics;
  const state =
    successRate === undefined ? 'neutral' : successRate >= 0.99 ? 'ok' : successRate >= 0.9 ? 'warn' : 'bad';
  return el(
    'details',
    { attributes: { 'data-key': name } },
    el(
      'summary',
      { class: 'grid', attributes: { 'data-key': `${name}-summary` } },
      el('span', { class: 'title' }, name, notes.length > 0 && el('small', {}, notes.join(' · '))),
      figure('count', count(times)),
      figure('retried', count(Object.values(retries).reduce((sum, more) => sum + more, 0))),
      figure('success', chip(percent(successRate), state)),
      figure('p50', duration(latency.p50Ms)),
      figure('p95', duration(latency.p95Ms)),
      figure('p99', duration(latency.p99Ms)),
      figure('latency', drawHistogram(latency, { width: 112, height: 26 })),
    ),
    el(
      'div',
      { class: 'more' },
      el(
        'figure',
        {},
        drawHistogram(latency, { width: 560, height: 150, isLabelled: true }),
        el('figcaption', { class: 'quiet' }, 'How many took how many milliseconds'),
      ),
      el('div', {}, drawCounts('Outcomes', outcomes), drawCounts('Retries', retries), drawCounts('Errors', errors)),
    ),
  );
};

/** @param {string} name @param {string | Node} value */
const figure = (name, value) => el('span', { class: 'figure', attributes: { 'data-name': name } }, value);

/** @param {string} title @param {Readonly<Record<string, number>>} counts */
const drawCounts = (title, counts) => {
  const entries = Object.entries(counts);
  if (entries.length === 0) return null;
  return el(
    'dl',
    { class: 'fields' },
    el('dt', { class: 'quiet' }, title),
    el('dd', {}, ''),
    ...entries.flatMap(([name, times]) => [el('dt', {}, inWords(name)), el('dd', {}, count(times))]),
  );
};

/**
 * One bar per bucket, from the fastest to the slowest that was seen.
 * @param {Latency} latency
 * @param {{ width: number, height: number, isLabelled?: boolean }} size
 */
const drawHistogram = ({ buckets, count: all, p50Ms, p95Ms }, { width, height, isLabelled = false }) => {
  const own = buckets.map(({ upToMs, count: below }, index) => ({
    upToMs,
    times: below - (buckets[index - 1]?.count ?? 0),
  }));
  const above = all - (buckets.at(-1)?.count ?? 0);
  const bars = [...own, ...(above > 0 ? [{ upToMs: Number.POSITIVE_INFINITY, times: above }] : [])];
  const highest = Math.max(1, ...bars.map(({ times }) => times));
  const labels = isLabelled ? 20 : 0;
  const each = width / bars.length;
  const words = `p50 ${duration(p50Ms)}, p95 ${duration(p95Ms)}, of ${counted(all, 'measurement')}`;
  return svg(
    'svg',
    { class: 'histogram', attributes: { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': words } },
    svg('line', { class: 'ground', attributes: { x1: 0, x2: width, y1: height - labels, y2: height - labels } }),
    ...bars.flatMap(({ upToMs, times }, index) => {
      const tall = times === 0 ? 0 : Math.max(2, (times / highest) * (height - labels - (isLabelled ? 16 : 1)));
      const x = index * each;
      return [
        svg('rect', {
          attributes: {
            x: x + each * 0.1,
            width: each * 0.8,
            y: height - labels - tall,
            height: tall,
            rx: Math.min(2, each / 6),
          },
        }),
        ...(isLabelled ? [label(x + each / 2, height - 4, axisWord(upToMs))] : []),
        ...(isLabelled && times > 0 ? [label(x + each / 2, height - labels - tall - 4, count(times))] : []),
      ];
    }),
  );
};

/** @param {number} x @param {number} y @param {string} words */
const label = (x, y, words) => svg('text', { attributes: { x, y, 'text-anchor': 'middle' } }, words);

/** @param {number} ms */
const axisWord = (ms) => (ms === Number.POSITIVE_INFINITY ? 'more' : ms >= 1_000 ? `${ms / 1_000}k` : String(ms));
