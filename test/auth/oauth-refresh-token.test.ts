import { describe, expect, test } from 'vitest';
import { oauthRefreshToken, type OauthRefreshTokenOptions } from '../../src/auth/index.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { failureOf } from '../support/connect.ts';
import { aContext, tokenOf } from '../support/credential-context.ts';
import { held, json, startTokenServer, type TokenServer } from '../support/token-server.ts';
import { passing, until } from '../support/until.ts';
import { createMemoryTokenStore } from '../../src/stores/memory-token-store.ts';
import { fixRandom } from '../support/fix-random.ts';

/** An application that keeps the refresh token of one customer. */
const setUp = (server: TokenServer, options: Partial<OauthRefreshTokenOptions> = {}) => {
  fixRandom(1);
  const clock = createVirtualClock();
  const kept = { refreshToken: 'refresh-1' };
  const credential = oauthRefreshToken({
    tokenEndpoint: server.endpoint,
    clientId: () => 'app-1',
    clientSecret: () => 's3cret-client',
    refreshToken: () => kept.refreshToken,
    onRefreshToken: (token) => {
      kept.refreshToken = token;
    },
    ...options,
  });
  return { credential, clock, kept };
};

test('a refresh token is traded for an access token, again after a 401', async () => {
  await using server = await startTokenServer();
  const { credential, kept } = setUp(server);
  const first = await credential.read(aContext());
  const second = await credential.renew(first, aContext());
  expect([first, second].map((issued) => issued && tokenOf(issued))).toEqual(['token-1', 'token-2']);
  expect(server.asked.map(({ form }) => form)).toEqual(
    Array.from({ length: 2 }, () => ({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
      client_id: 'app-1',
      client_secret: 's3cret-client',
    })),
  );
  expect(kept.refreshToken).toBe('refresh-1');
});

test('a customer who took the consent back gets a code of its own, once', async () => {
  await using server = await startTokenServer();
  server.refreshTokens.clear();
  const { credential, kept } = setUp(server);
  for (let call = 0; call < 5; call += 1)
    expect(await failureOf(credential.read(aContext()))).toMatchObject({ reason: 'invalid_grant' });
  expect(server.asked).toHaveLength(1);
  // The customer connects again: there is another refresh token, and no restart.
  server.refreshTokens.add('refresh-9');
  kept.refreshToken = 'refresh-9';
  expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
});

describe('a refresh token that works once', () => {
  test('is kept before what came with it is used', async () => {
    await using server = await startTokenServer({ rotates: true });
    const kept = Promise.withResolvers<void>();
    const handedOver: unknown[] = [];
    const { credential } = setUp(server, {
      onRefreshToken: (token, context) => {
        handedOver.push([token, context]);
        return kept.promise;
      },
    });
    let isUsed = false;
    const read = credential.read(aContext({ tenant: 'acct_1' })).then((issued) => {
      isUsed = true;
      return issued;
    });
    while (handedOver.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(handedOver).toEqual([['refresh-2', { tenant: 'acct_1' }]]);
    expect(isUsed).toBe(false);
    kept.resolve();
    expect(tokenOf(await read)).toBe('token-1');
  });

  test('goes from one to the next, however often it is renewed', async () => {
    await using server = await startTokenServer({ rotates: true, expiresIn: 60 });
    const { credential, clock, kept } = setUp(server);
    for (let round = 1; round <= 20; round += 1) {
      expect(tokenOf(await credential.read(aContext()))).toBe(`token-${round}`);
      await clock.advance(60_000);
    }
    expect(kept.refreshToken).toBe('refresh-21');
    expect(server.asked.map(({ form }) => form.refresh_token)).toEqual(
      Array.from({ length: 20 }, (_, index) => `refresh-${index + 1}`),
    );
  });

  test('is not lost when it cannot be kept: it is handed over again, and no other is asked for', async () => {
    await using server = await startTokenServer({ rotates: true });
    let isDown = true;
    const handedOver: string[] = [];
    const { credential, clock, kept } = setUp(server, {
      onRefreshToken: async (token) => {
        handedOver.push(token);
        if (isDown) throw new Error('the database is down');
        kept.refreshToken = token;
      },
    });
    const error = await passing(clock, failureOf(credential.read(aContext())));
    expect(error).toMatchObject({ reason: 'refresh_token_not_kept', original: { message: 'the database is down' } });
    await clock.advance(500);
    await passing(clock, failureOf(credential.read(aContext())));
    expect(handedOver).toEqual(['refresh-2', 'refresh-2', 'refresh-2', 'refresh-2']);
    isDown = false;
    await clock.advance(1_000);
    expect(tokenOf(await passing(clock, credential.read(aContext())))).toBe('token-1');
    expect(kept.refreshToken).toBe('refresh-2');
    expect(server.asked).toHaveLength(1);
  });

  test('is not lost when keeping it takes longer than the credential may', async () => {
    await using server = await startTokenServer({ rotates: true });
    const handedOver: string[] = [];
    const { credential, clock } = setUp(server, {
      onRefreshToken: (token) => {
        handedOver.push(token);
        return handedOver.length === 1 ? new Promise(() => undefined) : undefined;
      },
    });
    expect(await passing(clock, failureOf(credential.read(aContext())))).toMatchObject({ reason: 'timeout' });
    await clock.advance(500);
    expect(tokenOf(await passing(clock, credential.read(aContext())))).toBe('token-1');
    expect(handedOver).toEqual(['refresh-2', 'refresh-2']);
    expect(server.asked).toHaveLength(1);
  });

  test('is known to be spent, also while a secret manager still shows it', async () => {
    await using server = await startTokenServer({ rotates: true });
    const { credential } = setUp(server, { refreshToken: () => 'refresh-1', onRefreshToken: () => undefined });
    for (let round = 1; round <= 3; round += 1) await credential.renew(await credential.read(aContext()), aContext());
    expect(server.asked.map(({ form }) => form.refresh_token)).toEqual([
      'refresh-1',
      'refresh-2',
      'refresh-3',
      'refresh-4',
    ]);
  });

  test('of one tenant is not that of another', async () => {
    await using server = await startTokenServer({ rotates: true });
    server.refreshTokens.add('of-b');
    const kept: Record<string, string> = { a: 'refresh-1', b: 'of-b' };
    const { credential } = setUp(server, {
      refreshToken: ({ tenant = '' }) => kept[tenant] ?? '',
      onRefreshToken: (token, { tenant = '' }) => {
        kept[tenant] = token;
      },
    });
    await credential.read(aContext({ tenant: 'a' }));
    await credential.read(aContext({ tenant: 'b' }));
    expect(server.asked.map(({ form }) => form.refresh_token)).toEqual(['refresh-1', 'of-b']);
    expect(kept).toEqual({ a: 'refresh-2', b: 'refresh-3' });
  });
});

describe('a lock of the endpoint, while another request trades the same refresh token,', () => {
  const locked = (error_description = 'token request is already being processed') =>
    json(400, { error: 'invalid_grant', error_description });

  test.each([
    'token request is already being processed',
    'Token request is already being processed.',
    'expired authorization code',
  ])('is waited for: %s', async (words) => {
    await using server = await startTokenServer();
    server.fault(locked(words));
    const { credential, clock } = setUp(server);
    const read = credential.read(aContext());
    await server.request(1);
    await clock.advance(499);
    expect(server.asked).toHaveLength(1);

    expect(tokenOf(await passing(clock, read))).toBe('token-1');
    expect(server.asked).toHaveLength(2);
  });

  test('is waited for a few times, and isn’t taken for a refusal', async () => {
    await using server = await startTokenServer();
    server.fault(...Array.from({ length: 5 }, () => locked()));
    const { credential, clock } = setUp(server);

    expect(await passing(clock, failureOf(credential.read(aContext())))).toMatchObject({
      reason: 'refresh_in_progress',
      retryAfterMs: 500,
    });
    await clock.advance(500);
    expect(tokenOf(await passing(clock, credential.read(aContext())))).toBe('token-1');
    expect(server.asked).toHaveLength(6);
  });

  test('is followed by the refresh token that took the place of this one', async () => {
    await using server = await startTokenServer();
    server.fault((response) => {
      server.refreshTokens.delete('refresh-1');
      server.refreshTokens.add('refresh-7');
      kept.refreshToken = 'refresh-7';
      locked()(response);
    });
    const { credential, clock, kept } = setUp(server);

    expect(tokenOf(await passing(clock, credential.read(aContext())))).toBe('token-1');
    expect(server.asked.map(({ form }) => form.refresh_token)).toEqual(['refresh-1', 'refresh-7']);
  });

  test('is followed by the token that another process got, without a request', async () => {
    await using server = await startTokenServer();
    const { claim: _none, ...store } = createMemoryTokenStore();
    const clock = createVirtualClock();
    const first = setUp(server, { store });
    const other = setUp(server, { store });
    server.fault((response) => {
      void first.credential.read(aContext()).then(() => locked()(response));
    });

    expect(tokenOf(await passing(clock, other.credential.read(aContext())))).toBe('token-1');
    expect(server.asked).toHaveLength(2);
  });

  test.each([
    { error: 'invalid_grant', error_description: 'expired access/refresh token' },
    { error: 'invalid_grant', error_description: 'user hasn’t approved this consumer' },
    { error: 'invalid_client', error_description: 'token request is already being processed' },
    { error: 'invalid_grant' },
  ])('isn’t any other refusal: %j', async (body) => {
    await using server = await startTokenServer();
    server.fault(json(400, body));
    const { credential, clock } = setUp(server);

    expect(await passing(clock, failureOf(credential.read(aContext())))).toMatchObject({ retryAfterMs: 30_000 });
    expect(server.asked).toHaveLength(1);
  });
});

test('two processes that share a store use no refresh token again, even if one reads the old one for a while', async () => {
  await using server = await startTokenServer({ rotates: true, expiresIn: 60 });
  const store = createMemoryTokenStore();
  let shown: string | undefined = 'refresh-1';
  const { credential: first, clock, kept } = setUp(server, { store });
  const { credential: second } = setUp(server, { store, refreshToken: () => shown ?? kept.refreshToken });

  expect(tokenOf(await passing(clock, first.read(aContext())))).toBe('token-1');
  expect(tokenOf(await passing(clock, second.read(aContext())))).toBe('token-1');
  await clock.advance(60_000);
  const late = second.read(aContext());
  await clock.advance(700);
  expect(server.asked).toHaveLength(1);
  shown = undefined;

  expect(tokenOf(await passing(clock, late))).toBe('token-2');
  const used = server.asked.map(({ form }) => form.refresh_token);
  expect(used).toEqual(['refresh-1', 'refresh-2']);
  expect(new Set(used).size).toBe(used.length);
});

test.each<[string, object]>([
  ['by default', {}],
  ['with times that are undefined', { attemptTimeoutMs: undefined, deadlineMs: undefined }],
])(
  'a slow answer is waited for longer than its callers wait %s: it may hold the next refresh token',
  async (_, times) => {
    await using server = await startTokenServer();
    const slow = held(json(200, { access_token: 'late', refresh_token: 'refresh-2' }));
    server.fault(slow.fault);
    const { credential, clock, kept } = setUp(server, times);
    const hungUp = new AbortController();
    const call = failureOf(credential.read(aContext({ signal: hungUp.signal })));
    await until(slow.isHolding);
    hungUp.abort(new Error('the caller hung up'));
    await call;
    await clock.advance(9_999);
    slow.release();
    await until(() => kept.refreshToken === 'refresh-2');
    expect(tokenOf(await credential.read(aContext()))).toBe('late');
    expect(server.asked).toHaveLength(1);
  },
);

test('what keeps a refresh token has to be there, also where none is rotated today', async () => {
  await using server = await startTokenServer();
  // @ts-expect-error what a JavaScript caller might leave out
  expect(() => setUp(server, { onRefreshToken: undefined })).toThrow('onRefreshToken must be a function');
  // @ts-expect-error a literal is what a JavaScript caller might pass
  expect(() => setUp(server, { refreshToken: 'refresh-1' })).toThrow('refreshToken must be a function');
});
