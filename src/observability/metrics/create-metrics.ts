import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown, checkOptions, flag } from '../../core/option-checks.ts';
import type { IntegrationEvent } from '../events.ts';
import type { OnEvent } from '../listeners.ts';
import {
  createMeasurements,
  destinationMeasurements,
  type EventMeasurement,
  type MetricLabels,
  type Measurement,
  type OutboxStatusSource,
  type Subject,
  subjectOf,
  sumDestinations,
} from '../measurements.ts';
import { type EndpointResult, resultOf } from '../result-of.ts';
import {
  createHistogram,
  createLatency,
  type Latency,
  noLatency,
  type RecordedValue,
  type Recorder,
} from './latency.ts';

/** Options of {@link createMetrics}. */
export interface MetricsOptions {
  /** Outboxes whose waiting messages and dead letters are counted when you read the metrics. */
  readonly outboxes?: readonly OutboxStatusSource[] | undefined;
  /** Counts each tenant separately: only for a few tenants. @defaultValue false */
  readonly perTenant?: boolean | undefined;
  /**
   * Endpoints of each kind that are counted separately; all others are counted as `other`. Each takes about 30 kB.
   * @defaultValue 200
   */
  readonly maximumEndpoints?: number | undefined;
}

/** Counts every event. Give its `onEvent` to clients, toolboxes, receivers and outboxes. */
export interface Metrics {
  readonly onEvent: OnEvent;
  /** Returns all counts so far, and the messages that wait in the outboxes. Rejects when an outbox can't be read. */
  snapshot(): Promise<MetricsSnapshot>;
}

/** All counts since the start, as plain data. */
export interface MetricsSnapshot {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The time of reading. */
  readonly at: number;
  /** Operations, tools, webhooks and deliveries, with success rates and percentiles. */
  readonly endpoints: readonly EndpointMetrics[];
  /** Every metric, by the names of Prometheus. */
  readonly metrics: readonly Metric[];
}

/** The uses of one endpoint. */
export interface EndpointMetrics {
  readonly kind: 'call' | 'tool' | 'webhook' | 'delivery';
  /** Such as `{ api: 'billing', operation: 'billing.payments.create' }`. */
  readonly labels: MetricLabels;
  readonly count: number;
  /** From 0 to 1. Callers who hung up don't count. */
  readonly successRate: number | undefined;
  /** Counts by outcome or status, such as `ok`, `rejected` or `handled`. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Counts by type of error, such as `client_error` or `max_retries_exceeded/timeout`. */
  readonly errors: Readonly<Record<string, number>>;
  readonly latency: Latency;
}

/** One metric with all its labels. */
export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Such as `retries_total`. */
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** One value of a metric. */
export interface Sample {
  readonly labels: MetricLabels;
  /** Times are in seconds. The value of a histogram is its count. */
  readonly value: number;
  readonly latency?: Latency | undefined;
}

/**
 * Counts success rates, latency percentiles, errors by type, retries, waits, circuits and dead letters, in bounded memory.
 * Nothing in them is personal or secret. `voice-agent-integrations/observability/prometheus` exposes them to Prometheus.
 * Throws `InvalidArgumentError` where the runtime has no `node:perf_hooks`.
 *
 * @example
 * const metrics = createMetrics({ outboxes: [outbox] });
 * const integration = createIntegration({ billing, onEvent: metrics.onEvent });
 * const { endpoints } = await metrics.snapshot();
 */
export const createMetrics = (options: MetricsOptions = {}): Metrics => {
  checkOptions(undefined, [
    () => assertKnown(options, { outboxes: true, perTenant: true, maximumEndpoints: true }),
    flag(options.perTenant, 'perTenant'),
  ]);
  const { outboxes = [], perTenant = false, maximumEndpoints = 200 } = options;
  if (!(Number.isInteger(maximumEndpoints) && maximumEndpoints > 0))
    throw new InvalidArgumentError('maximumEndpoints', 'must be an integer above 0');
  assertHistograms();
  const since = Date.now();
  const measurements = createMeasurements();
  const byType = Map.groupBy(measurements, ({ on }) => on);
  const rows = createRows(measurements, maximumEndpoints);

  const onEvent = (event: IntegrationEvent): void => {
    const about = subjectOf(event);
    if (!about) return;
    const [subject, labels] = about;
    const { api, tenant } = event;
    // An outbox counts its deliveries.
    if (subject === 'call' && api === 'outbox') return;
    const isPerTenant = perTenant && tenant !== undefined && isEndpoint(subject);
    const row = rows.of(subject, isPerTenant ? { ...labels, tenant } : labels);
    const result = resultOf(event)?.result;
    if (result) row.results[result] += 1;
    for (const measurement of byType.get(event.type) ?? [])
      for (const reading of measurement.read(event)) row.recorders.get(measurement)?.add(reading);
  };

  const snapshot = async (): Promise<MetricsSnapshot> => {
    const destinations = sumDestinations(await Promise.all(outboxes.map((outbox) => outbox.status())));
    const counted = measurements.map((measurement) =>
      metricOf(
        measurement,
        rows.all().map(({ labels, recorders }) => [labels, recorders.get(measurement)?.read() ?? []]),
      ),
    );
    const waiting = destinationMeasurements.map((measurement) =>
      metricOf(
        measurement,
        [...destinations].map(([destination, counts]) => [{ destination }, measurement.read(counts)]),
      ),
    );
    return {
      since,
      at: Date.now(),
      endpoints: rows.all().flatMap(endpointOf),
      metrics: [...counted, ...waiting],
    };
  };

  return { onEvent, snapshot };
};

/** Tried out: Workers have the function, but it throws. */
const assertHistograms = (): void => {
  try {
    createHistogram();
  } catch {
    throw new InvalidArgumentError('createMetrics', 'needs a runtime with histograms in node:perf_hooks, such as Node');
  }
};

const metricOf = (
  { type, name, help, unit, word: label }: Omit<Measurement, 'read'>,
  rows: readonly (readonly [labels: MetricLabels, values: readonly RecordedValue[]])[],
): Metric => ({
  type,
  name,
  help,
  samples: rows.flatMap(([labels, values]) =>
    values.map(({ value, word, latency }) => ({
      labels: label === undefined || word === undefined ? labels : { ...labels, [label]: word },
      value: unit === 's' && !latency ? value / 1_000 : value,
      latency,
    })),
  ),
});

const isEndpoint = (subject: Subject): subject is EndpointMetrics['kind'] =>
  subject === 'call' || subject === 'tool' || subject === 'webhook' || subject === 'delivery';

/** All counts of one subject under the same labels. */
interface Row {
  readonly subject: Subject;
  readonly labels: MetricLabels;
  readonly results: Record<EndpointResult['result'], number>;
  readonly recorders: ReadonlyMap<Measurement, Recorder>;
}

/** Keeps at most `maximum` rows of each subject. New labels then share a row, so names from outside can't fill the memory. */
const createRows = (measurements: readonly EventMeasurement[], maximum: number) => {
  const rows = new Map<string, Row>();
  const sizes = new Map<Subject, number>();
  const add = (key: string, subject: Subject, labels: MetricLabels): Row => {
    const own = measurements.filter((measurement) => measurement.subject === subject);
    const row = {
      subject,
      labels,
      results: { ok: 0, failed: 0, neutral: 0 },
      recorders: new Map(own.map((one) => [one, one.type === 'histogram' ? createLatency() : createTally(one)])),
    };
    rows.set(key, row);
    sizes.set(subject, (sizes.get(subject) ?? 0) + 1);
    return row;
  };
  return {
    of: (subject: Subject, labels: MetricLabels): Row => {
      // Names don't contain this character, and joining is cheaper than JSON.
      const key = [subject, ...Object.values(labels)].join('\u0000');
      const known = rows.get(key);
      if (known) return known;
      if ((sizes.get(subject) ?? 0) < maximum) return add(key, subject, labels);
      const { tenant: _tenant, ...named } = labels;
      return (
        rows.get(subject) ?? add(subject, subject, Object.fromEntries(Object.keys(named).map((name) => [name, other])))
      );
    },
    all: () => [...rows.values()],
  };
};

const other = 'other';

/** Counts by word. After the first 50 words, new ones are counted as `other`. */
const createTally = ({ word: label }: Pick<Measurement, 'word'>): Recorder => {
  // A count without words is known from the start, for Prometheus to see the first increase.
  const counts = new Map<string | undefined, number>(label === undefined ? [[undefined, 0]] : []);
  return {
    add: ({ word, value }) => {
      const kept = counts.has(word) || counts.size < maximumWords ? word : other;
      counts.set(kept, (counts.get(kept) ?? 0) + value);
    },
    read: () => [...counts].map(([word, value]) => ({ value, word })),
  };
};

const maximumWords = 50;

const endpointOf = ({ subject, labels, results, recorders }: Row): readonly EndpointMetrics[] => {
  if (!isEndpoint(subject)) return [];
  const { ok, failed, neutral } = results;
  const valuesOf = (part: Measurement['part']) =>
    [...recorders].flatMap(([measurement, recorder]) => (measurement.part === part ? recorder.read() : []));
  const countsOf = (part: Measurement['part']) =>
    Object.fromEntries(valuesOf(part).map(({ word = other, value }) => [word, value]));
  return [
    {
      kind: subject,
      labels,
      count: ok + failed + neutral,
      successRate: ok + failed === 0 ? undefined : ok / (ok + failed),
      outcomes: countsOf('outcomes'),
      errors: countsOf('errors'),
      latency: valuesOf('latency')[0]?.latency ?? noLatency,
    },
  ];
};
