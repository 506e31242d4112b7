import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { apiKey, bearer } from '../../src/auth/secret-credential.ts';
import type { Credential } from '../../src/http/credential.ts';
import { connect, createContact, failureOf, getContact, secret } from '../support/connect.ts';
import { answer, type Reply, resetBeforeAnswer, startFaultServer } from '../support/fault-server.ts';

/** Lets only this token in. */
const admits =
  (token: string): Reply =>
  (socket, request) =>
    answer(request.headers.authorization === `Bearer ${token}` ? { body: '{"id":"1"}' } : { status: 401 })(
      socket,
      request,
    );

test('a rotated secret is used by the next attempt', async () => {
  await using server = await startFaultServer(resetBeforeAnswer, answer({ body: '{}' }));
  const keys = ['first', 'second'];
  const { client } = connect(server, { authenticate: apiKey('X-Api-Key', () => keys.shift() ?? '') });
  await client.request(getContact);
  expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['first', 'second']);
});

describe('a source that', () => {
  test('hangs is waited for as long as an attempt may take, and nothing is sent', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client, clock, events } = connect(server, { authenticate: bearer(() => new Promise(() => undefined)) });
    const end = failureOf(client.request(createContact, { attemptTimeoutMs: 1_000 }));
    await clock.advance(1_000);
    expect(await end).toMatchObject({
      code: 'authentication_failed',
      outcome: 'not_sent',
      attempts: 0,
      elapsedMs: 1_000,
    });
    expect(events.map(({ type }) => type)).toEqual(['attempt', 'call']);
    expect(server.connections()).toBe(0);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('answers too late has its request not sent after all', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const token = Promise.withResolvers<string>();
    const { client, clock } = connect(server, { authenticate: bearer(() => token.promise) });
    const end = failureOf(client.request(getContact));
    await clock.advance(8_000);
    await end;
    token.resolve('late');
    await clock.advance(60_000);
    expect(server.connections()).toBe(0);
  });

  test('hangs before the second attempt leaves the first one unknown', async () => {
    await using server = await startFaultServer(resetBeforeAnswer);
    const again = Promise.withResolvers<void>();
    let asked = 0;
    const { client, clock } = connect(server, {
      authenticate: bearer(() => {
        if (asked++ === 0) return 'token';
        again.resolve();
        return new Promise(() => undefined);
      }),
    });
    const end = failureOf(client.request(createContact));
    await again.promise;
    await clock.advance(8_000);
    expect(await end).toMatchObject({
      code: 'max_retries_exceeded',
      reason: 'authentication',
      outcome: 'unknown',
      attempts: 1,
      cause: { networkCode: 'ECONNRESET' },
    });
  });

  test.each<[string, () => string]>([
    [
      'throws',
      () => {
        throw new Error(`vault at https://vault/${secret} is sealed`);
      },
    ],
    ['gives nothing', () => ''],
    ['gives what no header can hold', () => `${secret}\n`],
  ])('%s has nothing sent, and its words stay out of the log', async (_how, read) => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const { client, events } = connect(server, { authenticate: bearer(read) });
    const error = await failureOf(client.request(getContact));
    expect(error).toMatchObject({ code: 'authentication_failed', outcome: 'not_sent', attempts: 0 });
    expect(`${inspect(error, { depth: 20 })}${JSON.stringify(error)}${JSON.stringify(events)}`).not.toContain(secret);
    expect(server.connections()).toBe(0);
  });
});

describe('a 401', () => {
  test('to many calls at once asks the source once for another token, and each is sent again', async () => {
    await using server = await startFaultServer(admits('new'));
    const token = Promise.withResolvers<string>();
    let reads = 0;
    let refused = 0;
    const { client } = connect(server, {
      authenticate: bearer(() => (reads++ < 20 ? 'old' : token.promise)),
      onEvent: (event) => {
        if (event.type === 'attempt' && event.status === 401) refused += 1;
        if (refused === 20) setImmediate(() => token.resolve('new'));
      },
    });
    const calls = Array.from({ length: 20 }, () => client.request(getContact));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 20 }, () => ({ id: '1' })));
    expect(server.requests).toHaveLength(40);
    // Once for each of the 40 requests, and once for all that were refused.
    expect(reads).toBe(41);
  });

  test('is final for a secret that does not change: exactly one request each', async () => {
    await using server = await startFaultServer(answer({ status: 401 }));
    const { client } = connect(server, { authenticate: bearer(() => 'always the same') });
    const ends = await Promise.all(Array.from({ length: 5 }, () => failureOf(client.request(getContact))));
    for (const end of ends) expect(end).toMatchObject({ code: 'client_error', status: 401, attempts: 1 });
    expect(server.requests).toHaveLength(5);
  });

  test('costs one more request each, with a source that never helps', async () => {
    await using server = await startFaultServer(answer({ status: 401 }));
    let count = 0;
    const { client } = connect(server, { authenticate: bearer(() => `token ${count++}`) });
    const ends = await Promise.all(Array.from({ length: 5 }, () => failureOf(client.request(getContact))));
    for (const end of ends) expect(end).toMatchObject({ code: 'client_error', status: 401, attempts: 2 });
    expect(server.requests).toHaveLength(10);
  });

  test.each<[string, Credential['renew']]>([
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('stays a 401 when the source %s', async (_how, renew) => {
    await using server = await startFaultServer(answer({ status: 401 }));
    const { client } = connect(server, {
      authenticate: { read: async () => ({ headers: { 'x-api-key': secret }, secrets: [secret] }), renew },
    });
    expect(await failureOf(client.request(getContact))).toMatchObject({
      code: 'client_error',
      status: 401,
      attempts: 1,
    });
  });

  test('to a write is sent again with the same key, and what was done before stays unknown', async () => {
    await using server = await startFaultServer(resetBeforeAnswer, answer({ status: 401 }), answer({ status: 409 }));
    let count = 0;
    const { client } = connect(server, { authenticate: bearer(() => `token ${count++}`) });
    expect(await failureOf(client.request(createContact, { idempotencyKey: 'k' }))).toMatchObject({
      code: 'client_error',
      status: 409,
      outcome: 'unknown',
      attempts: 3,
    });
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k', 'k']);
  });
});
