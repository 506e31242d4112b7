import type { Histogram } from '@opentelemetry/sdk-metrics';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBillingClient } from '../../../src/billing/index.ts';
import type { IntegrationEvent } from '../../../src/observability/events.ts';
import { openTelemetry } from '../../../src/observability/opentelemetry/index.ts';
import { connectPlatform } from '../../support/connected-platform.ts';
import { registerSdk, type RegisteredSdk } from '../../support/open-telemetry.ts';

let sdk: RegisteredSdk;

beforeEach(() => {
  sdk = registerSdk();
});

afterEach(() => sdk[Symbol.asyncDispose]());

/** Attributes and value of each; of a histogram how many were counted. */
const read = async (name: string) =>
  (await sdk.metric(name)).map(({ attributes, value }) => [
    attributes,
    typeof value === 'number' ? value : (value as Histogram).count,
  ]);

const sumOf = async (name: string) => (await sdk.metric(name)).map(({ value }) => (value as Histogram).sum);

test('requests are measured by the name and the labels that OpenTelemetry gives them, calls by their operation', async () => {
  await using connected = await connectPlatform();
  const { platform, clientOptions } = connected;
  platform.billing.addCustomer({ phone: '+14155550100' });
  platform.fault('billing.customers.find', [{ status: 503 }, 'ok']);
  const billing = createBillingClient({ ...clientOptions.billing, onEvent: openTelemetry() });

  await billing.customers.find({ phone: '+14155550100' });

  const { port, hostname } = new URL(clientOptions.billing.baseUrl);
  const target = {
    'http.request.method': 'GET',
    'server.address': hostname,
    'server.port': Number(port),
    'url.scheme': 'http',
  };
  const operation = { 'voice_agent.api': 'billing', 'voice_agent.operation': 'billing.customers.find' };
  expect(await read('http.client.request.duration')).toEqual([
    [{ ...target, 'http.response.status_code': 503, 'error.type': '503' }, 1],
    [{ ...target, 'http.response.status_code': 200 }, 1],
  ]);
  expect(await read('voice_agent.call.duration')).toEqual([
    [{ ...operation, 'voice_agent.outcome': 'ok', 'voice_agent.result': 'ok' }, 1],
  ]);
  expect(await read('voice_agent.attempt.retries')).toEqual([
    [{ ...operation, 'voice_agent.retry.reason': 'backoff' }, 1],
  ]);
  expect(await read('voice_agent.wait.duration')).toEqual([
    [{ ...operation, 'voice_agent.wait.reason': 'backoff' }, 1],
  ]);
});

const at = 1_700_000_000_000;
const call = { at, api: 'crm', operation: 'crm.leads.create', callId: 'CA1', tenant: 'acme' } as const;
const operation = { 'voice_agent.api': 'crm', 'voice_agent.operation': 'crm.leads.create' };
const message = {
  at,
  api: 'outbox',
  destination: 'crm',
  event: 'call.completed',
  version: 1,
  idempotencyKey: 'k',
} as const;
const messageLabels = {
  'messaging.system': 'voice_agent',
  'messaging.destination.name': 'crm',
  'voice_agent.event': 'call.completed',
};

test.each<[what: string, events: readonly IntegrationEvent[], metric: string, expected: readonly unknown[]]>([
  [
    'a call that its deadline ended',
    [
      {
        ...call,
        type: 'call',
        attempts: 1,
        durationMs: 8_000,
        deadlineMs: 8_000,
        outcome: 'unknown',
        error: { code: 'max_retries_exceeded', reason: 'deadline' },
      },
    ],
    'voice_agent.call.deadline_misses',
    [[operation, 1]],
  ],
  [
    'an attempt after a 401',
    [{ ...call, type: 'attempt', attempt: 2, durationMs: 1, waits: [], status: 200 }],
    'voice_agent.attempt.retries',
    [[{ ...operation, 'voice_agent.retry.reason': 'credential' }, 1]],
  ],
  [
    'a tool call',
    [
      {
        ...call,
        type: 'tool-run',
        tool: 'add_note',
        effect: 'write',
        status: 'failed',
        reason: 'client_error',
        replayed: false,
        durationMs: 20,
        resultChars: 40,
      },
    ],
    'voice_agent.tool.duration',
    [
      [
        {
          'gen_ai.tool.name': 'add_note',
          'voice_agent.tool.status': 'failed',
          'voice_agent.result': 'failed',
          'error.type': 'client_error',
        },
        1,
      ],
    ],
  ],
  [
    'what a model did not have to read',
    [
      {
        ...call,
        type: 'tool-run',
        tool: 'add_note',
        effect: 'write',
        status: 'done',
        replayed: false,
        durationMs: 20,
        resultChars: 40,
        fullChars: 340,
      },
    ],
    'voice_agent.tool.tokens_saved',
    [[{ 'gen_ai.tool.name': 'add_note' }, 100]],
  ],
  [
    'a webhook',
    [
      {
        ...call,
        type: 'webhook-received',
        direction: 'in',
        receiver: 'payments',
        outcome: 'refused',
        reason: 'signature_mismatch',
        status: 401,
        durationMs: 3,
        isSlow: false,
      },
    ],
    'voice_agent.webhook.duration',
    [
      [
        {
          'voice_agent.receiver': 'payments',
          'voice_agent.event': 'unknown',
          'voice_agent.outcome': 'refused',
          'voice_agent.result': 'neutral',
          'error.type': 'signature_mismatch',
        },
        1,
      ],
    ],
  ],
  [
    'a message that was stored',
    [{ ...message, type: 'message-published', operation: 'outbox.publish' }],
    'messaging.client.sent.messages',
    [[{ ...messageLabels, 'messaging.operation.name': 'publish' }, 1]],
  ],
  [
    'a delivery',
    [
      {
        ...message,
        type: 'delivery',
        operation: 'outbox.crm',
        direction: 'out',
        attempt: 1,
        durationMs: 12,
        outcome: 'retry',
        reason: 'timeout',
        body: {},
      },
    ],
    'messaging.process.duration',
    [
      [
        {
          ...messageLabels,
          'messaging.operation.name': 'deliver',
          'voice_agent.outcome': 'retry',
          'voice_agent.result': 'failed',
          'error.type': 'timeout',
        },
        1,
      ],
    ],
  ],
  [
    'a dead letter',
    [{ ...message, type: 'message-dead', operation: 'outbox.crm', attempts: 6, reason: 'client_error' }],
    'voice_agent.message.dead',
    [[messageLabels, 1]],
  ],
  [
    'a pause after a 429',
    [{ ...call, type: 'rate-limit', state: 'paused', pausedForMs: 1_000 }],
    'voice_agent.rate_limit.pauses',
    [[operation, 1]],
  ],
  [
    'an answer that was not as typed',
    [{ ...call, type: 'schema-drift', fields: ['email'] }],
    'voice_agent.schema_drifts',
    [[operation, 1]],
  ],
  [
    'a warning about the version',
    [{ ...call, type: 'version-warning', pinned: '60.0', sunset: 'soon' }],
    'voice_agent.version_warnings',
    [[operation, 1]],
  ],
  [
    'credentials that were fetched, or not',
    [
      { ...call, type: 'credential-renewed', credential: 'oauth', because: 'absent', durationMs: 5 },
      {
        ...call,
        type: 'credential-renewal-failed',
        credential: 'oauth',
        because: 'absent',
        durationMs: 5,
        reason: 'network',
      },
    ],
    'voice_agent.credential.renewals',
    ['ok', 'failed'].map((result) => [
      { 'voice_agent.api': 'crm', 'voice_agent.credential': 'oauth', 'voice_agent.result': result },
      1,
    ]),
  ],
  [
    'circuits that are not closed, by their state',
    [
      { ...call, type: 'circuit', operation: 'crm', from: 'closed', to: 'open' },
      { ...call, type: 'circuit', operation: 'crm', from: 'open', to: 'half-open' },
      { ...call, type: 'circuit', operation: 'billing', from: 'closed', to: 'open' },
    ],
    'voice_agent.circuit.count',
    [
      [{ 'voice_agent.circuit': 'crm', 'voice_agent.circuit.state': 'open' }, 0],
      [{ 'voice_agent.circuit': 'crm', 'voice_agent.circuit.state': 'half-open' }, 1],
      [{ 'voice_agent.circuit': 'billing', 'voice_agent.circuit.state': 'open' }, 1],
    ],
  ],
  [
    'circuits that opened',
    [
      { ...call, type: 'circuit', operation: 'crm', from: 'closed', to: 'open' },
      { ...call, type: 'circuit', operation: 'crm', from: 'open', to: 'half-open' },
      { ...call, type: 'circuit', operation: 'crm', from: 'half-open', to: 'open' },
    ],
    'voice_agent.circuit.opened',
    [[{ 'voice_agent.circuit': 'crm' }, 2]],
  ],
])('%s is counted', async (_what, events, metric, expected) => {
  const tracer = openTelemetry();

  for (const event of events) tracer.onEvent(event);

  expect(await read(metric)).toEqual(expected);
});

test('times are in seconds', async () => {
  const tracer = openTelemetry();

  tracer.onEvent({
    ...call,
    type: 'attempt',
    attempt: 2,
    durationMs: 20,
    waits: [{ reason: 'rate_limit', ms: 250 }],
  });

  expect(await sumOf('voice_agent.wait.duration')).toEqual([0.25]);
});

test('the time of a request is that on the wire, and one that never left is none', async () => {
  const tracer = openTelemetry();
  const start = {
    type: 'attempt',
    operation: call.operation,
    attempt: 1,
    method: 'POST',
    url: 'https://api.example/x',
  } as const;
  const attempt = { ...call, type: 'attempt', attempt: 1 } as const;

  tracer
    .startSpan(start)
    ?.end({ ...attempt, durationMs: 1_500, waits: [{ reason: 'rate_limit', ms: 1_000 }], status: 201 });
  tracer.startSpan(start)?.end({ ...attempt, durationMs: 1, waits: [], error: { code: 'circuit_open' } });

  expect(await read('http.client.request.duration')).toEqual([
    [
      {
        'http.request.method': 'POST',
        'server.address': 'api.example',
        'server.port': 443,
        'url.scheme': 'https',
        'http.response.status_code': 201,
      },
      1,
    ],
  ]);
  expect(await sumOf('http.client.request.duration')).toEqual([0.5]);
});

test.each(['a list', 'a function'])(
  'what waits in the outboxes, %s, is read when the metrics are, as far as it can be read',
  async (given) => {
    const counts = {
      ready: 3,
      delayed: 2,
      leased: 1,
      dead: 4,
      oldestAgeMs: 1_500,
      oldestDeadAgeMs: 0,
      isDisabled: true,
    };
    const outboxes = [
      { status: async () => ({ crm: counts }) },
      { status: () => Promise.reject(new Error('away')) },
      { status: async () => ({ crm: { ...counts, dead: 1, oldestAgeMs: 0, isDisabled: false } }) },
    ];
    openTelemetry({ outboxes: given === 'a list' ? outboxes : () => outboxes });

    const destination = { 'messaging.destination.name': 'crm' };
    expect(await read('voice_agent.outbox.messages')).toEqual([
      [{ ...destination, 'voice_agent.message.state': 'ready' }, 6],
      [{ ...destination, 'voice_agent.message.state': 'delayed' }, 4],
      [{ ...destination, 'voice_agent.message.state': 'leased' }, 2],
    ]);
    expect(await read('voice_agent.outbox.dead_letters')).toEqual([[destination, 5]]);
    expect(await read('voice_agent.outbox.oldest_age')).toEqual([[destination, 1.5]]);
    expect(await read('voice_agent.outbox.disabled')).toEqual([[destination, 1]]);
  },
);
