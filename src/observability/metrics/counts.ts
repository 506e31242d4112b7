import type { IntegrationEvent } from '../events.ts';
import { resultOf, tokensSaved, whyAgain } from '../result-of.ts';
import { createLatency, type LatencyRecorder, noLatency } from './latency.ts';
import { createTally } from './series.ts';
import type { EndpointMetrics } from './snapshot.ts';

/** What all endpoints have in common. */
const createEndpoint = () => {
  const outcomes = createTally();
  const errors = createTally();
  const results = { ok: 0, failed: 0, neutral: 0 };
  const latency = createLatency();
  return {
    add: (event: IntegrationEvent<'call' | 'tool-run' | 'delivery' | 'webhook-received'>, outcome: string) => {
      const { result, error } = resultOf(event) ?? { result: 'neutral', error: undefined };
      results[result] += 1;
      outcomes.add(outcome);
      if (error !== undefined) errors.add(error);
      latency.record(event.durationMs);
    },
    read: (): EndpointMetrics => {
      const { ok, failed, neutral } = results;
      return {
        count: ok + failed + neutral,
        successRate: ok + failed === 0 ? undefined : ok / (ok + failed),
        outcomes: outcomes.read(),
        errors: errors.read(),
        latency: latency.read(),
      };
    },
  };
};

/** For one operation. */
export const createCalls = () => {
  const endpoint = createEndpoint();
  const retries = createTally();
  const waitedMs = createTally();
  const counts = { deadlineMisses: 0, rateLimitPauses: 0, schemaDrifts: 0, versionWarnings: 0 };
  let rateLimitWait: LatencyRecorder | undefined;

  const attempted = (event: IntegrationEvent<'attempt'>) => {
    for (const { reason, ms } of event.waits) {
      waitedMs.add(reason, ms);
      if (reason === 'rate_limit') (rateLimitWait ??= createLatency()).record(ms);
    }
    const why = whyAgain(event);
    if (why !== undefined) retries.add(why);
  };

  return {
    count: (event: IntegrationEvent<'call' | 'attempt' | 'rate-limit' | 'schema-drift' | 'version-warning'>) => {
      switch (event.type) {
        case 'call': {
          endpoint.add(event, event.outcome);
          const { code, reason } = event.error ?? {};
          if (code === 'deadline_exceeded' || reason === 'deadline') counts.deadlineMisses += 1;
          return;
        }
        case 'attempt':
          return attempted(event);
        case 'rate-limit':
          counts.rateLimitPauses += 1;
          return;
        case 'schema-drift':
          counts.schemaDrifts += 1;
          return;
        case 'version-warning':
          counts.versionWarnings += 1;
      }
    },
    read: () => ({
      ...endpoint.read(),
      ...counts,
      retries: retries.read(),
      waitedMs: waitedMs.read(),
      rateLimitWait: rateLimitWait?.read() ?? noLatency,
    }),
  };
};

/** For one tool. */
export const createTools = () => {
  const endpoint = createEndpoint();
  let replayed = 0;
  let saved = 0;
  return {
    count: (event: IntegrationEvent<'tool-run'>) => {
      endpoint.add(event, event.status);
      if (event.replayed) replayed += 1;
      saved += tokensSaved(event);
    },
    read: () => ({ ...endpoint.read(), replayed, tokensSaved: Math.round(saved) }),
  };
};

/** For one event at one receiver. */
export const createWebhooks = () => {
  const endpoint = createEndpoint();
  let slow = 0;
  return {
    count: (event: IntegrationEvent<'webhook-received'>) => {
      endpoint.add(event, event.outcome);
      if (event.isSlow) slow += 1;
    },
    read: () => ({ ...endpoint.read(), slow }),
  };
};

/** For one event and one destination. */
export const createDeliveries = () => {
  const endpoint = createEndpoint();
  const counts = { published: 0, retries: 0, dead: 0 };
  return {
    count: (event: IntegrationEvent<'delivery' | 'message-published' | 'message-dead'>) => {
      if (event.type === 'message-published') counts.published += 1;
      else if (event.type === 'message-dead') counts.dead += 1;
      else {
        endpoint.add(event, event.outcome);
        if (event.attempt > 1 && event.outcome !== 'postponed') counts.retries += 1;
      }
    },
    read: () => ({ ...endpoint.read(), ...counts }),
  };
};

/** For all circuits of one name, one per tenant. */
export const createCircuits = () => {
  // Only tenants whose circuit isn't closed.
  const states = new Map<string | undefined, 'open' | 'half-open'>();
  let opened = 0;
  const inState = (state: string) => [...states.values()].filter((other) => other === state).length;
  return {
    count: ({ tenant, to }: IntegrationEvent<'circuit'>) => {
      if (to === 'closed') states.delete(tenant);
      else if (states.has(tenant) || states.size < maximumCircuits) states.set(tenant, to);
      if (to === 'open') opened += 1;
    },
    read: () => ({ open: inState('open'), halfOpen: inState('half-open'), opened }),
  };
};

/** Some tenants leave while their circuit is open. */
const maximumCircuits = 1_000;

/** For one credential. */
export const createCredentials = () => {
  const counts = { renewals: 0, renewalFailures: 0 };
  return {
    count: ({ type }: IntegrationEvent<'credential-renewed' | 'credential-renewal-failed'>) => {
      counts[type === 'credential-renewed' ? 'renewals' : 'renewalFailures'] += 1;
    },
    read: () => ({ ...counts }),
  };
};
