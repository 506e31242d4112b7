import process from 'node:process';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallEvent, IntegrationEvent } from '../../../src/observability/events.ts';
import { createMetrics, type MetricsOptions } from '../../../src/observability/metrics/create-metrics.ts';
import { bucketsMs } from '../../../src/observability/metrics/latency.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const at = 1_763_712_000_000;
const call: CallEvent = {
  type: 'call',
  at,
  api: 'billing',
  operation: 'billing.payments.create',
  attempts: 1,
  durationMs: 34,
  deadlineMs: 8_000,
  outcome: 'ok',
};
const attempt = { ...call, type: 'attempt', attempt: 1, waits: [] } as const;

const counted = async (events: readonly IntegrationEvent[], options: MetricsOptions = {}) => {
  createVirtualClock({ wallNow: at });
  const metrics = createMetrics(options);
  for (const event of events) metrics.onEvent(event);
  return metrics.snapshot();
};

const latencyOf = (...timesMs: readonly number[]) => ({
  count: timesMs.length,
  sumMs: timesMs.reduce((sum, ms) => sum + ms, 0),
  p50Ms: undefined,
  p95Ms: undefined,
  p99Ms: undefined,
  buckets: bucketsMs.map((upToMs) => ({ upToMs, count: timesMs.filter((ms) => ms <= upToMs).length })),
});

test('before anything happens everything is empty', async () => {
  expect(await counted([])).toEqual({
    since: at,
    at,
    calls: [],
    tools: [],
    webhooks: [],
    deliveries: [],
    destinations: [],
    circuits: [],
    credentials: [],
  });
});

test('percentiles are those of the latencies, to two digits', async () => {
  const events = Array.from({ length: 1_000 }, (_, index) => ({ ...call, durationMs: index + 1 }));
  const [{ latency } = { latency: latencyOf() }] = (await counted(events)).calls;

  expect(latency.count).toBe(1_000);
  for (const [got, exact] of [
    [latency.p50Ms, 500],
    [latency.p95Ms, 950],
    [latency.p99Ms, 990],
  ] as const)
    expect(Math.abs((got ?? 0) - exact) / exact).toBeLessThan(0.01);
  expect(latency.buckets).toEqual(latencyOf(...events.map(({ durationMs }) => durationMs)).buckets);
});

test.each([
  ['nothing', 0, 0.001],
  ['longer than an hour', 7_200_000, 3_600_000],
])('%s is a latency too', async (_what, durationMs, p50Ms) => {
  const [one] = (await counted([{ ...call, durationMs }])).calls;

  expect((one?.latency.p50Ms ?? 0) / p50Ms).toBeCloseTo(1, 1);
});

test('calls are counted per operation: outcomes, errors by type, retries, waits and what was missed', async () => {
  const waits = (reason: 'backoff' | 'retry_after' | 'rate_limit', ms: number) => ({ reason, ms });
  const { calls } = await counted([
    call,
    call,
    { ...call, outcome: 'rejected', error: { code: 'client_error', status: 404 } },
    { ...call, outcome: 'unknown', error: { code: 'max_retries_exceeded', reason: 'deadline' } },
    { ...call, outcome: 'not_sent', error: { code: 'deadline_exceeded' } },
    { ...call, outcome: 'unknown', error: { code: 'aborted' } },
    attempt,
    { ...attempt, attempt: 2, waits: [waits('backoff', 100), waits('rate_limit', 30)] },
    { ...attempt, attempt: 3, waits: [waits('retry_after', 1_000)] },
    { ...attempt, attempt: 2 },
    { ...attempt, attempt: 2, waits: [waits('backoff', 50)], error: { code: 'circuit_open' } },
    { ...call, type: 'rate-limit', state: 'paused', pausedForMs: 1_000 },
    { ...call, type: 'schema-drift', fields: ['a'] },
    { ...call, type: 'version-warning', pinned: '1' },
  ]);

  expect(calls).toEqual([
    {
      api: 'billing',
      operation: 'billing.payments.create',
      count: 6,
      successRate: 2 / 5,
      outcomes: { ok: 2, rejected: 1, unknown: 2, not_sent: 1 },
      errors: { client_error: 1, 'max_retries_exceeded/deadline': 1, deadline_exceeded: 1, aborted: 1 },
      latency: expect.objectContaining({ count: 6, sumMs: 204 }),
      retries: { backoff: 1, retry_after: 1, credential: 1 },
      deadlineMisses: 2,
      waitedMs: { backoff: 150, rate_limit: 30, retry_after: 1_000 },
      rateLimitWait: expect.objectContaining({ count: 1, sumMs: 30 }),
      rateLimitPauses: 1,
      schemaDrifts: 1,
      versionWarnings: 1,
    },
  ]);
});

test('tool calls tell how many tokens the model did not have to read', async () => {
  const run = {
    ...call,
    type: 'tool-run',
    operation: 'tools.lookup',
    tool: 'lookup',
    effect: 'read',
    status: 'done',
    replayed: false,
    resultChars: 100,
    fullChars: 400,
  } as const;
  const { tools } = await counted([
    run,
    { ...run, replayed: true, fullChars: 50 },
    { ...run, status: 'refused', reason: 'invalid_arguments' },
    { ...run, status: 'failed', reason: 'max_retries_exceeded' },
  ]);

  expect(tools).toEqual([
    {
      tool: 'lookup',
      count: 4,
      successRate: 2 / 3,
      outcomes: { done: 2, refused: 1, failed: 1 },
      errors: { invalid_arguments: 1, max_retries_exceeded: 1 },
      latency: expect.objectContaining({ count: 4 }),
      replayed: 1,
      tokensSaved: 300,
    },
  ]);
});

test('webhooks and deliveries are counted per endpoint and event type', async () => {
  const webhook = {
    ...call,
    api: 'webhooks',
    type: 'webhook-received',
    direction: 'in',
    receiver: 'billing',
    event: 'payment.confirmed',
    outcome: 'handled',
    isSlow: false,
  } as const;
  const { event: _event, ...unnamed } = webhook;
  const message = {
    ...call,
    api: 'outbox',
    destination: 'crm',
    event: 'call.completed',
    version: 1,
    idempotencyKey: 'k',
  };
  const sent = { ...message, type: 'delivery', direction: 'out', body: {}, attempt: 1 } as const;
  const { webhooks, deliveries } = await counted([
    { ...webhook, isSlow: true },
    { ...webhook, outcome: 'replayed' },
    { ...webhook, outcome: 'failed', status: 500, error: { code: 'internal_error' } },
    { ...unnamed, outcome: 'refused', status: 401, reason: 'signature_mismatch' },
    { ...message, type: 'message-published' },
    { ...sent, outcome: 'retry', reason: 'server_error' },
    { ...sent, attempt: 2, outcome: 'postponed', reason: 'circuit_open' },
    { ...sent, attempt: 2, outcome: 'delivered' },
    { ...sent, attempt: 1, outcome: 'dead', reason: 'client_error' },
    { ...message, type: 'message-dead', attempts: 1, reason: 'client_error' },
  ]);

  expect(webhooks).toEqual([
    {
      receiver: 'billing',
      event: 'payment.confirmed',
      count: 3,
      successRate: 2 / 3,
      outcomes: { handled: 1, replayed: 1, failed: 1 },
      errors: { internal_error: 1 },
      latency: expect.objectContaining({ count: 3 }),
      slow: 1,
    },
    {
      receiver: 'billing',
      event: 'unknown',
      count: 1,
      successRate: undefined,
      outcomes: { refused: 1 },
      errors: { signature_mismatch: 1 },
      latency: expect.objectContaining({ count: 1 }),
      slow: 0,
    },
  ]);
  expect(deliveries).toEqual([
    {
      destination: 'crm',
      event: 'call.completed',
      count: 4,
      successRate: 1 / 3,
      outcomes: { retry: 1, postponed: 1, delivered: 1, dead: 1 },
      errors: { server_error: 1, circuit_open: 1, client_error: 1 },
      latency: expect.objectContaining({ count: 4 }),
      published: 1,
      retries: 1,
      dead: 1,
    },
  ]);
});

test('circuits are counted by their state now, one per tenant, and credentials by their renewals', async () => {
  const circuit = { ...call, operation: 'billing', type: 'circuit' } as const;
  const renewed = { ...call, type: 'credential-renewed', credential: 'oauth', because: 'absent' } as const;
  const { circuits, credentials } = await counted([
    { ...circuit, tenant: 'a', from: 'closed', to: 'open' },
    { ...circuit, tenant: 'b', from: 'closed', to: 'open' },
    { ...circuit, tenant: 'c', from: 'closed', to: 'open' },
    { ...circuit, tenant: 'b', from: 'open', to: 'half-open' },
    { ...circuit, tenant: 'c', from: 'half-open', to: 'closed' },
    renewed,
    { ...renewed, type: 'credential-renewal-failed', reason: 'invalid_grant' },
  ]);

  expect(circuits).toEqual([{ circuit: 'billing', open: 1, halfOpen: 1, opened: 3 }]);
  expect(credentials).toEqual([{ api: 'billing', credential: 'oauth', renewals: 1, renewalFailures: 1 }]);
});

test('dead letters are read from the outboxes when the metrics are', async () => {
  const counts = {
    ready: 1,
    delayed: 2,
    leased: 0,
    dead: 3,
    oldestAgeMs: 1_000,
    oldestDeadAgeMs: 2_000,
    isDisabled: false,
  };
  const outboxes = [{ status: async () => ({ crm: counts }) }, { status: async () => ({ erp: counts }) }];

  expect((await counted([], { outboxes })).destinations).toEqual([
    { destination: 'crm', ...counts },
    { destination: 'erp', ...counts },
  ]);
});

test('the destinations of one name in several outboxes, such as one per tenant, are counted together', async () => {
  const counts = {
    ready: 1,
    delayed: 2,
    leased: 3,
    dead: 4,
    oldestAgeMs: 1_000,
    oldestDeadAgeMs: 9_000,
    isDisabled: false,
  };
  const others = { ...counts, oldestAgeMs: 5_000, oldestDeadAgeMs: 0, isDisabled: true };
  const outboxes = [counts, others].map((crm) => ({ status: async () => ({ crm }) }));

  // Prometheus refuses a text that names one series twice.
  expect((await counted([], { outboxes })).destinations).toEqual([
    {
      destination: 'crm',
      ready: 2,
      delayed: 4,
      leased: 6,
      dead: 8,
      oldestAgeMs: 5_000,
      oldestDeadAgeMs: 9_000,
      isDisabled: true,
    },
  ]);
});

describe('what comes from outside cannot fill the memory', () => {
  test('further endpoints are counted as other', async () => {
    const events = Array.from({ length: 50 }, (_, index) => ({ ...call, operation: `custom.${index}` }));
    const { calls } = await counted(events, { maximumEndpoints: 3 });

    expect(calls.map(({ operation, count }) => [operation, count])).toEqual([
      ['custom.0', 1],
      ['custom.1', 1],
      ['custom.2', 1],
      ['other', 47],
    ]);
  });

  test('further types of error are counted as other', async () => {
    const events = Array.from({ length: 60 }, (_, index) => ({ ...call, error: { code: `code_${index}` } }));
    const [one] = (await counted(events)).calls;
    const errors = one?.errors ?? {};

    expect([Object.keys(errors).length, errors['other']]).toEqual([51, 10]);
  });

  test('a tenant is no label unless it is asked for', async () => {
    const events = ['a', 'b', 'a'].map((tenant) => ({ ...call, tenant }));
    const tenantsOf = async (options: MetricsOptions) =>
      (await counted(events, options)).calls.map(({ tenant, count }) => [tenant, count]);

    expect(await tenantsOf({})).toEqual([[undefined, 3]]);
    expect(await tenantsOf({ perTenant: true })).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
  });
});

test('metrics for no endpoint at all are refused', () => {
  expect(() => createMetrics({ maximumEndpoints: 0 })).toThrow('maximumEndpoints');
});

describe('a runtime without histograms is named at once', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.each<[string, unknown]>([
    ['there is no such module', undefined],
    [
      'the module has a function that is not implemented',
      {
        createHistogram: () => {
          throw new Error('not implemented');
        },
      },
    ],
  ])('%s', (_name, module) => {
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(module as never);

    expect(() => createMetrics()).toThrow('such as Node');
  });
});
