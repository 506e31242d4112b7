import type {
  AttemptEvent,
  CallEvent,
  CircuitEvent,
  DeliveryEvent,
  IntegrationEvent,
  ToolRunEvent,
} from '../events.ts';
import { resultOf } from '../result-of.ts';
import { createLatency, type LatencyRecorder, noLatency } from './latency.ts';
import { createTally } from './series.ts';
import type { EndpointMetrics } from './snapshot.ts';

/** What all endpoints have in common. */
const createEndpoint = () => {
  const outcomes = createTally();
  const errors = createTally();
  const latency = createLatency();
  let count = 0;
  let ok = 0;
  let failed = 0;
  return {
    add: (outcome: string, result: 'ok' | 'failed' | 'neutral', error: string | undefined, durationMs: number) => {
      count += 1;
      if (result === 'ok') ok += 1;
      if (result === 'failed') failed += 1;
      outcomes.add(outcome);
      if (error !== undefined) errors.add(error);
      latency.record(durationMs);
    },
    read: (): Omit<EndpointMetrics, 'tenant'> => ({
      count,
      successRate: ok + failed === 0 ? undefined : ok / (ok + failed),
      outcomes: outcomes.read(),
      errors: errors.read(),
      latency: latency.read(),
    }),
  };
};

const addResult = (endpoint: ReturnType<typeof createEndpoint>, event: IntegrationEvent, outcome: string): void => {
  const ended = resultOf(event);
  if (ended) endpoint.add(outcome, ended.result, ended.error, ended.durationMs);
};

/** Of one operation. */
export const createCalls = () => {
  const endpoint = createEndpoint();
  const retries = createTally();
  const waitedMs = createTally();
  let rateLimitWait: LatencyRecorder | undefined;
  const noticed = createTally();
  let hedges = 0;
  let shared = 0;
  let deadlineMisses = 0;
  return {
    ended: (event: CallEvent) => {
      addResult(endpoint, event, event.outcome);
      if (event.shared) shared += 1;
      const { code, reason } = event.error ?? {};
      if (code === 'deadline_exceeded' || reason === 'deadline') deadlineMisses += 1;
    },
    attempted: ({ attempt, waits, error }: AttemptEvent) => {
      for (const { reason, ms } of waits) {
        // What a hedge waited for was the first attempt, which is counted already.
        if (reason !== 'hedge') waitedMs.add(reason, ms);
        if (reason === 'rate_limit') (rateLimitWait ??= createLatency()).record(ms);
      }
      if (attempt === 1 || notSent.has(error?.code ?? '')) return;
      if (waits.some(({ reason }) => reason === 'hedge')) hedges += 1;
      else retries.add(waits.find(({ reason }) => reason !== 'rate_limit')?.reason ?? 'credential');
    },
    noticed: (type: string) => noticed.add(type),
    read: () => {
      const { 'rate-limit': pauses = 0, 'schema-drift': drifts = 0, 'version-warning': warnings = 0 } = noticed.read();
      return {
        ...endpoint.read(),
        retries: retries.read(),
        hedges,
        shared,
        deadlineMisses,
        waitedMs: waitedMs.read(),
        rateLimitWait: rateLimitWait?.read() ?? noLatency,
        rateLimitPauses: pauses,
        schemaDrifts: drifts,
        versionWarnings: warnings,
      };
    },
  };
};

/** An attempt that ends so was refused before it left. */
const notSent: ReadonlySet<string> = new Set([
  'circuit_open',
  'rate_limited',
  'quota_exceeded',
  'authentication_failed',
  'deadline_exceeded',
]);

/** Of one tool. */
export const createTools = () => {
  const endpoint = createEndpoint();
  let replayed = 0;
  let tokensSaved = 0;
  return {
    ended: ({ status, reason, durationMs, resultChars, fullChars = 0, ...event }: ToolRunEvent) => {
      const result = status === 'done' ? 'ok' : status === 'failed' || status === 'unknown' ? 'failed' : 'neutral';
      endpoint.add(status, result, status === 'done' ? undefined : (reason ?? status), durationMs);
      if (event.replayed) replayed += 1;
      tokensSaved += Math.max(0, fullChars - resultChars) / charsPerToken;
    },
    read: () => ({ ...endpoint.read(), replayed, tokensSaved: Math.round(tokensSaved) }),
  };
};

/** Of JSON, which has more signs and fewer words than prose. */
const charsPerToken = 3;

/** Of one event at one receiver. */
export const createWebhooks = () => {
  const endpoint = createEndpoint();
  let slow = 0;
  return {
    ended: (event: Extract<IntegrationEvent, { type: 'webhook-received' }>) => {
      addResult(endpoint, event, event.outcome);
      if (event.isSlow) slow += 1;
    },
    read: () => ({ ...endpoint.read(), slow }),
  };
};

/** Of one event for one destination. */
export const createDeliveries = () => {
  const endpoint = createEndpoint();
  let published = 0;
  let retries = 0;
  let dead = 0;
  const delivered = (event: DeliveryEvent) => {
    addResult(endpoint, event, event.outcome);
    if (event.attempt > 1 && event.outcome !== 'postponed') retries += 1;
  };
  return {
    happened: (event: Extract<IntegrationEvent, { type: 'delivery' | 'message-published' | 'message-dead' }>) => {
      if (event.type === 'delivery') delivered(event);
      else if (event.type === 'message-published') published += 1;
      else dead += 1;
    },
    read: () => ({ ...endpoint.read(), published, retries, dead }),
  };
};

/** Of all circuits of one name, one per tenant. */
export const createCircuits = () => {
  // Of those tenants alone whose circuit is not closed.
  const states = new Map<string | undefined, 'open' | 'half-open'>();
  let opened = 0;
  const inState = (state: string) => [...states.values()].filter((other) => other === state).length;
  return {
    changed: ({ tenant, to }: CircuitEvent) => {
      if (to === 'closed') states.delete(tenant);
      else if (states.has(tenant) || states.size < mostCircuits) states.set(tenant, to);
      if (to === 'open') opened += 1;
    },
    read: () => ({ open: inState('open'), halfOpen: inState('half-open'), opened }),
  };
};

/** Tenants come and go, and some go while their circuit is open. */
const mostCircuits = 1_000;

/** Of one credential. */
export const createCredentials = () => {
  let renewals = 0;
  let renewalFailures = 0;
  return {
    ended: (isRenewed: boolean) => {
      if (isRenewed) renewals += 1;
      else renewalFailures += 1;
    },
    read: () => ({ renewals, renewalFailures }),
  };
};
