import { expect, test } from 'vitest';
import { bearer } from '../../src/auth/secret-credential.ts';
import {
  AttemptFailedError,
  AuthenticationError,
  CircuitOpenError,
  ClientError,
  DeadlineExceededError,
  InvalidArgumentError,
  RateLimitedError,
  UnexpectedResponseError,
} from '../../src/core/errors.ts';
import { attemptLog } from '../../src/http/call-log.ts';
import type { Credential } from '../../src/http/credential.ts';
import { createEmitter } from '../../src/observability/emitter.ts';
import { attemptedOf, createAttempts } from '../../src/outbox/attempt.ts';
import type { Attempted } from '../../src/outbox/decide.ts';
import type { RateLimiter } from '../../src/stores/ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../../src/stores/memory-rate-limiter.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';
import { callCompleted, openOutbox } from '../support/open-outbox.ts';
import { until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

const publication = { event: callCompleted, payload: { callId: 'CA1' }, idempotencyKey: 'CA1:completed' };
const operation = 'outbox.crm';

test.each<[what: string, error: unknown, attempted: Attempted]>([
  ['a refusal', new ClientError('no', { operation, status: 422 }), { type: 'refused', status: 422 }],
  [
    'an open circuit',
    new CircuitOpenError('open', { operation, retryAfterMs: 4_000 }),
    { type: 'postponed', reason: 'circuit_open', retryAfterMs: 4_000 },
  ],
  [
    'a full rate limit',
    new RateLimitedError('full', { operation, retryAfterMs: 7_000 }),
    { type: 'postponed', reason: 'rate_limit', retryAfterMs: 7_000 },
  ],
  [
    'no time',
    new DeadlineExceededError('late', { operation }),
    { type: 'postponed', reason: 'no_time', retryAfterMs: 1_000 },
  ],
  [
    'no credential',
    new AuthenticationError('none', { operation }),
    { type: 'postponed', reason: 'no_credential', retryAfterMs: 30_000, error: expect.any(AuthenticationError) },
  ],
  [
    'a server that fails',
    new AttemptFailedError('503', {
      operation,
      reason: 'server_error',
      status: 503,
      retryAfterMs: 5,
      outcome: 'unknown',
    }),
    { type: 'failed', reason: 'server_error', status: 503, retryAfterMs: 5 },
  ],
  [
    'a broken connection',
    new AttemptFailedError('reset', { operation, reason: 'network', networkCode: 'ECONNRESET', outcome: 'unknown' }),
    { type: 'failed', reason: 'ECONNRESET' },
  ],
  [
    'a redirect',
    new UnexpectedResponseError('302', { operation, status: 302 }),
    { type: 'failed', reason: 'unexpected_response', status: 302 },
  ],
  [
    'an error without an answer',
    new InvalidArgumentError('url', 'is wrong'),
    { type: 'failed', reason: 'invalid_argument' },
  ],
  ['a defect', Object.assign(new Error('status'), { status: 400 }), { type: 'failed', reason: 'internal_error' }],
])('%s becomes what the outbox decides on', (_what, error, attempted) => {
  expect(attemptedOf(error)).toEqual(attempted);
});

test('a 401 with a token that was just renewed is tried again with the new one', async () => {
  await using server = await startFaultServer(answer({ status: 401 }), answer());
  let token = 'old';
  const rotating = bearer(() => token);
  const authenticate: Credential = {
    ...rotating,
    read: (context) => {
      const issued = rotating.read(context);
      token = 'new';
      return issued;
    },
  };
  await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1, authenticate }] });

  await under.outbox.publish(publication);
  const failed = await until(() => under.events.find(({ type }) => type === 'delivery'));
  expect(failed).toMatchObject({ outcome: 'retry', reason: 'unauthorized', status: 401, retryInMs: 1_000, attempt: 1 });
  await under.clock.advance(1_000);

  const [first, second] = [await server.request(1), await server.request(2)];
  expect([first.headers['authorization'], second.headers['authorization']]).toEqual(['Bearer old', 'Bearer new']);
});

test.each<[what: string, renew: Credential['renew']]>([
  ['there is no other credential', () => Promise.resolve(undefined)],
  ['the other credential is not available', () => Promise.reject(new Error('the vault is down'))],
])('a 401 is dead at once when %s', async (_what, renew) => {
  await using server = await startFaultServer(answer({ status: 401 }));
  const authenticate = { ...bearer(() => 'token'), renew };
  await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1, authenticate }] });

  await under.outbox.publish(publication);
  await until(() => under.alerts.length > 0);

  expect(await under.outbox.deadLetters.list()).toMatchObject([
    { reason: 'client_error', attempts: 1, lastFailure: { status: 401 } },
  ]);
});

test('another refusal than a 401 asks for no other credential', async () => {
  await using server = await startFaultServer(answer({ status: 403 }));
  let renewals = 0;
  const renew: Credential['renew'] = (rejected) => {
    renewals += 1;
    return Promise.resolve(rejected);
  };
  const authenticate = { ...bearer(() => 'token'), renew };
  await using under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1, authenticate }] });

  await under.outbox.publish(publication);
  await until(() => under.alerts.length > 0);

  expect(renewals).toBe(0);
});

test.each([
  ['/ping', {}, '/ping'],
  ['/ping', { id: 1 }, '/ping?id=1'],
  ['/ping?a=1', { id: 1 }, '/ping?a=1&id=1'],
])('a GET of %s with the fields %o asks for %s, without a body', async (path, fields, url) => {
  await using server = await startFaultServer(answer());
  await using under = openOutbox({
    destinations: [{ name: 'ping', url: `${server.origin}${path}`, version: 1, method: 'GET', body: () => fields }],
  });

  await under.outbox.publish(publication);
  const request = await server.request(1);

  expect({ method: request.method, url: request.url, body: request.body }).toEqual({ method: 'GET', url, body: '' });
  expect(request.headers).not.toHaveProperty('content-type');
});

test('a rate limiter of the application is asked for the background, and is not closed', async () => {
  await using server = await startFaultServer(answer());
  const asked: unknown[] = [];
  let isClosed = false;
  const limiter: RateLimiter = {
    ...createMemoryRateLimiter({ limit: 1, perMs: 1 }),
    acquire: ({ key, lane, maxWaitMs }) => {
      asked.push({ key, lane, maxWaitMs });
      return Promise.resolve();
    },
    close: () => {
      isClosed = true;
      return Promise.resolve();
    },
  };
  const under = openOutbox({ destinations: [{ name: 'crm', url: server.origin, version: 1, rateLimit: limiter }] });

  await under.outbox.publish(publication);
  await server.request(1);
  await under.outbox.close(0);

  // The attempt keeps its whole time: only the rest may be spent on waiting.
  expect(asked).toEqual([{ key: 'crm', lane: 'background', maxWaitMs: 2_000 }]);
  expect(isClosed).toBe(false);
});

test('a wait for a socket of our own does not count against the destination', async () => {
  const clock = createVirtualClock();
  const changes: unknown[] = [];
  const attempts = createAttempts(
    { name: 'crm', url: 'https://crm.example/hook', version: 1, circuit: { minimumVolume: 1 } },
    {
      emitter: createEmitter((event) => void changes.push(event), { api: 'outbox' }),
      transport: (request) => {
        attemptLog(request).reached('queued');
        return new Promise(() => {});
      },
    },
  );
  const message = { event: 'call.completed', version: 1, idempotencyKey: 'k', body: '{}' };
  const sent = attempts.send(message, new AbortController().signal);
  await clock.advance(15_000);
  expect(await sent).toMatchObject({ type: 'failed', reason: 'timeout' });
  expect(changes).toEqual([]);
  await attempts.close();
});

test('closing ends the timers of a circuit that counts or is open', async () => {
  const clock = createVirtualClock();
  const emitter = createEmitter(undefined, { api: 'outbox' });
  const attempts = createAttempts(
    { name: 'crm', url: 'https://crm.example/hook', version: 1, circuit: { minimumVolume: 1, openMs: 60_000 } },
    { emitter, transport: async () => ({ status: 500, headers: new Map(), text: '' }) },
  );
  const message = { event: 'call.completed', version: 1, idempotencyKey: 'a', body: '{}' };
  await attempts.send(message, new AbortController().signal);
  expect(clock.pendingTimers()).toBeGreaterThan(0);

  await attempts.close();

  expect(clock.pendingTimers()).toBe(0);
});
