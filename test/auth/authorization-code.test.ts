import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { authorizationCode, type AuthorizationCodeOptions, type AuthorizationRequest } from '../../src/auth/index.ts';
import type { AuthenticationError } from '../../src/core/errors.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { failureOf } from '../support/connect.ts';
import { hang, json, reset, startTokenServer, type TokenServer } from '../support/token-server.ts';
import { until } from '../support/until.ts';

const redirectUri = 'https://agent.example.com/connected';
const wallNow = Date.UTC(2026, 10, 21, 12);

const setUp = (server: Pick<TokenServer, 'endpoint'>, options: Partial<AuthorizationCodeOptions> = {}) => {
  const clock = createVirtualClock({ wallNow });
  const connecting = authorizationCode({
    authorizationEndpoint: 'https://app.example.com/oauth',
    tokenEndpoint: server.endpoint,
    redirectUri,
    clientId: () => 'app-1',
    clientSecret: () => 's3cret-client',
    ...options,
  });
  return { connecting, clock };
};

/** The customer says yes: the server gives a code and sends the browser back. */
const consent = (server: TokenServer, { url }: AuthorizationRequest): string => {
  const { searchParams } = new URL(url);
  const codeChallenge = searchParams.get('code_challenge') ?? undefined;
  server.codes.set('code-1', { redirectUri, ...(codeChallenge === undefined ? {} : { codeChallenge }) });
  return `${redirectUri}?code=code-1&state=${searchParams.get('state')}`;
};

test('a customer is sent to the server with a state and a challenge, and nothing secret', async () => {
  const { connecting } = setUp({ endpoint: 'https://api.example.com/token' });
  const request = await connecting.createAuthorizationRequest({
    scope: 'read',
    parameters: { prompt: 'consent', state: 'no' },
  });
  const { searchParams, origin, pathname } = new URL(request.url);
  expect(`${origin}${pathname}`).toBe('https://app.example.com/oauth');
  expect(Object.fromEntries(searchParams)).toEqual({
    prompt: 'consent',
    response_type: 'code',
    client_id: 'app-1',
    redirect_uri: redirectUri,
    scope: 'read',
    state: request.state,
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  expect(request.codeVerifier).toMatch(/^[\w-]{43}$/);
  expect(request.expiresAt).toBe(wallNow + 600_000);
  expect(request.url).not.toContain(request.codeVerifier);
  expect((await connecting.createAuthorizationRequest()).state).not.toBe(request.state);
});

test('the code of the answer is traded for tokens', async () => {
  await using server = await startTokenServer({ extra: { instance_url: 'https://northwind.my.salesforce.com' } });
  const { connecting } = setUp(server);
  const request = await connecting.createAuthorizationRequest();
  expect(await connecting.exchangeAuthorizationCode(consent(server, request), request)).toEqual({
    accessToken: 'token-1',
    refreshToken: 'refresh-1',
    expiresAt: wallNow + 3_600_000,
    details: { expires_in: 3600, instance_url: 'https://northwind.my.salesforce.com' },
  });
  expect(server.asked[0]?.form).toEqual({
    grant_type: 'authorization_code',
    code: 'code-1',
    redirect_uri: redirectUri,
    code_verifier: request.codeVerifier,
    client_id: 'app-1',
    client_secret: 's3cret-client',
  });
});

test('an endpoint that calls its token "token", without expiry and refresh token, is no obstacle', async () => {
  await using server = await startTokenServer();
  server.fault(json(200, { token: 'dG9rOjEyMw==' }));
  const { connecting } = setUp(server, { tokenField: 'token', pkce: false });
  const request = await connecting.createAuthorizationRequest();
  expect(request.codeVerifier).toBeUndefined();
  // What a web framework has at hand: path and query.
  const callback = consent(server, request).replace('https://agent.example.com', '');
  expect(await connecting.exchangeAuthorizationCode(callback, request)).toEqual({
    accessToken: 'dG9rOjEyMw==',
    details: {},
  });
});

describe('an answer', () => {
  const answered = async (
    change: (callback: URL, request: AuthorizationRequest) => void,
    options: Partial<AuthorizationCodeOptions> = {},
  ) => {
    const server = await startTokenServer();
    const { connecting, clock } = setUp(server, options);
    const request = await connecting.createAuthorizationRequest();
    const callback = new URL(consent(server, request));
    change(callback, request);
    return { server, connecting, clock, request, callback };
  };

  test.each<[string, (callback: URL) => void, string]>([
    ['of another request', (callback) => callback.searchParams.set('state', 'x'.repeat(43)), 'state_mismatch'],
    [
      'with a part of the state',
      (callback) => callback.searchParams.set('state', callback.searchParams.get('state')?.slice(1) ?? ''),
      'state_mismatch',
    ],
    ['without a state', (callback) => callback.searchParams.delete('state'), 'state_mismatch'],
    ['with two states', (callback) => callback.searchParams.append('state', 'x'), 'callback_ambiguous'],
    ['with two codes', (callback) => callback.searchParams.append('code', 'x'), 'callback_ambiguous'],
    ['without a code', (callback) => callback.searchParams.delete('code'), 'code_missing'],
    ['that says no', (callback) => callback.searchParams.set('error', 'access_denied'), 'access_denied'],
    ['that says no in a sentence', (callback) => callback.searchParams.set('error', '<b>no</b>'), 'refused'],
    ['that names no server', (callback) => callback.searchParams.delete('iss'), 'issuer_mismatch'],
    ['of another server', (callback) => callback.searchParams.set('iss', 'https://evil.example'), 'issuer_mismatch'],
  ])('%s is refused, and no code is sent', async (_how, change, reason) => {
    const issuer = 'https://app.example.com';
    const fromIssuer = (callback: URL) => {
      callback.searchParams.set('iss', issuer);
      change(callback);
    };
    const { server, connecting, request, callback } = await answered(fromIssuer, { issuer });
    await using _server = server;
    const error = await failureOf(connecting.exchangeAuthorizationCode(callback, request));
    expect(error).toMatchObject({ code: 'authentication_failed', reason });
    expect(server.asked).toEqual([]);
  });

  test('that comes too late is refused', async () => {
    const { server, connecting, clock, request, callback } = await answered(() => undefined);
    await using _server = server;
    await clock.advance(600_000);
    expect(await failureOf(connecting.exchangeAuthorizationCode(callback, request))).toMatchObject({
      reason: 'state_expired',
    });
    expect(server.asked).toEqual([]);
  });

  test('to a request whose state was lost is refused, not matched with nothing', async () => {
    const { server, connecting, request, callback } = await answered((url) => url.searchParams.set('state', ''));
    await using _server = server;
    const lost = { ...request, state: '' };
    expect(await failureOf(connecting.exchangeAuthorizationCode(callback, lost))).toMatchObject({
      reason: 'state_mismatch',
    });
  });

  test('is used once, also when it comes many times at once', async () => {
    const { server, connecting, request, callback } = await answered(() => undefined);
    await using _server = server;
    const ends = await Promise.allSettled(
      Array.from({ length: 10 }, () => connecting.exchangeAuthorizationCode(callback, request)),
    );
    expect(ends.map((end) => end.status === 'rejected' && (end.reason as AuthenticationError).reason)).toEqual([
      false,
      ...Array.from({ length: 9 }, () => 'state_used'),
    ]);
    expect(await failureOf(connecting.exchangeAuthorizationCode(callback, request))).toMatchObject({
      reason: 'state_used',
    });
    expect(server.asked).toHaveLength(1);
  });

  test('is used once by all processes that share a store', async () => {
    const used = createMemoryIdempotencyStore();
    const { server, connecting, request, callback } = await answered(() => undefined, { used });
    await using _server = server;
    await connecting.exchangeAuthorizationCode(callback, request);
    const elsewhere = setUp(server, { used }).connecting;
    expect(await failureOf(elsewhere.exchangeAuthorizationCode(callback, request))).toMatchObject({
      reason: 'state_used',
    });
  });

  test('that the token endpoint refuses is not tried again, and the error holds no secret', async () => {
    const { server, connecting, request, callback } = await answered(() => undefined);
    await using _server = server;
    server.codes.clear();
    const error = await failureOf(connecting.exchangeAuthorizationCode(callback, request));
    expect(error).toMatchObject({
      reason: 'invalid_grant',
      message: 'auth.exchangeAuthorizationCode gave no token: the token endpoint refused it (invalid_grant)',
    });
    expect(inspect(error, { depth: 20 }) + JSON.stringify(error)).not.toMatch(/s3cret|code-1/);
    expect(await failureOf(connecting.exchangeAuthorizationCode(callback, request))).toMatchObject({
      reason: 'state_used',
    });
    expect(server.asked).toHaveLength(1);
  });

  test('whose code may have been spent is not tried again', async () => {
    const { server, connecting, request, callback } = await answered(() => undefined);
    await using _server = server;
    server.fault(reset);
    expect(await failureOf(connecting.exchangeAuthorizationCode(callback, request))).toMatchObject({
      reason: 'network',
    });
    expect(await failureOf(connecting.exchangeAuthorizationCode(callback, request))).toMatchObject({
      reason: 'state_used',
    });
  });

  test('is good for another try when the token endpoint could not be reached at all', async () => {
    const server = await startTokenServer();
    await server[Symbol.asyncDispose]();
    const { connecting } = setUp(server);
    const request = await connecting.createAuthorizationRequest();
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await failureOf(connecting.exchangeAuthorizationCode(consent(server, request), request))).toMatchObject({
        reason: 'network',
        cause: { networkCode: 'ECONNREFUSED' },
      });
  });

  test('takes no longer than it may, and ends when the request that brought it does', async () => {
    const { server, connecting, clock, request, callback } = await answered(() => undefined);
    await using _server = server;
    server.fault(hang, hang);
    const slow = failureOf(connecting.exchangeAuthorizationCode(callback, request));
    await server.request(1);
    await clock.advance(3_000);
    expect(await slow).toMatchObject({ reason: 'timeout' });

    const next = await connecting.createAuthorizationRequest();
    const gone = new AbortController();
    const left = failureOf(connecting.exchangeAuthorizationCode(consent(server, next), next, { signal: gone.signal }));
    await server.request(2);
    gone.abort(new Error('the browser left'));
    expect(await left).toMatchObject({ message: 'the browser left' });
    await until(() => clock.pendingTimers() === 0);
  });
});

test.each<[string, object]>([
  ['authorizationEndpoint', { authorizationEndpoint: 'https://app.example.com/oauth?client_secret=x' }],
  ['authorizationEndpoint', { authorizationEndpoint: 'http://app.example.com/oauth' }],
  ['redirectUri', { redirectUri: 'http://agent.example.com/connected' }],
  ['clientSecret', { clientSecret: 's3cret' }],
  ['clientSecret', { clientSecret: undefined, clientAuthentication: 'basic' }],
  ['validForMs', { validForMs: 0 }],
])('an option that cannot work is refused: %s', (field, wrong) => {
  expect(() => setUp({ endpoint: 'https://api.example.com/token' }, wrong)).toThrow(new RegExp(`^${field} must`));
});
