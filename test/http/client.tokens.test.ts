import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { oauthClientCredentials } from '../../src/auth/index.ts';
import { connect, createContact, failureOf, getContact } from '../support/connect.ts';
import { answer, type Reply, startFaultServer } from '../support/fault-server.ts';
import { held, json, startTokenServer, type TokenServer } from '../support/token-server.ts';
import { until } from '../support/until.ts';

const secret = 's3cret-client';

const credentialOf = (server: TokenServer) =>
  oauthClientCredentials({ tokenEndpoint: server.endpoint, clientId: () => 'app-1', clientSecret: () => secret });

/** An API that lets only the tokens in that this set holds. */
const admits =
  (tokens: ReadonlySet<string>): Reply =>
  (socket, request) =>
    answer(
      tokens.has(request.headers.authorization?.replace('Bearer ', '') ?? '')
        ? { body: '{"id":"1"}' }
        : { status: 401, body: '{"error":"expired"}' },
    )(socket, request);

describe('a client whose token comes from a token endpoint', () => {
  test('sends 100 first calls with one token', async () => {
    await using tokens = await startTokenServer();
    await using api = await startFaultServer(admits(new Set(['token-1'])));
    const { client } = connect(api, { authenticate: credentialOf(tokens) });
    const calls = Array.from({ length: 100 }, () => client.request(getContact));
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 100 }, () => ({ id: '1' })));
    expect(tokens.asked).toHaveLength(1);
  });

  test('goes on after its session ended: one new token for all, and each call is sent again', async () => {
    await using tokens = await startTokenServer({ expiresIn: undefined });
    const valid = new Set(['token-1']);
    await using api = await startFaultServer(admits(valid));
    const { client, events, audit } = connect(api, {
      authenticate: credentialOf(tokens),
      tenant: 'org-1',
    });
    await client.request(getContact, { callId: 'CA1' });
    valid.clear();
    valid.add('token-2');
    await Promise.all(Array.from({ length: 20 }, () => client.request(getContact, { callId: 'CA2' })));
    expect(tokens.asked).toHaveLength(2);
    expect(api.requests).toHaveLength(1 + 2 * 20);

    const base = { api: 'messaging', tenant: 'org-1', operation: 'messaging.contacts.get' };
    expect(events.filter(({ type }) => type === 'credential-renewed')).toEqual([
      {
        type: 'credential-renewed',
        credential: 'oauth-client-credentials',
        because: 'absent',
        callId: 'CA1',
        durationMs: expect.any(Number),
        at: expect.any(Number),
        ...base,
      },
      {
        type: 'credential-renewed',
        credential: 'oauth-client-credentials',
        because: 'rejected',
        callId: 'CA2',
        durationMs: expect.any(Number),
        at: expect.any(Number),
        ...base,
      },
    ]);
    // One use for each request that was handed to the network.
    expect(audit).toHaveLength(api.requests.length);
    expect(audit[0]).toEqual({
      type: 'credential-used',
      credential: 'oauth-client-credentials',
      attempt: 1,
      state: 'first',
      callId: 'CA1',
      at: expect.any(Number),
      ...base,
    });
    expect(audit.filter((event) => event.type === 'credential-used' && event.state === 'renewed')).toHaveLength(1);
    expect(JSON.stringify([...events, ...audit])).not.toMatch(/token-\d|s3cret/);
  });

  test('gets the API’s own 401 when the renewal is refused, and no request after it', async () => {
    await using tokens = await startTokenServer();
    const valid = new Set(['token-1']);
    await using api = await startFaultServer(admits(valid));
    const { client, events } = connect(api, { authenticate: credentialOf(tokens) });
    await client.request(getContact);
    valid.clear();
    tokens.clients.clear();
    expect(await failureOf(client.request(createContact))).toMatchObject({ code: 'client_error', status: 401 });
    const refused = await failureOf(client.request(createContact));
    expect(refused).toMatchObject({
      code: 'authentication_failed',
      reason: 'invalid_client',
      operation: 'messaging.contacts.create',
      attempts: 0,
      outcome: 'not_sent',
      retryAfterMs: expect.any(Number),
    });
    expect(api.requests).toHaveLength(2);
    expect(tokens.asked).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'credential-renewal-failed')).toMatchObject([
      { because: 'rejected', reason: 'invalid_client', retryAfterMs: 30_000, operation: 'messaging.contacts.create' },
    ]);
    expect(events.at(-1)).toMatchObject({
      type: 'call',
      error: { code: 'authentication_failed', reason: 'invalid_client' },
    });
    expect(inspect([refused, events], { depth: 20 }) + JSON.stringify([refused, events])).not.toContain(secret);
  });

  test('gives its callers errors of their own for one request that failed them all', async () => {
    await using tokens = await startTokenServer({ clients: {} });
    await using api = await startFaultServer(answer({ body: '{}' }));
    const { client } = connect(api, { authenticate: credentialOf(tokens) });
    const [read, write] = await Promise.all([
      failureOf(client.request(getContact)),
      failureOf(client.request(createContact, { idempotencyKey: 'k' })),
    ]);
    expect([read?.operation, write?.operation]).toEqual(['messaging.contacts.get', 'messaging.contacts.create']);
    expect([read?.idempotencyKey, write?.idempotencyKey]).toEqual([undefined, 'k']);
    expect(tokens.asked).toHaveLength(1);
  });

  test('lets a caller hang up without taking the token from the others', async () => {
    await using tokens = await startTokenServer();
    const slow = held(json(200, { access_token: 'token-1' }));
    tokens.fault(slow.fault);
    await using api = await startFaultServer(admits(new Set(['token-1'])));
    const { client } = connect(api, { authenticate: credentialOf(tokens) });
    const hungUp = new AbortController();
    const first = failureOf(client.request(getContact, { signal: hungUp.signal }));
    const second = client.request(getContact);
    await until(slow.isHolding);
    hungUp.abort();
    expect(await first).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
    slow.release();
    expect(await second).toEqual({ id: '1' });
  });
});
