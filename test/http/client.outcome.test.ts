import { describe, expect, test } from 'vitest';
import type { HttpClientOptions } from '../../src/http/client-options.ts';
import type { Operation, Repeat } from '../../src/http/operation.ts';
import { createMemoryRateLimiter } from '../../src/stores/memory-rate-limiter.ts';
import { createContact, failureOf, getContact } from '../support/connect.ts';
import {
  answer,
  answerBytes,
  closeBeforeAnswer,
  held,
  type Reply,
  resetAfter,
  resetBeforeAnswer,
  silence,
} from '../support/fault-server.ts';
import { onFetch, unlikeTransports } from '../support/transports.ts';

/** Takes the request, does what it asks for, and drops the connection before it can say so. */
const executeThenDrop: (records: Map<string, string>) => Reply = (records) => (socket, request) => {
  records.set(`contact_${records.size + 1}`, request.body);
  socket.resetAndDestroy();
};

const unrepeatable = (repeat: Repeat): Operation<unknown> => ({ ...createContact, repeat });

describe('what is known after mixed attempts', () => {
  describe.each(unlikeTransports)('on $name', ({ isDefault, connect, startFaultServer }) => {
    const mixed: readonly [string, readonly [Reply, ...Reply[]], object][] = [
      [
        'a reset, then a 409',
        [resetBeforeAnswer, answer({ status: 409 })],
        { code: 'client_error', status: 409, outcome: 'unknown', attempts: 2 },
      ],
      [
        'a 503, then a 422',
        [answer({ status: 503 }), answer({ status: 422 })],
        { code: 'client_error', status: 422, outcome: 'unknown', attempts: 2 },
      ],
      [
        'a 429, then a 422',
        [answer({ status: 429 }), answer({ status: 422 })],
        { code: 'client_error', status: 422, outcome: 'rejected', attempts: 2 },
      ],
      [
        'a 429, then resets',
        [answer({ status: 429 }), resetBeforeAnswer],
        { code: 'max_retries_exceeded', reason: 'network', outcome: 'unknown', attempts: 3 },
      ],
      [
        'nothing but 429',
        [answer({ status: 429 })],
        {
          message:
            'messaging.contacts.create had no answer after 3 attempts: the API says that there are too many requests, and no attempt or no time is left',
          reason: 'rate_limited',
          outcome: 'rejected',
          attempts: 3,
        },
      ],
      [
        'a reset, then a redirect',
        [resetBeforeAnswer, answer({ status: 302 })],
        { code: 'unexpected_response', status: 302, outcome: 'unknown', attempts: 2 },
      ],
      [
        'an answer cut off in its body, then a 401',
        [resetAfter(answerBytes({ body: '{"id":"1"}' }).subarray(0, -3)), answer({ status: 401 })],
        { code: 'client_error', status: 401, outcome: 'unknown', attempts: 2 },
      ],
    ];

    // What is known is decided above the transports: on another one the first show that it distinguishes them.
    test.each(isDefault ? mixed : mixed.slice(0, 2))('%s', async (_what, replies, expected) => {
      await using server = await startFaultServer(...replies);
      const { client, events } = connect(server);
      const error = await failureOf(client.request(createContact, { idempotencyKey: 'call_1' }));
      expect(error).toMatchObject({ ...expected, operation: 'messaging.contacts.create', idempotencyKey: 'call_1' });
      expect(server.requests).toHaveLength(error.attempts);
      expect(events.at(-1)).toMatchObject({ type: 'call', attempts: error.attempts, outcome: error.outcome });
    });

    test('a time-out, then a 409', async () => {
      await using server = await startFaultServer(silence, answer({ status: 409 }));
      const { client, clock } = connect(server);
      const end = failureOf(client.request(createContact, { attemptTimeoutMs: 1_000 }));
      await server.request(1);
      await clock.advance(1_000);
      expect(await end).toMatchObject({ code: 'client_error', status: 409, outcome: 'unknown', attempts: 2 });
    });

    test('a 429, then a time-out', async () => {
      await using server = await startFaultServer(answer({ status: 429 }), silence);
      const { client, clock } = connect(server, { attempts: 2 });
      const end = failureOf(client.request(createContact, { attemptTimeoutMs: 1_000 }));
      await server.request(2);
      await clock.advance(1_000);
      expect(await end).toMatchObject({ reason: 'timeout', outcome: 'unknown', attempts: 2 });
    });
  });

  describe('above every transport', () => {
    const { connect, startFaultServer } = onFetch;

    test('a refused connection, then a 503, then a 422', async () => {
      await using server = await startFaultServer(answer({ status: 503 }), answer({ status: 422 }));
      const closed = await startFaultServer(silence);
      await closed.close();
      const { client } = connect(server, {
        middleware: {
          perAttempt: [(request, next) => next(request.attempt === 1 ? { ...request, url: closed.origin } : request)],
        },
      });
      expect(await failureOf(client.request(createContact))).toMatchObject({
        code: 'client_error',
        status: 422,
        outcome: 'unknown',
        attempts: 3,
      });
    });

    test.each<[string, Partial<HttpClientOptions>, string]>([
      ['a spent quota', { quota: { limit: 1, perMs: 60_000 } }, 'quota'],
      ['a rate limit without a place in time', { rateLimit: { limit: 1, perMs: 60_000 } }, 'rate_limit_wait'],
      ['a spent retry budget', { retryBudget: { capacity: 0, perSecond: 0 } }, 'retry_budget'],
    ])('a reset, then %s', async (_what, options, reason) => {
      await using server = await startFaultServer(resetBeforeAnswer);
      const { client, events } = connect(server, options);
      expect(await failureOf(client.request(createContact, { idempotencyKey: 'call_1' }))).toMatchObject({
        code: 'max_retries_exceeded',
        reason,
        outcome: 'unknown',
        attempts: 1,
        idempotencyKey: 'call_1',
        cause: { code: 'attempt_failed', networkCode: 'ECONNRESET' },
      });
      expect(server.requests).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ type: 'call', attempts: 1, outcome: 'unknown' });
    });

    test('a time-out, then the circuit that it opened', async () => {
      await using server = await startFaultServer(silence);
      const { client, clock } = connect(server, { circuit: { minimumVolume: 1 }, attemptTimeoutMs: 1_000 });
      const end = failureOf(client.request(createContact, { idempotencyKey: 'call_1' }));
      await server.request(1);
      await clock.advance(1_000);
      expect(await end).toMatchObject({
        code: 'max_retries_exceeded',
        reason: 'circuit_open',
        outcome: 'unknown',
        attempts: 1,
        idempotencyKey: 'call_1',
        cause: { code: 'attempt_failed', reason: 'timeout' },
      });
      expect(server.requests).toHaveLength(1);
    });

    test.each<[string, Partial<HttpClientOptions>, string]>([
      ['a spent quota', { quota: { limit: 1, perMs: 60_000 } }, 'quota_exceeded'],
      ['a rate limit without a place in time', { rateLimit: { limit: 1, perMs: 60_000 } }, 'rate_limited'],
    ])('%s alone has sent nothing', async (_what, options, code) => {
      await using server = await startFaultServer(answer({ body: '{}' }));
      const { client } = connect(server, options);
      await client.request(createContact);
      expect(await failureOf(client.request(createContact))).toMatchObject({ code, outcome: 'not_sent', attempts: 0 });
      expect(server.requests).toHaveLength(1);
    });

    test('a queue that takes all the time has sent nothing', async () => {
      await using server = await startFaultServer(answer({ body: '{}' }));
      const rateLimit = createMemoryRateLimiter({ limit: 1, perMs: 60_000 });
      const { client, clock } = connect(server, {
        rateLimit: { ...rateLimit, acquire: () => new Promise(() => undefined) },
      });
      const end = failureOf(client.request(createContact, { deadline: 1_000 }));
      await clock.advance(1_000);
      expect(await end).toMatchObject({
        code: 'deadline_exceeded',
        outcome: 'not_sent',
        attempts: 0,
        elapsedMs: 1_000,
      });
      expect(server.connections()).toBe(0);
      expect(clock.pendingTimers()).toBe(0);
    });
  });
});

describe('a write that the API cannot recognise', () => {
  const { connect, startFaultServer } = onFetch;

  test('is found by its look-up when it was done and then dropped', async () => {
    const records = new Map<string, string>();
    await using server = await startFaultServer(answer({ status: 429 }), executeThenDrop(records));
    const { client, events } = connect(server);
    const lookUp = async () => ({ id: [...records.keys()][0] });
    expect(await client.request(unrepeatable({ lookUp }))).toEqual({ id: 'contact_1' });
    expect(records.size).toBe(1);
    expect(events.at(-1)).toMatchObject({ type: 'call', outcome: 'ok', attempts: 2 });
    expect(events.at(-1)).not.toHaveProperty('status');
  });

  test('is sent again when its look-up does not find it', async () => {
    await using server = await startFaultServer(resetBeforeAnswer, answer({ body: '{"id":"contact_1"}' }));
    const { client } = connect(server);
    const lookUp = async () => undefined;
    expect(await client.request(unrepeatable({ lookUp }))).toEqual({ id: 'contact_1' });
    expect(server.requests).toHaveLength(2);
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined]);
  });

  test("is sent again where it says 'again'", async () => {
    await using server = await startFaultServer(resetBeforeAnswer, answer({ body: '{"id":"contact_1"}' }));
    const { client } = connect(server);
    expect(await client.request(unrepeatable('again'))).toEqual({ id: 'contact_1' });
    expect(server.requests).toHaveLength(2);
  });

  test("is never a payment that says 'again'", async () => {
    await using server = await startFaultServer(answer({ body: '{"id":"contact_1"}' }));
    const { client } = connect(server);
    const payment = { ...unrepeatable('again'), effect: 'payment' } as const;
    expect(await failureOf(client.request(payment))).toMatchObject({ code: 'invalid_argument', field: 'repeat' });
    expect(server.requests).toEqual([]);
  });

  test('is looked up over the same client, under the same deadline', async () => {
    await using server = await startFaultServer(closeBeforeAnswer, answer({ body: '{"id":"contact_9"}' }));
    const { client } = connect(server);
    const lookUp: Exclude<Repeat, string>['lookUp'] = (time) => client.request(getContact, time);
    expect(await client.request(unrepeatable({ lookUp }))).toEqual({ id: 'contact_9' });
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });

  test('is not sent again when its look-up fails', async () => {
    await using server = await startFaultServer(resetBeforeAnswer);
    const { client } = connect(server);
    const lookUp = () => Promise.reject(new Error('no search today'));
    expect(await failureOf(client.request(unrepeatable({ lookUp })))).toMatchObject({
      code: 'max_retries_exceeded',
      reason: 'network',
      outcome: 'unknown',
      attempts: 1,
    });
    expect(server.requests).toHaveLength(1);
  });

  test('whose look-up hangs ends with the deadline', async () => {
    await using server = await startFaultServer(resetBeforeAnswer);
    const { client, clock } = connect(server);
    const looked = Promise.withResolvers<void>();
    const lookUp = () => {
      looked.resolve();
      return new Promise(() => undefined);
    };
    const end = failureOf(client.request(unrepeatable({ lookUp }), { deadline: 2_000 }));
    await looked.promise;
    await clock.advance(2_000);
    expect(await end).toMatchObject({ code: 'max_retries_exceeded', reason: 'deadline', outcome: 'unknown' });
    expect(clock.pendingTimers()).toBe(0);
  });

  test.each<[string, Reply, number]>([
    ['a reset', resetBeforeAnswer, 1],
    ['a 503', answer({ status: 503 }), 1],
    ['a 429', answer({ status: 429 }), 3],
  ])(
    'that must never be repeated is sent as often as it was surely not done: after %s',
    async (_what, reply, times) => {
      await using server = await startFaultServer(reply);
      const { client } = connect(server);
      const error = await failureOf(client.request(unrepeatable('never')));
      expect(error).toMatchObject({ code: 'max_retries_exceeded', outcome: times === 1 ? 'unknown' : 'rejected' });
      expect(error.idempotencyKey).toBeUndefined();
      expect(server.requests).toHaveLength(times);
    },
  );
});

describe.each(unlikeTransports)('on $name', ({ connect, startFaultServer }) => {
  describe('two calls in flight with one key', () => {
    test('are one request on the wire, and both get its answer', async () => {
      const { reply, release } = held({ body: '{"id":"1"}' });
      await using server = await startFaultServer(reply);
      const { client, events } = connect(server);
      const call = { idempotencyKey: 'call_1' };
      const both = [client.request(createContact, call), client.request(createContact, call)];
      await server.request(1);
      release();
      expect(await Promise.all(both)).toEqual([{ id: '1' }, { id: '1' }]);
      expect(server.requests).toHaveLength(1);
      expect(events.filter(({ type }) => type === 'call')).toMatchObject([
        { outcome: 'ok', attempts: 1, status: 200 },
        { outcome: 'ok', attempts: 1, status: 200 },
      ]);
    });

    test('and the first gives up: the second goes on in its place, with the same key', async () => {
      await using server = await startFaultServer(silence, answer({ body: '{"id":"1"}' }));
      const { client } = connect(server);
      const caller = new AbortController();
      const first = failureOf(client.request(createContact, { idempotencyKey: 'call_1', signal: caller.signal }));
      const second = client.request(createContact, { idempotencyKey: 'call_1' });
      await server.request(1);
      caller.abort();
      expect(await first).toMatchObject({ code: 'aborted', outcome: 'unknown', attempts: 1 });
      expect(await second).toEqual({ id: '1' });
      expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['call_1', 'call_1']);
    });
  });
});

describe('two calls in flight with one key', () => {
  const { connect, startFaultServer } = onFetch;

  test('share a failure, and both know what is known of it', async () => {
    const { reply, release } = held({ status: 422 });
    await using server = await startFaultServer(reply);
    const { client } = connect(server);
    const call = { idempotencyKey: 'call_1' };
    const both = [failureOf(client.request(createContact, call)), failureOf(client.request(createContact, call))];
    await server.request(1);
    release();
    const known = { code: 'client_error', status: 422, attempts: 1, outcome: 'rejected', idempotencyKey: 'call_1' };
    expect(await Promise.all(both)).toMatchObject([known, known]);
    expect(server.requests).toHaveLength(1);
  });

  test('with other parameters: the second is refused and nothing of it is sent', async () => {
    await using server = await startFaultServer(silence);
    const { client } = connect(server);
    const caller = new AbortController();
    const first = failureOf(client.request(createContact, { idempotencyKey: 'call_1', signal: caller.signal }));
    const other = { ...createContact, body: { email: 'grace@example.com' } };
    expect(await failureOf(client.request(other, { idempotencyKey: 'call_1' }))).toMatchObject({
      code: 'invalid_argument',
      field: 'idempotencyKey',
      outcome: 'not_sent',
      attempts: 0,
    });
    await server.request(1);
    caller.abort();
    await first;
    expect(server.requests).toHaveLength(1);
  });

  test('and the second gives up: the first is not disturbed', async () => {
    const { reply, release } = held({ body: '{"id":"1"}' });
    await using server = await startFaultServer(reply);
    const { client } = connect(server);
    const caller = new AbortController();
    const first = client.request(createContact, { idempotencyKey: 'call_1' });
    const second = failureOf(client.request(createContact, { idempotencyKey: 'call_1', signal: caller.signal }));
    await server.request(1);
    caller.abort();
    expect(await second).toMatchObject({ code: 'aborted', outcome: 'unknown' });
    release();
    expect(await first).toEqual({ id: '1' });
  });

  test('are one request also where the API knows no keys', async () => {
    const { reply, release } = held({ body: '{"id":"1"}' });
    await using server = await startFaultServer(reply);
    const { client } = connect(server, { idempotency: 'none' });
    const call = { idempotencyKey: 'call_1' };
    const both = [client.request(createContact, call), client.request(createContact, call)];
    await server.request(1);
    release();
    expect(await Promise.all(both)).toEqual([{ id: '1' }, { id: '1' }]);
    expect(server.requests).toHaveLength(1);
  });

  test('and the first gives up where the API knows no keys: the second does not send what may have been done', async () => {
    await using server = await startFaultServer(silence);
    const { client } = connect(server, { idempotency: 'none' });
    const caller = new AbortController();
    const first = failureOf(client.request(createContact, { idempotencyKey: 'call_1', signal: caller.signal }));
    const second = failureOf(client.request(createContact, { idempotencyKey: 'call_1' }));
    await server.request(1);
    caller.abort();
    expect(await first).toMatchObject({ code: 'aborted', outcome: 'unknown' });
    expect(await second).toMatchObject({ code: 'max_retries_exceeded', outcome: 'unknown', attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  test('do not wait for a first one that is stuck behind its deadline', async () => {
    await using server = await startFaultServer(answer({ status: 401 }), answer({ body: '{"id":"1"}' }));
    const renewing = Promise.withResolvers<void>();
    const { client, clock } = connect(server, {
      authenticate: {
        read: async () => ({ headers: { 'x-api-key': 'k' }, secrets: ['k'] }),
        renew: () => {
          renewing.resolve();
          return new Promise(() => undefined);
        },
      },
    });
    const first = failureOf(client.request(createContact, { idempotencyKey: 'call_1', deadline: 1_000 }));
    await renewing.promise;
    await clock.advance(1_000);
    expect(await first).toMatchObject({ code: 'max_retries_exceeded', reason: 'deadline', outcome: 'rejected' });
    expect(await client.request(createContact, { idempotencyKey: 'call_1' })).toEqual({ id: '1' });
  });
});
