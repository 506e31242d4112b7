import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { type LogOptions, logTo } from '../../src/observability/log-to.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';
import { connect, createContact, getContact } from '../support/connect.ts';
import { delivery, makeReceiver, payment } from '../webhooks/receiver-parts.ts';

const at = Date.UTC(2026, 10, 21, 10);
const base = { at, api: 'billing', operation: 'billing.payments.create' } as const;
const call = { ...base, type: 'call', attempts: 1, durationMs: 34.4, deadlineMs: 8_000 } as const;

const logged = (events: readonly IntegrationEvent[], options?: LogOptions) => {
  const lines: { level: string; fields: object; message: string }[] = [];
  const write = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message });
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const listen = logTo(logger, options);
  for (const event of events) listen(event);
  return lines;
};

test('an event is one line: its fields with a time stamp, and a sentence', () => {
  expect(
    logged([{ ...call, outcome: 'ok', status: 200, body: { amount: 40 }, callId: 'CA1', tenant: 'acct_1' }]),
  ).toEqual([
    {
      level: 'info',
      fields: {
        timestamp: '2026-11-21T10:00:00.000Z',
        type: 'call',
        direction: 'out',
        destination: 'billing',
        eventType: 'billing.payments.create',
        body: { amount: 40 },
        responseStatus: 200,
        responseTimeMs: 34.4,
        error: undefined,
        api: 'billing',
        operation: 'billing.payments.create',
        attempts: 1,
        deadlineMs: 8_000,
        outcome: 'ok',
        callId: 'CA1',
        tenant: 'acct_1',
      },
      message: 'billing.payments.create: ok after 34 ms',
    },
  ]);
});

test.each<[what: string, event: IntegrationEvent, line: string]>([
  [
    'a refused call',
    { ...call, outcome: 'rejected', error: { code: 'client_error', status: 404 } },
    'warn billing.payments.create: client_error after 34 ms',
  ],
  [
    'a write that may have been done',
    { ...call, idempotencyKey: 'k1', outcome: 'unknown', error: { code: 'max_retries_exceeded', reason: 'timeout' } },
    'error billing.payments.create: max_retries_exceeded (timeout) after 34 ms',
  ],
  [
    'a write without a key that may have been done',
    { ...call, outcome: 'unknown', unsafe: true, error: { code: 'max_retries_exceeded', reason: 'timeout' } },
    'error billing.payments.create: max_retries_exceeded (timeout) after 34 ms',
  ],
  [
    'a read without an answer',
    { ...call, outcome: 'unknown', error: { code: 'max_retries_exceeded', reason: 'timeout' } },
    'warn billing.payments.create: max_retries_exceeded (timeout) after 34 ms',
  ],
  [
    'a caller who hung up',
    { ...call, outcome: 'unknown', error: { code: 'aborted' } },
    'info billing.payments.create: aborted after 34 ms',
  ],
  [
    'an attempt',
    { ...base, type: 'attempt', attempt: 1, durationMs: 3, status: 200, waits: [] },
    'debug billing.payments.create, attempt 1: 200 after 3 ms',
  ],
  [
    'an attempt that failed',
    {
      ...base,
      type: 'attempt',
      attempt: 2,
      durationMs: 3,
      waits: [],
      error: { code: 'attempt_failed', reason: 'network' },
    },
    'warn billing.payments.create, attempt 2: attempt_failed (network) after 3 ms',
  ],
  [
    'a circuit that opened',
    { ...base, operation: 'billing', type: 'circuit', from: 'closed', to: 'open' },
    'error billing: the circuit went from closed to open',
  ],
  [
    'a circuit that closed',
    { ...base, operation: 'billing', type: 'circuit', from: 'half-open', to: 'closed' },
    'info billing: the circuit went from half-open to closed',
  ],
  [
    'a pause',
    { ...base, type: 'rate-limit', state: 'paused', pausedForMs: 2_000 },
    'warn billing.payments.create: all calls pause for 2000 ms (Retry-After)',
  ],
  [
    'a version',
    { ...base, type: 'version-warning', pinned: '1' },
    'warn billing.payments.create: the pinned version 1 is not what the API will go on with',
  ],
  ['a drift', { ...base, type: 'schema-drift', fields: ['a', 'b'] }, 'warn billing.payments.create: left out a, b'],
  [
    'a late end',
    { ...base, type: 'settled-late', outcome: 'ok' },
    'info billing.payments.create: settled after its caller had gone: ok',
  ],
  [
    'a use of a credential',
    { ...base, type: 'credential-used', credential: 'bearer', attempt: 1, state: 'first' },
    'debug billing.payments.create: used bearer, first',
  ],
  [
    'a renewal',
    { ...base, type: 'credential-renewed', credential: 'oauth', because: 'expiring', durationMs: 5 },
    'debug billing.payments.create: renewed oauth',
  ],
  [
    'a renewal that failed',
    {
      ...base,
      type: 'credential-renewal-failed',
      credential: 'oauth',
      because: 'rejected',
      durationMs: 5,
      reason: 'invalid_grant',
    },
    'error billing.payments.create: could not renew oauth: invalid_grant',
  ],
  [
    'a tool call',
    {
      ...base,
      operation: 'tools.create_payment',
      type: 'tool-run',
      tool: 'create_payment',
      effect: 'payment',
      status: 'unknown',
      replayed: false,
      durationMs: 5,
      resultChars: 10,
    },
    'error tools.create_payment: unknown after 5 ms',
  ],
  [
    'a message',
    {
      ...base,
      type: 'message-published',
      destination: 'crm',
      event: 'call.completed',
      version: 1,
      idempotencyKey: 'k',
    },
    'debug crm: call.completed stored',
  ],
  [
    'a dead letter',
    {
      ...base,
      type: 'message-dead',
      destination: 'crm',
      event: 'call.completed',
      version: 1,
      idempotencyKey: 'k',
      attempts: 6,
      reason: 'attempts_exhausted',
    },
    'error crm: call.completed is a dead letter: attempts_exhausted',
  ],
  [
    'a disabled destination',
    { ...base, type: 'destination-disabled', destination: 'crm', reason: 'gone' },
    'error crm: disabled: gone',
  ],
])('%s is said in a sentence at its level', (_what, event, line) => {
  expect(logged([event]).map(({ level, message }) => `${level} ${message}`)).toEqual([line]);
});

test('a level can be another one, or none', () => {
  const events: IntegrationEvent[] = [
    { ...call, outcome: 'ok' },
    { ...base, type: 'schema-drift', fields: ['a'] },
  ];

  expect(logged(events, { levels: { call: 'debug', 'schema-drift': 'silent' } }).map(({ level }) => level)).toEqual([
    'debug',
  ]);
});

test('a webhook that came in has all that the interface document asks for', async () => {
  const lines: unknown[] = [];
  const logger = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const { receive } = makeReceiver({ onEvent: logTo(logger), callId: () => 'CA1', eventId: () => 'evt_1' });
  await receive(delivery(payment({ id: 'evt_1', note: 'call ann' })));
  await receive(delivery(payment(), { secret: 'another-secret' }));

  expect(lines).toEqual([
    {
      level: 30,
      timestamp: '2026-01-01T00:00:00.000Z',
      type: 'webhook-received',
      api: 'webhooks',
      operation: 'webhooks.receive',
      direction: 'in',
      receiver: 'webhooks',
      outcome: 'handled',
      isSlow: false,
      callId: 'CA1',
      eventId: 'evt_1',
      body: { type: 'payment.confirmed', payment_id: 'pay_1', id: 'evt_1', note: '[text]' },
      eventType: 'payment.confirmed',
      responseStatus: 204,
      responseTimeMs: 0,
      msg: 'webhooks: payment.confirmed handled after 0 ms',
    },
    {
      level: 40,
      timestamp: '2026-01-01T00:00:00.000Z',
      type: 'webhook-received',
      api: 'webhooks',
      operation: 'webhooks.receive',
      direction: 'in',
      receiver: 'webhooks',
      outcome: 'refused',
      isSlow: false,
      reason: 'signature_mismatch',
      responseStatus: 401,
      responseTimeMs: 0,
      error: { code: 'signature_mismatch' },
      msg: 'webhooks: a webhook refused after 0 ms',
    },
  ]);
});

test('a delivery that went out has all that the interface document asks for', () => {
  const event: IntegrationEvent = {
    ...base,
    api: 'outbox',
    operation: 'outbox.crm',
    type: 'delivery',
    direction: 'out',
    destination: 'crm',
    event: 'call.completed',
    version: 1,
    idempotencyKey: 'CA1:completed',
    attempt: 1,
    durationMs: 12,
    outcome: 'retry',
    status: 503,
    reason: 'server_error',
    retryInMs: 1_000,
    body: { type: 'call.completed' },
  };

  expect(logged([event])).toEqual([
    {
      level: 'warn',
      fields: {
        timestamp: '2026-11-21T10:00:00.000Z',
        api: 'outbox',
        operation: 'outbox.crm',
        type: 'delivery',
        direction: 'out',
        destination: 'crm',
        version: 1,
        idempotencyKey: 'CA1:completed',
        attempt: 1,
        outcome: 'retry',
        reason: 'server_error',
        retryInMs: 1_000,
        body: { type: 'call.completed' },
        eventType: 'call.completed',
        responseStatus: 503,
        responseTimeMs: 12,
        error: { code: 'server_error' },
      },
      message: 'crm: call.completed, attempt 1: retry after 12 ms',
    },
  ]);
});

test('several listeners hear the same event, and one that throws is not missed', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const received: string[][] = [[], []];
  const listeners = received.map((types) => (event: IntegrationEvent) => void types.push(event.type));
  const broken = () => {
    throw new Error('a listener of the application');
  };
  const { client } = connect(server, { onEvent: [broken, ...listeners] });
  await client.request(getContact);

  expect(received).toEqual([0, 1].map(() => ['credential-used', 'attempt', 'call']));
});

test('a call of an API over a socket has all that a log line of it must have', async () => {
  await using server = await startFaultServer(answer({ status: 422, body: '{"error":"no"}' }));
  const lines: object[] = [];
  const write = (fields: object) => void lines.push(fields);
  const onEvent = logTo({ debug: () => {}, info: write, warn: write, error: write }, { levels: { attempt: 'silent' } });
  const { client } = connect(server, { onEvent });
  await client.request(createContact).catch(() => {});
  expect(lines).toEqual([
    expect.objectContaining({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      direction: 'out',
      destination: 'messaging',
      eventType: 'messaging.contacts.create',
      // Texts are left out of logs.
      body: { email: '[text]', phone: '[text]' },
      responseStatus: 422,
      responseTimeMs: expect.any(Number),
      error: { code: 'client_error', status: 422 },
    }),
  ]);
});

test.each([
  ['a line break', 'order.paid\nlevel=error msg="all is lost"', 'order.paid\\u000alevel=error msg="all is lost"'],
  ['an escape of the terminal', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
  ['letters from right to left', 'a\u202eb', 'a\\u202eb'],
])('a name with %s stays in its line', (_what, event, shown) => {
  const received: IntegrationEvent = {
    ...base,
    type: 'webhook-received',
    direction: 'in',
    receiver: 'webhooks',
    outcome: 'ignored',
    event,
    durationMs: 1,
    isSlow: false,
  };
  expect(logged([received])[0]?.message).toBe(`webhooks: ${shown} ignored after 1 ms`);
});
