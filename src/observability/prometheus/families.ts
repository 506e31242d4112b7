import type { EndpointMetrics, Latency, MetricsSnapshot } from '../metrics/snapshot.ts';
import type { Family, HistogramSample, LabelValues, Sample } from './exposition.ts';

/** All metrics under the names that Prometheus knows them by: base units, `_total` for what only grows. */
export const familiesOf = (snapshot: MetricsSnapshot, prefix: string): readonly Family[] =>
  [
    ...callFamilies(snapshot),
    ...toolFamilies(snapshot),
    ...webhookFamilies(snapshot),
    ...deliveryFamilies(snapshot),
    ...destinationFamilies(snapshot),
    ...circuitFamilies(snapshot),
    ...credentialFamilies(snapshot),
  ].map((family) => ({ ...family, name: `${prefix}${family.name}` }));

const callFamilies = ({ calls }: MetricsSnapshot): Family[] => {
  const all = calls.map((call) => ({ labels: withTenant({ api: call.api, operation: call.operation }, call), call }));
  const each = (valueOf: (call: (typeof calls)[number]) => number): Sample[] =>
    all.map(({ labels, call }) => ({ labels, value: valueOf(call) }));
  const by = (label: string, countsOf: (call: (typeof calls)[number]) => Readonly<Record<string, number>>): Sample[] =>
    all.flatMap(({ labels, call }) => perWord(labels, label, countsOf(call)));
  return [
    histogram(
      'call_duration_seconds',
      'How long calls of an operation took, with all attempts and waits.',
      all.map(({ labels, call }) => seconds(labels, call.latency)),
    ),
    counter(
      'calls_total',
      'Calls of an operation, by outcome.',
      by('outcome', ({ outcomes }) => outcomes),
    ),
    counter(
      'call_errors_total',
      'Calls that failed, by type.',
      by('error', ({ errors }) => errors),
    ),
    counter(
      'retries_total',
      'Attempts beyond the first, by what was waited for.',
      by('reason', (call) => call.retries),
    ),
    counter(
      'hedges_total',
      'Second attempts of slow reads.',
      each(({ hedges }) => hedges),
    ),
    counter(
      'shared_reads_total',
      'Reads answered by the request of another.',
      each(({ shared }) => shared),
    ),
    counter(
      'deadline_misses_total',
      'Calls that their deadline ended.',
      each((call) => call.deadlineMisses),
    ),
    counter(
      'wait_seconds_total',
      'Time spent waiting before requests, by reason.',
      by('reason', ({ waitedMs }) => waitedMs).map((sample) => ({ ...sample, value: sample.value / 1_000 })),
    ),
    histogram(
      'rate_limit_wait_seconds',
      'How long requests waited at the rate limit, those that did.',
      all
        .filter(({ call }) => call.rateLimitWait.count > 0)
        .map(({ labels, call }) => seconds(labels, call.rateLimitWait)),
    ),
    counter(
      'rate_limit_pauses_total',
      'How often a 429 kept everybody waiting.',
      each((call) => call.rateLimitPauses),
    ),
    counter(
      'schema_drifts_total',
      'Answers with fields that were not as typed.',
      each((call) => call.schemaDrifts),
    ),
    counter(
      'version_warnings_total',
      'Warnings about the pinned version.',
      each((call) => call.versionWarnings),
    ),
  ];
};

const toolFamilies = ({ tools }: MetricsSnapshot): Family[] => {
  const all = tools.map((tool) => ({ labels: withTenant({ tool: tool.tool }, tool), tool }));
  return [
    histogram(
      'tool_run_duration_seconds',
      'How long tool calls took.',
      all.map(({ labels, tool }) => seconds(labels, tool.latency)),
    ),
    counter(
      'tool_runs_total',
      'Tool calls, by status.',
      all.flatMap(({ labels, tool }) => perWord(labels, 'status', tool.outcomes)),
    ),
    counter(
      'tool_errors_total',
      'Tool calls that were not done, by reason.',
      all.flatMap(({ labels, tool }) => perWord(labels, 'error', tool.errors)),
    ),
    counter(
      'tool_replays_total',
      'Tool calls that were given an earlier result.',
      all.map(({ labels, tool }) => ({ labels, value: tool.replayed })),
    ),
    counter(
      'tool_tokens_saved_total',
      'Tokens that the model did not have to read, estimated at three characters each.',
      all.map(({ labels, tool }) => ({ labels, value: tool.tokensSaved })),
    ),
  ];
};

const webhookFamilies = ({ webhooks }: MetricsSnapshot): Family[] => {
  const all = webhooks.map((webhook) => ({
    labels: withTenant({ receiver: webhook.receiver, event: webhook.event }, webhook),
    webhook,
  }));
  return [
    histogram(
      'webhook_duration_seconds',
      'How long webhooks took to be answered or handled.',
      all.map(({ labels, webhook }) => seconds(labels, webhook.latency)),
    ),
    counter(
      'webhooks_total',
      'Webhooks received, by outcome.',
      all.flatMap(({ labels, webhook }) => perWord(labels, 'outcome', webhook.outcomes)),
    ),
    counter(
      'webhook_errors_total',
      'Webhooks that were refused or failed, by reason.',
      all.flatMap(({ labels, webhook }) => perWord(labels, 'error', webhook.errors)),
    ),
    counter(
      'webhooks_slow_total',
      'Webhooks answered after more than 500 ms.',
      all.map(({ labels, webhook }) => ({ labels, value: webhook.slow })),
    ),
  ];
};

const deliveryFamilies = ({ deliveries }: MetricsSnapshot): Family[] => {
  const all = deliveries.map((delivery) => ({
    labels: withTenant({ destination: delivery.destination, event: delivery.event }, delivery),
    delivery,
  }));
  return [
    counter(
      'messages_published_total',
      'Messages stored for a destination.',
      all.map(({ labels, delivery }) => ({ labels, value: delivery.published })),
    ),
    histogram(
      'delivery_duration_seconds',
      'How long attempts to deliver took.',
      all.map(({ labels, delivery }) => seconds(labels, delivery.latency)),
    ),
    counter(
      'deliveries_total',
      'Attempts to deliver, by outcome.',
      all.flatMap(({ labels, delivery }) => perWord(labels, 'outcome', delivery.outcomes)),
    ),
    counter(
      'delivery_errors_total',
      'Attempts to deliver that failed, by reason.',
      all.flatMap(({ labels, delivery }) => perWord(labels, 'error', delivery.errors)),
    ),
    counter(
      'delivery_retries_total',
      'Attempts beyond the first of a message.',
      all.map(({ labels, delivery }) => ({ labels, value: delivery.retries })),
    ),
    counter(
      'messages_dead_total',
      'Messages that became dead letters.',
      all.map(({ labels, delivery }) => ({ labels, value: delivery.dead })),
    ),
  ];
};

const destinationFamilies = ({ destinations }: MetricsSnapshot): Family[] => {
  const each = (valueOf: (destination: (typeof destinations)[number]) => number): Sample[] =>
    destinations.map((all) => ({ labels: { destination: all.destination }, value: valueOf(all) }));
  return [
    gauge(
      'outbox_messages',
      'Messages that wait for a destination, by state.',
      destinations.flatMap(({ destination, ready, delayed, leased }) =>
        perWord({ destination }, 'state', { ready, delayed, leased }),
      ),
    ),
    gauge(
      'dead_letters',
      'The depth of the dead letters.',
      each(({ dead }) => dead),
    ),
    gauge(
      'outbox_oldest_age_seconds',
      'The age of the oldest message that waits.',
      each(({ oldestAgeMs }) => oldestAgeMs / 1_000),
    ),
    gauge(
      'destination_disabled',
      '1 while a destination is disabled.',
      each((all) => (all.isDisabled ? 1 : 0)),
    ),
  ];
};

const circuitFamilies = ({ circuits }: MetricsSnapshot): Family[] => [
  gauge(
    'circuits',
    'Circuits that are open or half-open right now, one per tenant.',
    circuits.flatMap(({ circuit, open, halfOpen }) => perWord({ circuit }, 'state', { open, 'half-open': halfOpen })),
  ),
  counter(
    'circuit_opened_total',
    'How often a circuit opened.',
    circuits.map(({ circuit, opened }) => ({ labels: { circuit }, value: opened })),
  ),
];

const credentialFamilies = ({ credentials }: MetricsSnapshot): Family[] => {
  const each = (valueOf: (credential: (typeof credentials)[number]) => number): Sample[] =>
    credentials.map((all) => ({ labels: { api: all.api, credential: all.credential }, value: valueOf(all) }));
  return [
    counter(
      'credential_renewals_total',
      'Credentials fetched anew.',
      each(({ renewals }) => renewals),
    ),
    counter(
      'credential_renewal_failures_total',
      'Credentials that could not be fetched.',
      each(({ renewalFailures }) => renewalFailures),
    ),
  ];
};

const counter = (name: string, help: string, samples: readonly Sample[]): Family => ({
  type: 'counter',
  name,
  help,
  samples,
});

const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
  type: 'gauge',
  name,
  help,
  samples,
});

const histogram = (name: string, help: string, samples: readonly HistogramSample[]): Family => ({
  type: 'histogram',
  name,
  help,
  samples,
});

const withTenant = (labels: LabelValues, { tenant }: Pick<EndpointMetrics, 'tenant'>): LabelValues =>
  tenant === undefined ? labels : { ...labels, tenant };

const perWord = (labels: LabelValues, label: string, counts: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(counts).map(([word, value]) => ({ labels: { ...labels, [label]: word }, value }));

const seconds = (labels: LabelValues, { count, sumMs, buckets }: Latency): HistogramSample => ({
  labels,
  count,
  sum: sumMs / 1_000,
  buckets: buckets.map(({ upToMs, count: below }) => ({ le: upToMs / 1_000, count: below })),
});
