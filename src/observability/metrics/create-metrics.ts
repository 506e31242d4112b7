import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown, checkOptions, flag } from '../../core/option-checks.ts';
import type { IntegrationEvent } from '../events.ts';
import type { OnEvent } from '../listeners.ts';
import {
  createCalls,
  createCircuits,
  createCredentials,
  createDeliveries,
  createTools,
  createWebhooks,
} from './counts.ts';
import { type OutboxStatusSource, sumDestinations } from './destinations.ts';
import { createHistogram } from './latency.ts';
import { createSeries, type Series } from './series.ts';
import type { MetricsSnapshot } from './snapshot.ts';

/** What the metrics count separately, and the outboxes that they read. */
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

/** Counts what happens. Give its `onEvent` to clients, toolboxes, receivers and outboxes. */
export interface Metrics {
  readonly onEvent: OnEvent;
  /** Everything counted so far, and what waits in the outboxes now. Rejects when an outbox can't be read. */
  snapshot(): Promise<MetricsSnapshot>;
}

/**
 * Counts success rates, latency percentiles, errors by type, retries, waits, circuits and dead letters, in bounded memory.
 * Nothing in them is personal or secret. `voice-agent-integrations/observability/prometheus` exposes them to Prometheus.
 * Throws `InvalidArgumentError` where the runtime has no `node:perf_hooks`.
 *
 * @example
 * const metrics = createMetrics({ outboxes: [outbox] });
 * const integration = createIntegration({ billing, onEvent: metrics.onEvent });
 * const { calls } = await metrics.snapshot();
 */
export const createMetrics = (options: MetricsOptions = {}): Metrics => {
  checkOptions(undefined, [
    () => assertKnown(options, { outboxes: true, perTenant: true, maximumEndpoints: true }),
    flag(options.perTenant, 'perTenant'),
  ]);
  const { outboxes = [], perTenant = false, maximumEndpoints: maximum = 200 } = options;
  if (!(Number.isInteger(maximum) && maximum > 0))
    throw new InvalidArgumentError('maximumEndpoints', 'must be an integer above 0');
  assertHistograms();
  const since = Date.now();
  const other = 'other';
  const calls = createSeries(createCalls, { maximum, other: { api: other, operation: other, ...anyTenant } });
  const tools = createSeries(createTools, { maximum, other: { tool: other, ...anyTenant } });
  const webhooks = createSeries(createWebhooks, { maximum, other: { receiver: other, event: other, ...anyTenant } });
  const deliveries = createSeries(createDeliveries, {
    maximum,
    other: { destination: other, event: other, ...anyTenant },
  });
  const circuits = createSeries(createCircuits, { maximum, other: { circuit: other } });
  const credentials = createSeries(createCredentials, { maximum, other: { api: other, credential: other } });

  const onEvent = (event: IntegrationEvent): void => {
    const { api, operation } = event;
    const tenant = perTenant ? event.tenant : undefined;
    switch (event.type) {
      case 'call':
      case 'attempt':
      case 'rate-limit':
      case 'schema-drift':
      case 'version-warning':
        // An outbox counts its deliveries.
        return api === 'outbox' ? undefined : calls.of({ api, operation, tenant }).count(event);
      case 'tool-run':
        return tools.of({ tool: event.tool, tenant }).count(event);
      case 'webhook-received':
        return webhooks.of({ receiver: event.receiver, event: event.event ?? 'unknown', tenant }).count(event);
      case 'delivery':
      case 'message-published':
      case 'message-dead':
        return deliveries.of({ destination: event.destination, event: event.event, tenant }).count(event);
      case 'circuit':
        return circuits.of({ circuit: operation }).count(event);
      case 'credential-renewed':
      case 'credential-renewal-failed':
        return credentials.of({ api, credential: event.credential }).count(event);
      default:
        return undefined;
    }
  };

  return {
    onEvent,
    snapshot: async () => ({
      since,
      at: Date.now(),
      destinations: sumDestinations(await Promise.all(outboxes.map((outbox) => outbox.status()))),
      calls: readAll(calls),
      tools: readAll(tools),
      webhooks: readAll(webhooks),
      deliveries: readAll(deliveries),
      circuits: readAll(circuits),
      credentials: readAll(credentials),
    }),
  };
};

const anyTenant: { readonly tenant: string | undefined } = { tenant: undefined };

/** Tried out: Workers have the function, but it throws. */
const assertHistograms = (): void => {
  try {
    createHistogram();
  } catch {
    throw new InvalidArgumentError('createMetrics', 'needs a runtime with histograms in node:perf_hooks, such as Node');
  }
};

const readAll = <Labels extends object, Read extends object>(
  series: Series<Labels, { readonly read: () => Read }>,
): (Labels & Read)[] => series.entries().map(([labels, { read }]) => ({ ...labels, ...read() }));
