import { type Clock, systemClock } from '../../clock.ts';
import { InvalidArgumentError } from '../../errors.ts';
import type { IntegrationEvent, OnEvent } from '../events.ts';
import {
  createCalls,
  createCircuits,
  createCredentials,
  createDeliveries,
  createTools,
  createWebhooks,
} from './counts.ts';
import { type DestinationCounts, sumDestinations } from './destinations.ts';
import { createHistogram } from './latency.ts';
import { createSeries } from './series.ts';
import type { DestinationMetrics, MetricsSnapshot } from './snapshot.ts';

/** What is read of an outbox. */
export interface OutboxStatusSource {
  status(): Promise<DestinationCounts>;
}

/** What is counted by itself, and which outboxes are looked into. */
export interface MetricsOptions {
  /** Whose waiting messages and dead letters are counted when the metrics are read. */
  readonly outboxes?: readonly OutboxStatusSource[];
  /** Counts for each tenant by itself: only where there are few. @defaultValue false */
  readonly perTenant?: boolean;
  /**
   * Endpoints of each kind that are counted by themselves; further ones are counted as `other`. Each takes about 30 kB.
   * @defaultValue 200
   */
  readonly maximumEndpoints?: number;
  readonly clock?: Clock;
}

/** Counts what happens. Give its `onEvent` to clients, toolboxes, receivers and outboxes. */
export interface Metrics {
  readonly onEvent: OnEvent;
  /** All that was counted so far, and what waits in the outboxes right now. Rejects when an outbox cannot be read. */
  snapshot(): Promise<MetricsSnapshot>;
}

/**
 * Makes metrics: success rates, latency percentiles, errors by type, retries, waits, circuits and dead letters, in memory
 * and bounded. Nothing of them is personal or secret. `voice-agent-integrations/observability/prometheus` shows them to
 * Prometheus. Throws `InvalidArgumentError` where the runtime has no `node:perf_hooks`.
 *
 * @example
 * const metrics = createMetrics({ outboxes: [outbox] });
 * const integration = createIntegration({ billing, onEvent: metrics.onEvent });
 * const { calls } = await metrics.snapshot();
 */
export const createMetrics = ({
  outboxes = [],
  perTenant = false,
  maximumEndpoints = 200,
  clock = systemClock,
}: MetricsOptions = {}): Metrics => {
  if (!(Number.isInteger(maximumEndpoints) && maximumEndpoints > 0))
    throw new InvalidArgumentError('maximumEndpoints', 'must be an integer above 0');
  assertHistograms();
  const since = clock.wallNow();
  const maximum = maximumEndpoints;
  const other = 'other';
  const calls = createSeries(createCalls, { maximum, other: { api: other, operation: other, ...anyTenant } });
  const tools = createSeries(createTools, { maximum, other: { tool: other, ...anyTenant } });
  const webhooks = createSeries(createWebhooks, {
    maximum,
    other: { receiver: other, event: other, ...anyTenant },
  });
  const deliveries = createSeries(createDeliveries, {
    maximum,
    other: { destination: other, event: other, ...anyTenant },
  });
  const circuits = createSeries(createCircuits, { maximum, other: { circuit: other } });
  const credentials = createSeries(createCredentials, { maximum, other: { api: other, credential: other } });

  const tenantOf = ({ tenant }: IntegrationEvent) => (perTenant ? tenant : undefined);

  const count = (event: IntegrationEvent): void => {
    const tenant = tenantOf(event);
    const { api, operation } = event;
    switch (event.type) {
      case 'call':
        return calls.of({ api, operation, tenant }).ended(event);
      case 'attempt':
        return calls.of({ api, operation, tenant }).attempted(event);
      case 'rate-limit':
      case 'schema-drift':
      case 'version-warning':
        // An outbox keeps its deliveries.
        return api === 'outbox' ? undefined : calls.of({ api, operation, tenant }).noticed(event.type);
      case 'tool-run':
        return tools.of({ tool: event.tool, tenant }).ended(event);
      case 'webhook-received':
        return webhooks.of({ receiver: event.receiver, event: event.event ?? 'unknown', tenant }).ended(event);
      case 'delivery':
      case 'message-published':
      case 'message-dead':
        return deliveries.of({ destination: event.destination, event: event.event, tenant }).happened(event);
      case 'circuit':
        return circuits.of({ circuit: operation }).changed(event);
      case 'credential-renewed':
      case 'credential-renewal-failed':
        return credentials.of({ api, credential: event.credential }).ended(event.type === 'credential-renewed');
      default:
        return undefined;
    }
  };

  return {
    onEvent: count,
    snapshot: async () => ({
      since,
      at: clock.wallNow(),
      destinations: await readDestinations(outboxes),
      calls: readAll(calls.entries()),
      tools: readAll(tools.entries()),
      webhooks: readAll(webhooks.entries()),
      deliveries: readAll(deliveries.entries()),
      circuits: readAll(circuits.entries()),
      credentials: readAll(credentials.entries()),
    }),
  };
};

const anyTenant: { readonly tenant: string | undefined } = { tenant: undefined };

/** Made on trial: Workers have the function, which then says that it is not there. */
const assertHistograms = (): void => {
  try {
    createHistogram();
  } catch {
    throw new InvalidArgumentError('createMetrics', 'needs a runtime with histograms in node:perf_hooks, such as Node');
  }
};

type Labels = Readonly<Record<string, string | undefined>>;

const readAll = <L extends Labels, Read extends object>(
  entries: readonly (readonly [L, { readonly read: () => Read }])[],
): (WithoutTenant<L> & { tenant?: string } & Read)[] =>
  entries.map(([{ tenant, ...labels }, { read }]) => ({
    ...labels,
    ...(tenant !== undefined && { tenant }),
    ...read(),
  }));

type WithoutTenant<L> = Omit<L, 'tenant'>;

const readDestinations = async (outboxes: readonly OutboxStatusSource[]): Promise<readonly DestinationMetrics[]> =>
  sumDestinations(await Promise.all(outboxes.map((outbox) => outbox.status())));
