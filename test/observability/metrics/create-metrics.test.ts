import process from 'node:process';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallEvent, IntegrationEvent } from '../../../src/observability/events.ts';
import {
  createMetrics,
  type MetricsOptions,
  type MetricsSnapshot,
} from '../../../src/observability/metrics/create-metrics.ts';
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

/** The samples of some metrics, as `name{words}`; those of `labels` only. */
const valuesOf = ({ metrics }: MetricsSnapshot, labels: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    metrics.flatMap(({ name, samples }) =>
      samples
        .filter((sample) => Object.entries(labels).every(([label, text]) => sample.labels[label] === text))
        .map((sample) => {
          const words = Object.entries(sample.labels).flatMap(([label, text]) => (label in labels ? [] : [text]));
          return [words.length > 0 ? `${name}{${words}}` : name, sample.value];
        }),
    ),
  );

test('before anything happens everything is empty', async () => {
  const { metrics, ...rest } = await counted([]);

  expect(rest).toEqual({ since: at, at, endpoints: [] });
  expect(metrics.length).toBeGreaterThan(25);
  expect(metrics.flatMap(({ samples }) => samples)).toEqual([]);
});

test('the name of a metric is in one list only', async () => {
  const names = (await counted([])).metrics.map(({ name }) => name);

  expect(names).toEqual([...new Set(names)]);
});

test('percentiles are those of the latencies, to two digits', async () => {
  const events = Array.from({ length: 1_000 }, (_, index) => ({ ...call, durationMs: index + 1 }));
  const [{ latency } = { latency: latencyOf() }] = (await counted(events)).endpoints;

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
  const [one] = (await counted([{ ...call, durationMs }])).endpoints;

  expect((one?.latency.p50Ms ?? 0) / p50Ms).toBeCloseTo(1, 1);
});

test('calls are counted per operation: outcomes, errors by type, retries, waits and what was missed', async () => {
  const waits = (reason: 'backoff' | 'retry_after' | 'rate_limit', ms: number) => ({ reason, ms });
  const snapshot = await counted([
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

  const labels = { api: 'billing', operation: 'billing.payments.create' };
  expect(snapshot.endpoints).toEqual([
    {
      kind: 'call',
      labels,
      count: 6,
      successRate: 2 / 5,
      outcomes: { ok: 2, rejected: 1, unknown: 2, not_sent: 1 },
      errors: { client_error: 1, 'max_retries_exceeded/deadline': 1, deadline_exceeded: 1, aborted: 1 },
      latency: expect.objectContaining({ count: 6, sumMs: 204 }),
    },
  ]);
  expect(valuesOf(snapshot, labels)).toEqual({
    call_duration_seconds: 6,
    'calls_total{ok}': 2,
    'calls_total{rejected}': 1,
    'calls_total{unknown}': 2,
    'calls_total{not_sent}': 1,
    'call_errors_total{client_error}': 1,
    'call_errors_total{max_retries_exceeded/deadline}': 1,
    'call_errors_total{deadline_exceeded}': 1,
    'call_errors_total{aborted}': 1,
    'retries_total{backoff}': 1,
    'retries_total{retry_after}': 1,
    'retries_total{credential}': 1,
    deadline_misses_total: 2,
    'wait_seconds_total{backoff}': 0.15,
    'wait_seconds_total{rate_limit}': 0.03,
    'wait_seconds_total{retry_after}': 1,
    rate_limit_wait_seconds: 1,
    rate_limit_pauses_total: 1,
    schema_drifts_total: 1,
    version_warnings_total: 1,
  });
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
    // Not a multiple of a token: they are counted whole.
    fullChars: 401,
  } as const;
  const snapshot = await counted([
    run,
    { ...run, replayed: true, fullChars: 50 },
    { ...run, status: 'refused', reason: 'invalid_arguments' },
    { ...run, status: 'failed', reason: 'max_retries_exceeded' },
  ]);

  expect(snapshot.endpoints).toEqual([
    {
      kind: 'tool',
      labels: { tool: 'lookup' },
      count: 4,
      successRate: 2 / 3,
      outcomes: { done: 2, refused: 1, failed: 1 },
      errors: { invalid_arguments: 1, max_retries_exceeded: 1 },
      latency: expect.objectContaining({ count: 4 }),
    },
  ]);
  expect(valuesOf(snapshot, { tool: 'lookup' })).toMatchObject({ tool_replays_total: 1, tool_tokens_saved_total: 300 });
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
  const snapshot = await counted([
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

  const confirmed = { receiver: 'billing', event: 'payment.confirmed' };
  const completed = { destination: 'crm', event: 'call.completed' };
  expect(snapshot.endpoints).toEqual([
    {
      kind: 'webhook',
      labels: confirmed,
      count: 3,
      successRate: 2 / 3,
      outcomes: { handled: 1, replayed: 1, failed: 1 },
      errors: { internal_error: 1 },
      latency: expect.objectContaining({ count: 3 }),
    },
    {
      kind: 'webhook',
      labels: { receiver: 'billing', event: 'unknown' },
      count: 1,
      successRate: undefined,
      outcomes: { refused: 1 },
      errors: { signature_mismatch: 1 },
      latency: expect.objectContaining({ count: 1 }),
    },
    {
      kind: 'delivery',
      labels: completed,
      count: 4,
      successRate: 1 / 3,
      outcomes: { retry: 1, postponed: 1, delivered: 1, dead: 1 },
      errors: { server_error: 1, circuit_open: 1, client_error: 1 },
      latency: expect.objectContaining({ count: 4 }),
    },
  ]);
  expect(valuesOf(snapshot, confirmed)).toMatchObject({ 'webhooks_total{handled}': 1, webhooks_slow_total: 1 });
  expect(valuesOf(snapshot, { event: 'unknown' })).toMatchObject({ 'webhooks_slow_total{billing}': 0 });
  expect(valuesOf(snapshot, completed)).toMatchObject({
    messages_published_total: 1,
    delivery_retries_total: 1,
    messages_dead_total: 1,
  });
});

test('circuits are counted by their state now, one per tenant, and credentials by their renewals', async () => {
  const circuit = { ...call, operation: 'billing', type: 'circuit' } as const;
  const renewed = { ...call, type: 'credential-renewed', credential: 'oauth', because: 'absent' } as const;
  const snapshot = await counted([
    { ...circuit, tenant: 'a', from: 'closed', to: 'open' },
    { ...circuit, tenant: 'b', from: 'closed', to: 'open' },
    { ...circuit, tenant: 'c', from: 'closed', to: 'open' },
    { ...circuit, tenant: 'b', from: 'open', to: 'half-open' },
    { ...circuit, tenant: 'c', from: 'half-open', to: 'closed' },
    renewed,
    { ...renewed, type: 'credential-renewal-failed', reason: 'invalid_grant' },
  ]);

  expect(valuesOf(snapshot, { circuit: 'billing' })).toEqual({
    'circuits{open}': 1,
    'circuits{half-open}': 1,
    circuit_opened_total: 3,
  });
  expect(valuesOf(snapshot, { api: 'billing', credential: 'oauth' })).toEqual({
    credential_renewals_total: 1,
    credential_renewal_failures_total: 1,
  });
});

test('a circuit that was open before the metrics were made is never below zero', async () => {
  const circuit = { ...call, operation: 'billing', type: 'circuit' } as const;
  const snapshot = await counted([
    { ...circuit, from: 'open', to: 'half-open' },
    { ...circuit, from: 'half-open', to: 'closed' },
    { ...circuit, tenant: 'a', from: 'half-open', to: 'closed' },
  ]);

  expect(valuesOf(snapshot, { circuit: 'billing' })).toMatchObject({ 'circuits{open}': 0, 'circuits{half-open}': 0 });
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

  const snapshot = await counted([], { outboxes });
  for (const destination of ['crm', 'erp'])
    expect(valuesOf(snapshot, { destination })).toEqual({
      'outbox_messages{ready}': 1,
      'outbox_messages{delayed}': 2,
      'outbox_messages{leased}': 0,
      dead_letters: 3,
      outbox_oldest_age_seconds: 1,
      destination_disabled: 0,
    });
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
  expect(valuesOf(await counted([], { outboxes }), { destination: 'crm' })).toEqual({
    'outbox_messages{ready}': 2,
    'outbox_messages{delayed}': 4,
    'outbox_messages{leased}': 6,
    dead_letters: 8,
    outbox_oldest_age_seconds: 5,
    destination_disabled: 1,
  });
});

describe('what comes from outside cannot fill the memory', () => {
  test('further endpoints are counted as other', async () => {
    const events = Array.from({ length: 50 }, (_, index) => ({ ...call, operation: `custom.${index}` }));
    const { endpoints } = await counted(events, { maximumEndpoints: 3 });

    expect(endpoints.map(({ labels, count }) => [labels['operation'], count])).toEqual([
      ['custom.0', 1],
      ['custom.1', 1],
      ['custom.2', 1],
      ['other', 47],
    ]);
  });

  test('further types of error are counted as other', async () => {
    const events = Array.from({ length: 60 }, (_, index) => ({ ...call, error: { code: `code_${index}` } }));
    const [one] = (await counted(events)).endpoints;
    const errors = one?.errors ?? {};

    expect([Object.keys(errors).length, errors['other']]).toEqual([51, 10]);
  });

  test('a tenant is no label unless it is asked for', async () => {
    const events = ['a', 'b', 'a'].map((tenant) => ({ ...call, tenant }));
    const tenantsOf = async (options: MetricsOptions) =>
      (await counted(events, options)).endpoints.map(({ labels, count }) => [labels['tenant'], count]);

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
