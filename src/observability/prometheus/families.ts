import type { Latency, MetricsSnapshot } from '../metrics/snapshot.ts';
import type { Family, LabelValues, Sample } from './exposition.ts';

/** Every metric by its Prometheus name: base units, `_total` for what only grows. */
export const familiesOf = ({
  calls,
  tools,
  webhooks,
  deliveries,
  destinations,
  circuits,
  credentials,
}: MetricsSnapshot): readonly Family[] => [
  ...families(calls, ({ api, operation, tenant }) => ({ api, operation, tenant }), [
    histogram('call_duration_seconds', 'How long calls took, with all attempts and waits.', (call) => call.latency),
    counters('calls_total', 'Calls of an operation, by outcome.', 'outcome', (call) => call.outcomes),
    counters('call_errors_total', 'Calls that failed, by type.', 'error', (call) => call.errors),
    counters('retries_total', 'Attempts beyond the first, by what they waited for.', 'reason', (call) => call.retries),
    counter('deadline_misses_total', 'Calls that their deadline ended.', (call) => call.deadlineMisses),
    counters('wait_seconds_total', 'Time spent waiting before requests, by reason.', 'reason', (call) =>
      Object.fromEntries(Object.entries(call.waitedMs).map(([reason, ms]) => [reason, ms / 1_000])),
    ),
    histogram('rate_limit_wait_seconds', 'How long requests waited at the rate limit, if they did.', (call) =>
      call.rateLimitWait.count > 0 ? call.rateLimitWait : undefined,
    ),
    counter('rate_limit_pauses_total', 'How often a 429 paused all requests.', (call) => call.rateLimitPauses),
    counter('schema_drifts_total', 'Answers with fields of another type.', (call) => call.schemaDrifts),
    counter('version_warnings_total', 'Warnings about the pinned version.', (call) => call.versionWarnings),
  ]),
  ...families(tools, ({ tool, tenant }) => ({ tool, tenant }), [
    histogram('tool_run_duration_seconds', 'How long tool calls took.', (tool) => tool.latency),
    counters('tool_runs_total', 'Tool calls, by status.', 'status', (tool) => tool.outcomes),
    counters('tool_errors_total', 'Tool calls that were not done, by reason.', 'error', (tool) => tool.errors),
    counter('tool_replays_total', 'Tool calls that got an earlier result.', (tool) => tool.replayed),
    counter(
      'tool_tokens_saved_total',
      'Tokens that models did not have to read; an estimate.',
      (tool) => tool.tokensSaved,
    ),
  ]),
  ...families(webhooks, ({ receiver, event, tenant }) => ({ receiver, event, tenant }), [
    histogram('webhook_duration_seconds', 'How long webhooks took to answer or handle.', (webhook) => webhook.latency),
    counters('webhooks_total', 'Webhooks received, by outcome.', 'outcome', (webhook) => webhook.outcomes),
    counters('webhook_errors_total', 'Webhooks refused or failed, by reason.', 'error', (webhook) => webhook.errors),
    counter('webhooks_slow_total', 'Webhooks answered after more than 500 ms.', (webhook) => webhook.slow),
  ]),
  ...families(deliveries, ({ destination, event, tenant }) => ({ destination, event, tenant }), [
    counter('messages_published_total', 'Messages stored for a destination.', (delivery) => delivery.published),
    histogram('delivery_duration_seconds', 'How long attempts to deliver took.', (delivery) => delivery.latency),
    counters('deliveries_total', 'Attempts to deliver, by outcome.', 'outcome', (delivery) => delivery.outcomes),
    counters(
      'delivery_errors_total',
      'Attempts to deliver that failed, by reason.',
      'error',
      (delivery) => delivery.errors,
    ),
    counter('delivery_retries_total', 'Attempts beyond the first of a message.', (delivery) => delivery.retries),
    counter('messages_dead_total', 'Messages that became dead letters.', (delivery) => delivery.dead),
  ]),
  ...families(destinations, ({ destination }) => ({ destination }), [
    gauges(
      'outbox_messages',
      'Messages waiting for a destination, by state.',
      'state',
      ({ ready, delayed, leased }) => ({
        ready,
        delayed,
        leased,
      }),
    ),
    gauge('dead_letters', 'The number of dead letters.', ({ dead }) => dead),
    gauge('outbox_oldest_age_seconds', 'The age of the oldest waiting message.', (all) => all.oldestAgeMs / 1_000),
    gauge('destination_disabled', '1 while a destination is disabled.', ({ isDisabled }) => (isDisabled ? 1 : 0)),
  ]),
  ...families(circuits, ({ circuit }) => ({ circuit }), [
    gauges('circuits', 'Circuits that are open or half-open now, one per tenant.', 'state', ({ open, halfOpen }) => ({
      open,
      'half-open': halfOpen,
    })),
    counter('circuit_opened_total', 'How often a circuit opened.', ({ opened }) => opened),
  ]),
  ...families(credentials, ({ api, credential }) => ({ api, credential }), [
    counter('credential_renewals_total', 'Credentials renewed.', ({ renewals }) => renewals),
    counter(
      'credential_renewal_failures_total',
      'Credentials that could not be renewed.',
      (all) => all.renewalFailures,
    ),
  ]),
];

/** One metric, and what it reads from one row of the snapshot. */
interface Metric<Row> extends Omit<Family, 'samples'> {
  readonly read: (row: Row) => readonly Sample[];
}

const families = <Row>(
  rows: readonly Row[],
  labelsOf: (row: Row) => LabelValues,
  metrics: readonly Metric<Row>[],
): Family[] =>
  metrics.map(({ read, ...metric }) => ({
    ...metric,
    samples: rows.flatMap((row) =>
      read(row).map((sample) => ({ ...sample, labels: { ...labelsOf(row), ...sample.labels } })),
    ),
  }));

const single =
  (type: 'counter' | 'gauge') =>
  <Row>(name: string, help: string, valueOf: (row: Row) => number): Metric<Row> => ({
    type,
    name,
    help,
    read: (row) => [{ value: valueOf(row) }],
  });

/** One sample for each word under `label`. */
const byWord =
  (type: 'counter' | 'gauge') =>
  <Row>(
    name: string,
    help: string,
    label: string,
    countsOf: (row: Row) => Readonly<Record<string, number>>,
  ): Metric<Row> => ({
    type,
    name,
    help,
    read: (row) => Object.entries(countsOf(row)).map(([word, value]) => ({ labels: { [label]: word }, value })),
  });

const counter = single('counter');
const gauge = single('gauge');
const counters = byWord('counter');
const gauges = byWord('gauge');

const histogram = <Row>(name: string, help: string, latencyOf: (row: Row) => Latency | undefined): Metric<Row> => ({
  type: 'histogram',
  name,
  help,
  read: (row) => {
    const latency = latencyOf(row);
    if (!latency) return [];
    const { buckets, sumMs, count } = latency;
    return [
      ...buckets.map((bucket) => ({
        suffix: '_bucket',
        labels: { le: String(bucket.upToMs / 1_000) },
        value: bucket.count,
      })),
      { suffix: '_bucket', labels: { le: '+Inf' }, value: count },
      { suffix: '_sum', value: sumMs / 1_000 },
      { suffix: '_count', value: count },
    ];
  },
});
