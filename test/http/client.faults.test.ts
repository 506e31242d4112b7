import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/http/operation.ts';
import { ShapeError } from '../../src/core/schema.ts';
import { createContact, failureOf, getContact, secret } from '../support/connect.ts';
import {
  answer,
  answerBytes,
  bytes,
  closeBeforeAnswer,
  drip,
  head,
  type Reply,
  resetAfter,
  resetBeforeAnswer,
  silence,
} from '../support/fault-server.ts';
import { onFetch, unlikeTransports } from '../support/transports.ts';
import { until } from '../support/until.ts';

const inMiddleOfBody = answerBytes({ body: '{"id":"1","name":"Ada"}' }).subarray(0, -5);

describe.each(unlikeTransports)('on $name', ({ isDefault, connect, startFaultServer }) => {
  /** All rows on the default transport, the first ones on the others: what follows a fault is decided above them. */
  const some = <Row>(rows: readonly Row[], elsewhere = 1): readonly Row[] =>
    isDefault ? rows : rows.slice(0, elsewhere);

  describe('time', () => {
    const endless: readonly (readonly [string, Reply])[] = [
      ['says nothing', silence],
      ['drips its body', drip(head(200, { 'content-length': '100000' }), 'x')],
    ];

    test.each(some(endless))('a server that %s has three attempts, all inside the deadline', async (_how, reply) => {
      await using server = await startFaultServer(reply);
      const { client, clock } = connect(server);
      const end = failureOf(client.request(getContact, { deadline: 6_100, attemptTimeoutMs: 2_000 }));
      for (const attempt of [1, 2, 3]) {
        await server.request(attempt);
        await clock.advance(2_000);
      }

      expect(await end).toMatchObject({
        code: 'max_retries_exceeded',
        reason: 'timeout',
        attempts: 3,
        outcome: 'unknown',
        elapsedMs: 6_000,
      });
      expect(clock.pendingTimers()).toBe(0);
    });

    test.each(some(endless))('the deadline ends a call to a server that %s to the millisecond', async (_how, reply) => {
      await using server = await startFaultServer(reply);
      const { client, clock } = connect(server, { attempts: 1 });
      const end = failureOf(client.request(getContact, { deadline: 1_000, attemptTimeoutMs: 5_000 }));
      await server.request(1);
      await clock.advance(1_000);
      expect(await end).toMatchObject({ code: 'max_retries_exceeded', outcome: 'unknown', attempts: 1 });
      await server.closed(1);
      expect(server.requests).toHaveLength(1);
    });
  });

  describe('retry', () => {
    test.each(
      some<[string, Reply]>([
        ['resets', resetBeforeAnswer],
        ['closes without a word', closeBeforeAnswer],
        ['resets in its body', resetAfter(inMiddleOfBody)],
        ['does not speak HTTP', bytes('220 mail.example.test\r\n')],
        ['answers 500', answer({ status: 500 })],
        ['answers 408', answer({ status: 408 })],
        ['answers 502 in HTML', answer({ status: 502, body: '<h1>Bad gateway</h1>' })],
      ]),
    )('when the server %s, the request is sent again', async (_how, reply) => {
      await using server = await startFaultServer(reply, reply, answer({ body: '{"id":"1"}' }));
      const { client } = connect(server);
      expect(await client.request(getContact)).toEqual({ id: '1' });
      expect(server.requests).toHaveLength(3);
    });

    test.each(some([400, 404], 0))('a %i is final, and says why', async (status) => {
      await using server = await startFaultServer(answer({ status, body: '{"errors":["no"]}' }));
      const { client } = connect(server);
      expect(await failureOf(client.request(getContact))).toMatchObject({
        code: 'client_error',
        status,
        details: { errors: ['no'] },
        attempts: 1,
        outcome: 'rejected',
      });
      expect(server.requests).toHaveLength(1);
    });

    test.each(
      some<[string, number, Readonly<Record<string, string>>, number]>([
        ['seconds', 429, { 'Retry-After': '2' }, 2_000],
        ['nothing', 429, {}, 1_000],
        ['seconds with a 503', 503, { 'Retry-After': '2' }, 2_000],
      ]),
    )('a server that asks for %s is waited for', async (_what, status, headers, waitMs) => {
      await using server = await startFaultServer(answer({ status, headers }), answer({ body: '{}' }));
      const { client, waits } = connect(server);
      expect(await client.request(getContact)).toEqual({});
      expect(waits).toEqual([waitMs]);
    });

    test('a refused connection is tried three times and sent nothing', async () => {
      const server = await startFaultServer(silence);
      await server.close();
      const { client } = connect(server);
      expect(await failureOf(client.request(createContact))).toMatchObject({
        code: 'max_retries_exceeded',
        reason: 'network',
        outcome: 'not_sent',
        cause: { networkCode: 'ECONNREFUSED' },
      });
    });

    test('every attempt of a write carries the same key and the same body', async () => {
      await using server = await startFaultServer(resetBeforeAnswer, answer({ status: 503 }), answer({ body: '{}' }));
      const { client } = connect(server);
      await client.request(createContact, { idempotencyKey: 'call_1:create' });
      const sent = server.requests.map(({ headers, body }) => `${headers['idempotency-key']} ${body}`);
      expect(sent).toEqual(Array(3).fill('call_1:create {"email":"ada@example.com","phone":"+14155550100"}'));
    });
  });

  describe('keep-alive', () => {
    test.each([
      ['read', getContact],
      ['write with a key', createContact],
    ])('a connection that closes just as it is reused is not noticed by a %s', async (_what, operation) => {
      await using server = await startFaultServer(
        answer({ body: '{}' }),
        closeBeforeAnswer,
        answer({ body: '{"id":"2"}' }),
      );
      const { client } = connect(server);
      await client.request(getContact);
      // The platform takes a connection back one turn after the last byte of the answer.
      await new Promise((resolve) => setImmediate(resolve));
      expect(await client.request(operation)).toEqual({ id: '2' });
      expect(server.requests.slice(0, 2).map(({ connection }) => connection)).toEqual([1, 1]);
    });
  });

  describe('body', () => {
    test.each(
      some<[string, Parameters<typeof answer>[0], unknown]>(
        [
          ['a 204', { status: 204 }, undefined],
          ['an empty answer', { body: '' }, undefined],
          ['another content type', { headers: { 'content-type': 'text/plain' }, body: '{"a":1}' }, { a: 1 }],
          ['dangerous keys', { body: '{"__proto__":{"x":1},"constructor":1,"a":1}' }, { a: 1 }],
        ],
        2,
      ),
    )('%s is read', async (_what, given, expected) => {
      await using server = await startFaultServer(answer(given));
      expect(await connect(server).client.request(getContact)).toEqual(expected);
    });

    test.each(
      some<[string, Parameters<typeof answer>[0], string]>([
        [
          'a gzip bomb',
          { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(9 * 2 ** 20)) },
          'the answer is larger than 8388608 bytes',
        ],
        [
          'HTML',
          { headers: { 'content-type': 'text/html' }, body: '<p>Hello Ada</p>' },
          'is HTML or XML instead of JSON',
        ],
        ['JSON that is cut off', { body: '{"name":"Ada"' }, 'is JSON that ends too early'],
        ['a text', { body: 'Hello Ada' }, 'is not JSON'],
        ['deep nesting', { body: '['.repeat(200_000) + ']'.repeat(200_000) }, 'is JSON nested deeper than 200 levels'],
      ]),
    )('%s with a 200 is no data, and is not asked for again', async (_what, given, words) => {
      await using server = await startFaultServer(answer(given));
      const error = await failureOf(connect(server).client.request(getContact));
      expect(error).toMatchObject({ code: 'unexpected_response', status: 200, attempts: 1, outcome: 'unknown' });
      expect(error.message).toContain(words);
      expect(error.message).not.toContain('Ada');
      expect(server.requests).toHaveLength(1);
    });

    test('an error that is larger than the cap is cut off too', async () => {
      await using server = await startFaultServer(answer({ status: 400, body: 'x'.repeat(2_000) }));
      const { client } = connect(server, { maximumBodyBytes: 1_000 });
      expect(await failureOf(client.request(getContact))).toMatchObject({ code: 'unexpected_response', status: 400 });
    });

    test('there is never partial data', async () => {
      await using server = await startFaultServer(resetAfter(inMiddleOfBody));
      expect(await failureOf(connect(server).client.request(getContact))).toMatchObject({
        code: 'max_retries_exceeded',
        reason: 'network',
        attempts: 3,
      });
    });
  });

  describe('redirects', () => {
    test('a redirect is an error: neither key nor body go elsewhere', async () => {
      await using other = await startFaultServer(answer({ body: '{}' }));
      await using server = await startFaultServer(
        answer({ status: 301, headers: { location: `${other.origin}/steal` } }),
      );
      expect(await failureOf(connect(server).client.request(createContact))).toMatchObject({
        code: 'unexpected_response',
        status: 301,
        outcome: 'unknown',
        attempts: 1,
      });
      expect(other.connections()).toBe(0);
    });
  });

  describe('abort', () => {
    test('a caller who gives up is released, and no later request comes', async () => {
      await using server = await startFaultServer(silence);
      const { client, clock } = connect(server);
      const caller = new AbortController();
      const end = failureOf(client.request(getContact, { signal: caller.signal }));
      await server.request(1);
      caller.abort();
      expect(await end).toMatchObject({ code: 'aborted', attempts: 1, outcome: 'unknown' });
      await server.closed(1);
      await clock.advance(60_000);
      expect(server.requests).toHaveLength(1);
      expect(clock.pendingTimers()).toBe(0);
      expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    });

    test('a hundred calls under one signal leave nothing on it', async () => {
      await using server = await startFaultServer(answer({ body: '{}' }));
      const { client, clock } = connect(server);
      const { signal } = new AbortController();
      await Promise.all(Array.from({ length: 100 }, () => client.request(getContact, { signal })));
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      expect(clock.pendingTimers()).toBe(0);
    });
  });

  describe('secrets', () => {
    const echoed = `{"message":"key ${secret} of ada@example.com is wrong","again":"${Buffer.from(secret).toString('base64')}"}`;

    test.each(
      some<[string, Reply]>([
        ['refuses', answer({ status: 401, headers: { 'X-Request-Id': `for-${secret}` }, body: echoed })],
        ['fails', answer({ status: 500, headers: { 'X-Request-Id': `for-${secret}` }, body: echoed })],
        ['limits', answer({ status: 429, headers: { 'Retry-After': secret }, body: echoed })],
        ['redirects', answer({ status: 302, headers: { location: `/?key=${secret}` }, body: echoed })],
        ['answers what is no JSON', answer({ body: `no JSON: ${echoed}` })],
        ['fails in a status line of its own', bytes(`HTTP/1.1 500 ${secret}\r\ncontent-length: 0\r\n\r\n`)],
        ['resets', resetBeforeAnswer],
      ]),
    )('a server that %s and repeats the key puts it into no error and no event', async (_how, reply) => {
      await using server = await startFaultServer(reply);
      const { client, events } = connect(server);
      const error = await failureOf(client.request(createContact));
      const shown = [
        inspect(error, { depth: 20, showHidden: true }),
        JSON.stringify(error),
        error.message,
        inspect(error.cause, { depth: 20, showHidden: true }),
        JSON.stringify(events),
        inspect((error as { details?: unknown }).details),
      ].join('\n');
      expect(events.length).toBeGreaterThan(1);
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(Buffer.from(secret).toString('base64').slice(0, -2));
    });

    test('no error and no event holds personal data', async () => {
      await using server = await startFaultServer(answer({ status: 422, body: echoed }));
      const { client, events } = connect(server);
      const error = await failureOf(client.request({ ...createContact, query: { phone: '+14155550100' } }));
      const shown = `${inspect(error, { depth: 20 })}${JSON.stringify(error)}${JSON.stringify(events)}`;
      expect(shown).not.toMatch(/ada@example\.com|4155550100/);
    });

    test.each(some(['a\r\nx-admin: 1', 'naïve→'], 0))('the key %j is refused before anything is sent', async (key) => {
      await using server = await startFaultServer(answer({ body: '{}' }));
      const error = await failureOf(connect(server).client.request(createContact, { idempotencyKey: key }));
      expect(error).toMatchObject({
        code: 'invalid_argument',
        field: 'idempotencyKey',
        outcome: 'not_sent',
        attempts: 0,
      });
      expect(server.connections()).toBe(0);
    });
  });
});

describe('above every transport', () => {
  const { connect, startFaultServer } = onFetch;

  test('a wait that does not fit is refused at once, with the 429 as its cause', async () => {
    await using server = await startFaultServer(answer({ status: 429, headers: { 'retry-after': '120' } }));
    const { client, waits } = connect(server);
    const error = await failureOf(client.request(getContact));
    expect(error).toMatchObject({
      code: 'max_retries_exceeded',
      reason: 'rate_limited',
      retryAfterMs: 120_000,
      outcome: 'rejected',
      attempts: 1,
      cause: { code: 'attempt_failed', status: 429, retryAfterMs: 120_000 },
    });
    expect(waits).toEqual([]);
    expect(performance.now()).toBe(0);
  });

  test('a write that may have happened keeps that through a later refusal', async () => {
    await using server = await startFaultServer(resetBeforeAnswer, answer({ status: 409 }));
    const { client } = connect(server);
    expect(await failureOf(client.request(createContact, { idempotencyKey: 'k' }))).toMatchObject({
      code: 'client_error',
      status: 409,
      outcome: 'unknown',
      idempotencyKey: 'k',
      attempts: 2,
    });
  });

  test('a number that no number can hold is refused where one is expected', async () => {
    await using server = await startFaultServer(answer({ body: '{"amount":1e400}' }));
    const amount: Operation<number> = {
      ...getContact,
      returns: (json) => {
        const value = (json as { amount: number }).amount;
        if (!Number.isFinite(value)) throw new ShapeError('amount', 'must be a number');
        return value;
      },
    };
    expect(await failureOf(connect(server).client.request(amount))).toMatchObject({ code: 'unexpected_response' });
  });

  test('a caller who gives up in a back-off is released, and no later request comes', async () => {
    await using server = await startFaultServer(answer({ status: 503 }));
    const caller = new AbortController();
    const { client, clock, events } = connect(server, { backoff: { minimumMs: 1_000, maximumMs: 1_000 } });
    const end = failureOf(client.request(getContact, { signal: caller.signal }));
    await until(() => events.length === 1);
    setImmediate(() => caller.abort());
    const error = await end;
    expect(error).toMatchObject({ code: 'aborted', attempts: 1 });
    await clock.advance(60_000);
    expect(server.requests).toHaveLength(1);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
  });

  test('a caller who gave up before has sent nothing', async () => {
    await using server = await startFaultServer(silence);
    const { client } = connect(server);
    const error = await failureOf(client.request(getContact, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'aborted', attempts: 0, outcome: 'not_sent' });
    expect(server.connections()).toBe(0);
  });
});
