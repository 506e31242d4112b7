import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { oauthClientCredentials, type OauthClientCredentialsOptions } from '../../src/auth/index.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { failureOf } from '../support/connect.ts';
import { aContext, aListener, tokenOf } from '../support/credential-context.ts';
import {
  hang,
  held,
  json,
  reset,
  stall,
  startTokenServer,
  type TokenFault,
  type TokenServer,
} from '../support/token-server.ts';
import { passing, until } from '../support/until.ts';
import { fixRandom } from '../support/fix-random.ts';

const secret = 's3cret-client';

const credentialOf = (server: Pick<TokenServer, 'endpoint'>, options: Partial<OauthClientCredentialsOptions> = {}) => {
  fixRandom(1);
  const clock = createVirtualClock();
  const credential = oauthClientCredentials({
    tokenEndpoint: server.endpoint,
    clientId: () => 'app-1',
    clientSecret: () => secret,
    ...options,
  });
  return { credential, clock };
};

describe('a token', () => {
  test('is asked for as RFC 6749 says, and goes onto requests as a bearer token', async () => {
    await using server = await startTokenServer();
    const { credential } = credentialOf(server, { scope: 'read write', parameters: { audience: 'billing' } });
    expect(await credential.read(aContext())).toEqual({
      headers: { authorization: 'Bearer token-1' },
      secrets: ['token-1'],
    });
    expect(server.asked).toMatchObject([
      {
        headers: { accept: 'application/json', 'content-type': expect.stringContaining('x-www-form-urlencoded') },
        form: {
          grant_type: 'client_credentials',
          client_id: 'app-1',
          client_secret: secret,
          scope: 'read write',
          audience: 'billing',
        },
      },
    ]);
  });

  test('is asked for with the secret in a header where that is wanted', async () => {
    await using server = await startTokenServer({ clients: { 'app:1': 'ä ü+' } });
    const { credential } = credentialOf(server, {
      clientAuthentication: 'basic',
      clientId: () => 'app:1',
      clientSecret: () => 'ä ü+',
    });
    expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
    expect(server.asked[0]?.form).toEqual({ grant_type: 'client_credentials' });
  });

  test('is asked for without a secret where a client certificate replaces it', async () => {
    await using server = await startTokenServer({ clients: { 'app-1': '' } });
    createVirtualClock();
    const credential = oauthClientCredentials({ tokenEndpoint: server.endpoint, clientId: () => 'app-1' });
    expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
    expect(server.asked[0]?.form).toEqual({ grant_type: 'client_credentials', client_id: 'app-1' });
  });

  test('is asked for through the transport of the application', async () => {
    const seen: HttpRequest[] = [];
    const { credential } = credentialOf(
      { endpoint: 'https://login.example.com/token' },
      {
        transport: async (request) => {
          seen.push(request);
          return { status: 200, headers: new Map(), text: '{"access_token":"from-there"}' };
        },
      },
    );
    expect(tokenOf(await credential.read(aContext()))).toBe('from-there');
    expect(seen).toMatchObject([
      { operation: 'auth.token', method: 'POST', url: 'https://login.example.com/token', effect: 'unsafe-write' },
    ]);
    expect(Object.fromEntries(new URLSearchParams(seen[0]?.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'app-1',
      client_secret: secret,
    });
  });

  test('larger than allowed is refused from a transport of the application too', async () => {
    const { credential } = credentialOf(
      { endpoint: 'https://login.example.com/token' },
      {
        maximumBodyBytes: 20,
        transport: async () => ({ status: 200, headers: new Map(), text: '{"access_token":"from-there"}' }),
      },
    );
    expect(await failureOf(credential.read(aContext()))).toMatchObject({ reason: 'unexpected_response' });
  });

  test('has what its issuer said with it, and none of the secrets', async () => {
    await using server = await startTokenServer({
      extra: {
        instance_url: 'https://northwind.my.salesforce.com',
        issued_at: '1790000000000',
        signature: 'abc',
        id_token: 'eyJ',
        refresh_token: 'r',
        nested: { a: 1 },
        scope: 'api',
      },
      expiresIn: undefined,
    });
    const { credential } = credentialOf(server);
    expect(await credential.tokenDetails()).toEqual({
      instance_url: 'https://northwind.my.salesforce.com',
      issued_at: '1790000000000',
      scope: 'api',
    });
    await credential.read(aContext());
    expect(server.asked).toHaveLength(1);
  });
});

describe('many calls at once', () => {
  test('cost one request for a token: 100 of them', async () => {
    await using server = await startTokenServer();
    const { credential } = credentialOf(server);
    const tokens = await Promise.all(Array.from({ length: 100 }, () => credential.read(aContext())));
    expect(new Set(tokens.map(tokenOf))).toEqual(new Set(['token-1']));
    expect(server.asked).toHaveLength(1);
  });

  test('that are refused with 401 cost one more', async () => {
    await using server = await startTokenServer();
    const { credential } = credentialOf(server);
    const rejected = await credential.read(aContext());
    const renewed = await Promise.all(Array.from({ length: 100 }, () => credential.renew(rejected, aContext())));
    expect(new Set(renewed.map((issued) => issued && tokenOf(issued)))).toEqual(new Set(['token-2']));
    // One that gets its 401 late is given the token that is there by then.
    const late = await credential.renew(rejected, aContext());
    expect(late && tokenOf(late)).toBe('token-2');
    expect(server.asked).toHaveLength(2);
  });

  test('wait each for their own time: a caller that gives up takes the token from no other', async () => {
    await using server = await startTokenServer();
    const answer = held(json(200, { access_token: 'late', token_type: 'bearer' }));
    server.fault(answer.fault);
    const { credential } = credentialOf(server);
    const hungUp = new AbortController();
    const first = failureOf(credential.read(aContext({ signal: hungUp.signal })));
    const second = credential.read(aContext());
    await until(answer.isHolding);
    hungUp.abort(new Error('the caller hung up'));
    expect(await first).toMatchObject({ message: 'the caller hung up' });
    answer.release();
    expect(tokenOf(await second)).toBe('late');
    expect(server.asked).toHaveLength(1);
  });

  test('that all give up leave a request behind that ends by itself', async () => {
    await using server = await startTokenServer();
    server.fault(hang, hang);
    const { credential, clock } = credentialOf(server);
    const hungUp = new AbortController();
    const call = failureOf(credential.read(aContext({ signal: hungUp.signal })));
    await server.request(1);
    hungUp.abort(new Error('the caller hung up'));
    await call;
    expect(clock.pendingTimers()).toBeGreaterThan(0);
    await clock.advance(3_000);
    await server.request(1);
    await passing(
      clock,
      until(() => clock.pendingTimers() === 0),
    );
    expect(server.asked.length).toBeLessThanOrEqual(2);
  });

  test('of several tenants get each their own token', async () => {
    await using server = await startTokenServer({ clients: { a: 'secret-a', b: 'secret-b' } });
    const { credential } = credentialOf(server, {
      clientId: ({ tenant = '' }) => tenant,
      clientSecret: async ({ tenant }) => `secret-${tenant}`,
    });
    const [a, b, again] = await Promise.all(['a', 'b', 'a'].map((tenant) => credential.read(aContext({ tenant }))));
    expect(new Set(server.asked.map(({ form }) => form.client_id))).toEqual(new Set(['a', 'b']));
    expect(server.asked).toHaveLength(2);
    expect(a && b && tokenOf(a) !== tokenOf(b)).toBe(true);
    expect(again).toEqual(a);
  });
});

describe('a token whose expiry is known', () => {
  test('is renewed before it, while the old one is still used', async () => {
    await using server = await startTokenServer({ expiresIn: 600 });
    const { credential, clock } = credentialOf(server);
    const { context, renewals } = aListener();
    await credential.read(context);
    await clock.advance(539_000);
    expect(tokenOf(await credential.read(context))).toBe('token-1');
    expect(server.asked).toHaveLength(1);
    await clock.advance(1_000);
    expect(tokenOf(await credential.read(context))).toBe('token-1');
    await until(() => renewals.length === 2);
    expect(tokenOf(await credential.read(context))).toBe('token-2');
    expect(server.asked).toHaveLength(2);
    expect(renewals).toEqual([
      { because: 'absent', durationMs: 0, expiresInMs: 600_000 },
      { because: 'expiring', durationMs: 0, expiresInMs: 600_000 },
    ]);
  });

  test('is still used when the early renewal fails, and no request follows without a pause', async () => {
    await using server = await startTokenServer({ expiresIn: 600 });
    const { credential, clock } = credentialOf(server);
    const { context, renewals } = aListener();
    await credential.read(context);
    server.fault(json(400, { error: 'invalid_grant' }), json(400, { error: 'invalid_grant' }));
    await clock.advance(541_000);
    for (let call = 0; call < 50; call += 1) expect(tokenOf(await credential.read(context))).toBe('token-1');
    await until(() => renewals.length === 2);
    for (let call = 0; call < 50; call += 1) expect(tokenOf(await credential.read(context))).toBe('token-1');
    expect(server.asked).toHaveLength(2);
    expect(renewals[1]).toEqual({
      because: 'expiring',
      durationMs: 0,
      failure: 'invalid_grant',
      retryAfterMs: 30_000,
    });
  });

  test('is not used after it, and then calls wait for the next', async () => {
    await using server = await startTokenServer({ expiresIn: 600 });
    const { credential, clock } = credentialOf(server);
    await credential.read(aContext());
    await clock.advance(600_000);
    expect(tokenOf(await credential.read(aContext()))).toBe('token-2');
  });

  test('does not depend on the wall clock, which may step', async () => {
    await using server = await startTokenServer({ expiresIn: 600 });
    const { credential, clock } = credentialOf(server);
    await credential.read(aContext());
    clock.stepWall(86_400_000);
    expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
    clock.stepWall(-86_400_000 * 2);
    await clock.advance(600_000);
    expect(tokenOf(await credential.read(aContext()))).toBe('token-2');
  });

  test('that is over at once still serves the calls that waited for it', async () => {
    await using server = await startTokenServer({ expiresIn: 0.001 });
    const { credential, clock } = credentialOf(server);
    expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
    await clock.advance(1);
    expect(tokenOf(await credential.read(aContext()))).toBe('token-2');
  });

  test.each([undefined, 'soon', 0, 1e300])('is taken to have none when it says %j', async (expiresIn) => {
    await using server = await startTokenServer({ expiresIn });
    const { credential, clock } = credentialOf(server);
    const { context, renewals } = aListener();
    await credential.read(context);
    await clock.advance(365 * 86_400_000);
    expect(tokenOf(await credential.read(context))).toBe('token-1');
    expect(renewals).toEqual([{ because: 'absent', durationMs: 0 }]);
  });
});

/** What the endpoint may do, the code of the error, and how often one call asks it. */
const faults: readonly [how: string, fault: TokenFault, reason: string, asked: number][] = [
  ['says nothing', hang, 'timeout', 2],
  ['never ends its answer', stall, 'timeout', 2],
  ['resets the connection', reset, 'network', 2],
  ['fails with 500', json(500, { error: 'invalid_grant' }), 'server_error', 2],
  ['asks for patience', json(429, ''), 'rate_limited', 2],
  ['asks for more patience than a call has', json(429, '', { 'retry-after': '30' }), 'rate_limited', 1],
  [
    'says that it is busy in its own words',
    json(400, { error: 'temporarily_unavailable' }),
    'temporarily_unavailable',
    2,
  ],
  ['refuses the client', json(401, { error: 'invalid_client' }, { 'www-authenticate': 'Basic' }), 'invalid_client', 1],
  ['refuses with a 200', json(200, { error: 'invalid_grant' }), 'invalid_grant', 1],
  ['refuses in words of its own', json(403, '<html>no</html>'), 'refused', 1],
  ['refuses and repeats the secret', json(400, { error: `no-${secret}` }), 'refused', 1],
  ['redirects', json(302, '', { location: 'https://elsewhere.example' }), 'unexpected_response', 1],
  ['answers HTML', json(200, '<html>sign in</html>'), 'unexpected_response', 1],
  ['answers without a token', json(200, { token_type: 'bearer' }), 'unexpected_response', 1],
  ['answers a token that is no text', json(200, { access_token: { a: 1 } }), 'unexpected_response', 1],
  ['answers an empty token', json(200, { access_token: '' }), 'unexpected_response', 1],
  ['answers a token with a line break', json(200, { access_token: 'a\r\nx: 1' }), 'unexpected_response', 1],
  ['answers a token of another kind', json(200, { access_token: 'x', token_type: 'mac' }), 'unexpected_response', 1],
  [
    'answers a token that needs a proof',
    json(200, { access_token: 'x', token_type: 'DPoP' }),
    'unexpected_response',
    1,
  ],
  ['answers without end', json(200, `{"access_token":"${'x'.repeat(1_000_000)}"}`), 'unexpected_response', 1],
];

/** The first fault of each of these reasons: what follows an error depends on nothing else. */
const among = (...reasons: readonly string[]) =>
  reasons.map((reason) => faults.find(([, , other]) => other === reason)!);

describe('an endpoint that', () => {
  test.each(faults)('%s gives no token, says why in a code, and no secret', async (_how, fault, reason, asked) => {
    await using server = await startTokenServer();
    server.fault(fault, fault);
    const { credential, clock } = credentialOf(server);
    const { context, renewals } = aListener();
    const error = await passing(clock, failureOf(credential.read(context)));
    expect(error).toMatchObject({
      code: 'authentication_failed',
      operation: 'crm.leads.create',
      outcome: 'not_sent',
      reason,
    });
    expect(error.message).toMatch(/^crm\.leads\.create was not sent: the token endpoint /);
    expect(server.asked).toHaveLength(asked);
    expect(renewals).toMatchObject([{ because: 'absent', failure: reason }]);
    expect(inspect(error, { depth: 20 }) + JSON.stringify(error) + JSON.stringify(renewals)).not.toContain(secret);
  });

  test.each(among('timeout', 'rate_limited', 'invalid_client'))(
    '%s is not asked again by the calls that follow at once',
    async (_how, fault, reason, asked) => {
      await using server = await startTokenServer();
      server.fault(...Array.from({ length: 20 }, () => fault));
      const { credential, clock } = credentialOf(server);
      await passing(clock, failureOf(credential.read(aContext())));
      for (let call = 0; call < 20; call += 1)
        expect(await failureOf(credential.read(aContext()))).toMatchObject({
          reason,
          retryAfterMs: expect.any(Number),
        });
      expect(server.asked).toHaveLength(asked);
    },
  );

  test.each(among('network', 'temporarily_unavailable'))(
    '%s once is asked again, and no caller notices',
    async (_how, fault) => {
      await using server = await startTokenServer();
      server.fault(fault);
      const { credential, clock } = credentialOf(server);
      expect(tokenOf(await passing(clock, credential.read(aContext())))).toBe('token-1');
      expect(server.asked).toHaveLength(2);
    },
  );

  test('is down is asked less and less often, and used again when it is back', async () => {
    await using server = await startTokenServer();
    server.fault(...Array.from({ length: 10 }, () => json(503, '')));
    const { credential, clock } = credentialOf(server);
    const pauses: (number | undefined)[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { retryAfterMs } = await passing(clock, failureOf(credential.read(aContext())));
      pauses.push(retryAfterMs);
      await clock.advance(retryAfterMs ?? 0);
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 5_000]);
    expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
    expect(server.asked).toHaveLength(11);
  });

  test('asks for a pause is given it', async () => {
    await using server = await startTokenServer();
    server.fault(json(429, '', { 'retry-after': '30' }));
    const { credential, clock } = credentialOf(server);
    expect(await failureOf(credential.read(aContext()))).toMatchObject({ retryAfterMs: 30_000 });
    await clock.advance(29_999);
    expect(await failureOf(credential.read(aContext()))).toMatchObject({ retryAfterMs: 1 });
    await clock.advance(1);
    expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
  });
});

describe('a refusal', () => {
  test('holds until the cool-down is over', async () => {
    await using server = await startTokenServer({ clients: {} });
    const { credential, clock } = credentialOf(server, { coolDownMs: 10_000 });
    await failureOf(credential.read(aContext()));
    await clock.advance(9_999);
    expect(await failureOf(credential.read(aContext()))).toMatchObject({ reason: 'invalid_client', retryAfterMs: 1 });
    expect(server.asked).toHaveLength(1);
    server.clients.set('app-1', secret);
    await clock.advance(1);
    expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
  });

  test('ends at once when a secret changes: no restart, no wait', async () => {
    await using server = await startTokenServer({ clients: { 'app-1': 'rotated' } });
    let current = 'old';
    const { credential } = credentialOf(server, { clientSecret: () => current });
    for (let call = 0; call < 10; call += 1)
      expect(await failureOf(credential.read(aContext()))).toMatchObject({ reason: 'invalid_client' });
    expect(server.asked).toHaveLength(1);
    current = 'rotated';
    expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
    expect(server.asked).toHaveLength(2);
  });
});

describe('after a 401', () => {
  test('there is none where the endpoint gives the refused token again', async () => {
    await using server = await startTokenServer();
    server.fault(json(200, { access_token: 'same' }), json(200, { access_token: 'same' }));
    const { credential } = credentialOf(server);
    const rejected = await credential.read(aContext());
    expect(await credential.renew(rejected, aContext())).toBeUndefined();
  });

  test('there is one only so often: an API that refuses every token does not keep the endpoint busy', async () => {
    await using server = await startTokenServer();
    const { credential, clock } = credentialOf(server);
    for (let call = 0; call < 20; call += 1) await credential.renew(await credential.read(aContext()), aContext());
    expect(server.asked).toHaveLength(4);
    await clock.advance(30_000);
    expect(await credential.renew(await credential.read(aContext()), aContext())).toBeDefined();
    expect(server.asked).toHaveLength(5);
  });

  test('the refused token is not used again when there is no other', async () => {
    await using server = await startTokenServer();
    const { credential } = credentialOf(server);
    const rejected = await credential.read(aContext());
    server.fault(json(400, { error: 'invalid_grant' }));
    expect(await failureOf(credential.renew(rejected, aContext()))).toMatchObject({ reason: 'invalid_grant' });
    expect(await failureOf(credential.read(aContext()))).toMatchObject({ reason: 'invalid_grant' });
    expect(server.asked).toHaveLength(2);
  });
});

describe('a secret', () => {
  test.each<[string, Partial<Record<keyof OauthClientCredentialsOptions, unknown>>]>([
    ['clientId', { clientId: 'app-1' }],
    ['clientSecret', { clientSecret: secret }],
  ])('that is written in code is refused without repeating it: %s', (field, wrong) => {
    expect(() => credentialOf({ endpoint: 'https://login.example.com/token' }, wrong as object)).toThrow(
      new RegExp(`^${field} must be a function that reads the secret`),
    );
  });

  test.each([
    'https://app:s3cret@login.example.com/token',
    'https://login.example.com/token?client_secret=s3cret',
    'https://login.example.com/token#s3cret',
    'http://login.example.com/token',
    'ftp://login.example.com/token',
    '/token',
  ])('may not be sent to %s, and the address is not repeated', (endpoint) => {
    expect(() => credentialOf({ endpoint })).toThrow(/^tokenEndpoint must/);
    expect(() => credentialOf({ endpoint })).not.toThrow(/s3cret/);
  });

  test('that cannot be read is an error of its source, with nothing of what it said', async () => {
    await using server = await startTokenServer();
    const { credential } = credentialOf(server, {
      clientSecret: () => Promise.reject(new Error(`vault is sealed, ${secret}`)),
    });
    const error = await failureOf(credential.read(aContext()));
    expect(error).toMatchObject({ code: 'authentication_failed', reason: 'no_secret' });
    expect(inspect(error) + JSON.stringify(error)).not.toContain(secret);
    expect(server.asked).toEqual([]);
  });

  test('that is not there says which', async () => {
    await using server = await startTokenServer();
    const { credential } = credentialOf(server, { clientSecret: () => '' });
    expect(await failureOf(credential.read(aContext()))).toMatchObject({
      message:
        "crm.leads.create was not sent: the token endpoint could not be asked: clientSecret gave no secret. Its function must return a text that is not empty. fromEnv('API_TOKEN') names a variable that is missing",
    });
  });

  test('that never comes is waited for no longer than the credential may take, and nothing is sent after', async () => {
    await using server = await startTokenServer();
    const late = Promise.withResolvers<string>();
    const { credential, clock } = credentialOf(server, { clientSecret: () => late.promise });
    const end = failureOf(credential.read(aContext()));
    await clock.advance(8_000);
    expect(await end).toMatchObject({ reason: 'timeout' });
    late.resolve(secret);
    await clock.advance(60_000);
    expect(server.asked).toEqual([]);
    expect(clock.pendingTimers()).toBe(0);
  });
});

test.each<[string, Partial<OauthClientCredentialsOptions>]>([
  ['attemptTimeoutMs', { attemptTimeoutMs: 0 }],
  ['renewBeforeMs', { renewBeforeMs: -1 }],
  ['maximumBodyBytes', { maximumBodyBytes: 0 }],
])('an option that cannot work is refused: %s', (field, wrong) => {
  expect(() => credentialOf({ endpoint: 'https://login.example.com/token' }, wrong)).toThrow(
    new RegExp(`^${field} must`),
  );
});
