import type { CircuitState, EventType, IntegrationEvent } from './events.ts';
import { resultOf, tokensSaved, whyAgain } from './result-of.ts';

/** Names and values, such as `{ api: 'crm', operation: 'crm.leads.get' }`. */
export type MetricLabels = Readonly<Record<string, string>>;

/** One metric, for every outlet. `Source` changes it: an event, or the state of a destination. */
export interface Measurement<Source = IntegrationEvent> {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly subject: Subject;
  /** Its name in Prometheus and in a snapshot: base units, `_total` for what only grows. */
  readonly name: string;
  readonly help: string;
  /** `s`: readings are in milliseconds, and outlets write seconds. */
  readonly unit: string;
  /** The label for the word of a reading. */
  readonly word?: string;
  /** Its part in the view of an endpoint. */
  readonly part?: 'latency' | 'outcomes' | 'errors';
  /** Its instrument in OpenTelemetry; absent if another one measures the same. */
  readonly instrument?: Instrument;
  readonly read: (source: Source) => readonly Reading[];
}

/** A metric's part in OpenTelemetry. */
export interface Instrument {
  readonly name: string;
  /** The attribute for the word of a reading. */
  readonly word?: string;
  /** Attributes with one value. */
  readonly attributes?: MetricLabels;
}

/** An amount to add, or a time. */
export interface Reading {
  readonly value: number;
  readonly word?: string | undefined;
  /** MetricLabels for OpenTelemetry alone. */
  readonly details?: Readonly<Record<string, string | undefined>>;
}

/** The thing that a metric is about. */
export type Subject = 'call' | 'tool' | 'webhook' | 'delivery' | 'circuit' | 'credential' | 'destination';

/** Returns the subject of an event and its labels; `undefined` if nothing measures the event. */
export const subjectOf = (event: IntegrationEvent): readonly [Subject, MetricLabels] | undefined => {
  const { api, operation } = event;
  switch (event.type) {
    case 'call':
    case 'attempt':
    case 'rate-limit':
    case 'schema-drift':
    case 'version-warning':
      return ['call', { api, operation }];
    case 'tool-run':
      return ['tool', { tool: event.tool }];
    case 'webhook-received':
      return ['webhook', { receiver: event.receiver, event: event.event ?? 'unknown' }];
    case 'delivery':
    case 'message-published':
    case 'message-dead':
      return ['delivery', { destination: event.destination, event: event.event }];
    case 'circuit':
      return ['circuit', { circuit: operation }];
    case 'credential-renewed':
    case 'credential-renewal-failed':
      return ['credential', { api, credential: event.credential }];
    default:
      return undefined;
  }
};

/** Lists every metric that events change. A new one is one entry in the list of its subject. */
export const createMeasurements = (): readonly EventMeasurement[] => [
  ...about('call', callMeasurements()),
  ...about('tool', toolMeasurements()),
  ...about('webhook', webhookMeasurements()),
  ...about('delivery', deliveryMeasurements()),
  ...about('circuit', circuitMeasurements()),
  ...about('credential', credentialMeasurements()),
];

const callMeasurements = (): readonly OwnMeasurement[] => [
  ...uses('call', {
    durations: ['call_duration_seconds', 'How long calls took, with all attempts and waits.'],
    endings: ['calls_total', 'Calls of an operation, by outcome.', 'outcome'],
    errors: ['call_errors_total', 'Calls that failed, by type.'],
    instrument: { name: 'voice_agent.call.duration' },
  }),
  counter('retries_total', 'Attempts beyond the first, by what they waited for.', 'attempt', {
    unit: '{attempt}',
    word: 'reason',
    instrument: { name: 'voice_agent.attempt.retries', word: 'voice_agent.retry.reason' },
    read: (event) => {
      const word = whyAgain(event);
      return word === undefined ? [] : [{ value: 1, word }];
    },
  }),
  counter('deadline_misses_total', 'Calls that their deadline ended.', 'call', {
    unit: '{call}',
    instrument: { name: 'voice_agent.call.deadline_misses' },
    read: ({ error }) => amount(error?.code === 'deadline_exceeded' || error?.reason === 'deadline' ? 1 : 0),
  }),
  counter('wait_seconds_total', 'Time spent waiting before requests, by reason.', 'attempt', {
    unit: 's',
    word: 'reason',
    instrument: { name: 'voice_agent.wait.duration', word: 'voice_agent.wait.reason' },
    read: ({ waits }) => waits.map(({ reason, ms }) => ({ value: ms, word: reason })),
  }),
  histogram('rate_limit_wait_seconds', 'How long requests waited at the rate limit, if they did.', 'attempt', {
    unit: 's',
    read: ({ waits }) => waits.flatMap(({ reason, ms }) => (reason === 'rate_limit' ? amount(ms) : [])),
  }),
  counter('rate_limit_pauses_total', 'How often a 429 paused all requests.', 'rate-limit', {
    unit: '{pause}',
    instrument: { name: 'voice_agent.rate_limit.pauses' },
  }),
  counter('schema_drifts_total', 'Answers with fields of another type.', 'schema-drift', {
    unit: '{answer}',
    instrument: { name: 'voice_agent.schema_drifts' },
  }),
  counter('version_warnings_total', 'Warnings about the pinned version.', 'version-warning', {
    unit: '{warning}',
    instrument: { name: 'voice_agent.version_warnings' },
  }),
];

const toolMeasurements = (): readonly OwnMeasurement[] => [
  ...uses('tool-run', {
    durations: ['tool_run_duration_seconds', 'How long tool calls took.'],
    endings: ['tool_runs_total', 'Tool calls, by status.', 'status'],
    errors: ['tool_errors_total', 'Tool calls that were not done, by reason.'],
    instrument: { name: 'voice_agent.tool.duration' },
  }),
  counter('tool_replays_total', 'Tool calls that got an earlier result.', 'tool-run', {
    unit: '{call}',
    read: ({ replayed }) => amount(replayed ? 1 : 0),
  }),
  counter('tool_tokens_saved_total', 'Tokens that models did not have to read; an estimate.', 'tool-run', {
    unit: '{token}',
    instrument: { name: 'voice_agent.tool.tokens_saved' },
    read: (event) => amount(tokensSaved(event)),
  }),
];

const webhookMeasurements = (): readonly OwnMeasurement[] => [
  ...uses('webhook-received', {
    durations: ['webhook_duration_seconds', 'How long webhooks took to answer or handle.'],
    endings: ['webhooks_total', 'Webhooks received, by outcome.', 'outcome'],
    errors: ['webhook_errors_total', 'Webhooks refused or failed, by reason.'],
    instrument: { name: 'voice_agent.webhook.duration' },
  }),
  counter('webhooks_slow_total', 'Webhooks answered after more than 500 ms.', 'webhook-received', {
    unit: '{webhook}',
    read: ({ isSlow }) => amount(isSlow ? 1 : 0),
  }),
];

const deliveryMeasurements = (): readonly OwnMeasurement[] => [
  counter('messages_published_total', 'Messages stored for a destination.', 'message-published', {
    unit: '{message}',
    instrument: {
      name: 'messaging.client.sent.messages',
      attributes: { 'messaging.system': 'voice_agent', 'messaging.operation.name': 'publish' },
    },
  }),
  ...uses('delivery', {
    durations: ['delivery_duration_seconds', 'How long attempts to deliver took.'],
    endings: ['deliveries_total', 'Attempts to deliver, by outcome.', 'outcome'],
    errors: ['delivery_errors_total', 'Attempts to deliver that failed, by reason.'],
    instrument: {
      name: 'messaging.process.duration',
      attributes: { 'messaging.system': 'voice_agent', 'messaging.operation.name': 'deliver' },
    },
  }),
  counter('delivery_retries_total', 'Attempts beyond the first of a message.', 'delivery', {
    unit: '{attempt}',
    read: ({ attempt, outcome }) => amount(attempt > 1 && outcome !== 'postponed' ? 1 : 0),
  }),
  counter('messages_dead_total', 'Messages that became dead letters.', 'message-dead', {
    unit: '{message}',
    instrument: { name: 'voice_agent.message.dead', attributes: { 'messaging.system': 'voice_agent' } },
  }),
];

const circuitMeasurements = (): readonly OwnMeasurement[] => [
  gauge('circuits', 'Circuits that are open or half-open now, one per tenant.', 'circuit', {
    unit: '{circuit}',
    word: 'state',
    instrument: { name: 'voice_agent.circuit.count', word: 'voice_agent.circuit.state' },
    read: createCircuitChanges(),
  }),
  counter('circuit_opened_total', 'How often a circuit opened.', 'circuit', {
    unit: '{circuit}',
    instrument: { name: 'voice_agent.circuit.opened' },
    read: ({ to }) => amount(to === 'open' ? 1 : 0),
  }),
];

const credentialMeasurements = (): readonly OwnMeasurement[] => [
  counter('credential_renewals_total', 'Credentials renewed.', 'credential-renewed', {
    unit: '{renewal}',
    instrument: { name: 'voice_agent.credential.renewals', attributes: { 'voice_agent.result': 'ok' } },
  }),
  counter('credential_renewal_failures_total', 'Credentials that could not be renewed.', 'credential-renewal-failed', {
    unit: '{renewal}',
    instrument: { name: 'voice_agent.credential.renewals', attributes: { 'voice_agent.result': 'failed' } },
  }),
];

/** A metric that events of one type change. */
export interface EventMeasurement extends Measurement {
  readonly on: EventType;
}

/** The state of one destination of an outbox. Destinations with the same name are counted together. */
export interface DestinationCounts {
  /** Messages that are due. */
  readonly ready: number;
  /** Messages that are not due yet. */
  readonly delayed: number;
  /** Messages that a worker is delivering. */
  readonly leased: number;
  /** Dead letters. */
  readonly dead: number;
  /** The wait of the oldest message; 0 when none waits. */
  readonly oldestAgeMs: number;
  /** Nothing is sent until you enable it. */
  readonly isDisabled: boolean;
}

/** An outbox, as metrics read it. */
export interface OutboxStatusSource {
  status(): Promise<Readonly<Record<string, DestinationCounts>>>;
}

/** Lists every metric that is read from an outbox. A new one is one entry here. */
export const destinationMeasurements: readonly Measurement<DestinationCounts>[] = [
  {
    name: 'outbox_messages',
    help: 'Messages waiting for a destination, by state.',
    unit: '{message}',
    word: 'state',
    instrument: { name: 'voice_agent.outbox.messages', word: 'voice_agent.message.state' },
    read: ({ ready, delayed, leased }: DestinationCounts) =>
      Object.entries({ ready, delayed, leased }).map(([word, value]) => ({ word, value })),
  },
  {
    name: 'dead_letters',
    help: 'The number of dead letters.',
    unit: '{message}',
    instrument: { name: 'voice_agent.outbox.dead_letters' },
    read: ({ dead }: DestinationCounts) => amount(dead),
  },
  {
    name: 'outbox_oldest_age_seconds',
    help: 'The age of the oldest waiting message.',
    unit: 's',
    instrument: { name: 'voice_agent.outbox.oldest_age' },
    read: ({ oldestAgeMs }: DestinationCounts) => amount(oldestAgeMs),
  },
  {
    name: 'destination_disabled',
    help: '1 while a destination is disabled.',
    unit: '{destination}',
    instrument: { name: 'voice_agent.outbox.disabled' },
    read: ({ isDisabled }: DestinationCounts) => amount(isDisabled ? 1 : 0),
  },
].map((measurement) => ({ ...measurement, type: 'gauge', subject: 'destination' }));

/** Adds up the destinations of several outboxes, such as one per tenant, by their names. */
export const sumDestinations = (
  statuses: readonly Readonly<Record<string, DestinationCounts>>[],
): ReadonlyMap<string, DestinationCounts> => {
  const sums = new Map<string, DestinationCounts>();
  for (const [destination, counts] of statuses.flatMap((status) => Object.entries(status))) {
    const before = sums.get(destination);
    sums.set(destination, before ? sumOf(before, counts) : counts);
  }
  return sums;
};

const sumOf = (one: DestinationCounts, other: DestinationCounts): DestinationCounts => ({
  ready: one.ready + other.ready,
  delayed: one.delayed + other.delayed,
  leased: one.leased + other.leased,
  dead: one.dead + other.dead,
  oldestAgeMs: Math.max(one.oldestAgeMs, other.oldestAgeMs),
  isDisabled: one.isDisabled || other.isDisabled,
});

const amount = (value: number): readonly Reading[] => [{ value }];

type OwnMeasurement = Omit<EventMeasurement, 'subject'>;

const about = (subject: Subject, measurements: readonly OwnMeasurement[]): readonly EventMeasurement[] =>
  measurements.map((measurement) => ({ ...measurement, subject }));

const measure =
  (type: Measurement['type']) =>
  <Type extends EventType>(
    name: string,
    help: string,
    on: Type,
    {
      read = () => amount(1),
      ...parts
    }: Pick<EventMeasurement, 'unit' | 'word' | 'part' | 'instrument'> & {
      readonly read?: (event: IntegrationEvent<Type>) => readonly Reading[];
    },
  ): OwnMeasurement => ({
    ...parts,
    type,
    name,
    help,
    on,
    // An event is known by its type.
    read: (event) => (event.type === on ? read(event as IntegrationEvent<Type>) : []),
  });

const counter = measure('counter');
const gauge = measure('gauge');
const histogram = measure('histogram');

type Use = IntegrationEvent<'call' | 'tool-run' | 'webhook-received' | 'delivery'>;

/** Measures every use of an endpoint: how long it took, how it ended, and why it failed. */
const uses = (
  on: Use['type'],
  { instrument, durations, endings: [endingsName, endingsHelp, label], errors }: UsesOptions,
): readonly OwnMeasurement[] => [
  histogram(...durations, on, {
    part: 'latency',
    unit: 's',
    instrument,
    read: (event) => [{ value: event.durationMs, details: { ...resultOf(event), [label]: endingOf(event) } }],
  }),
  counter(endingsName, endingsHelp, on, {
    part: 'outcomes',
    unit: '{use}',
    word: label,
    read: (event) => [{ value: 1, word: endingOf(event) }],
  }),
  counter(...errors, on, {
    part: 'errors',
    unit: '{use}',
    word: 'error',
    read: (event) => {
      const word = resultOf(event)?.error;
      return word === undefined ? [] : [{ value: 1, word }];
    },
  }),
];

interface UsesOptions {
  readonly instrument: Instrument;
  readonly durations: readonly [name: string, help: string];
  readonly endings: readonly [name: string, help: string, label: 'outcome' | 'status'];
  readonly errors: readonly [name: string, help: string];
}

const endingOf = (event: Use): string => (event.type === 'tool-run' ? event.status : event.outcome);

/** Follows the circuit of each tenant: one that was open before the first event isn't subtracted. */
const createCircuitChanges = () => {
  const states = new Map<string, CircuitState>();
  return ({ operation, tenant = '', to }: IntegrationEvent<'circuit'>): readonly Reading[] => {
    const key = `${operation}\u0000${tenant}`;
    const before = states.get(key);
    // Some tenants leave while their circuit is open.
    if (to === 'closed') states.delete(key);
    else if (before !== undefined || states.size < maximumCircuits) states.set(key, to);
    const after = states.get(key);
    return (['open', 'half-open'] as const).map((word) => ({
      word,
      value: Number(after === word) - Number(before === word),
    }));
  };
};

const maximumCircuits = 10_000;
