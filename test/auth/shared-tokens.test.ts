import { describe, expect, test } from 'vitest';
import { oauthClientCredentials, oauthRefreshToken, type StoredToken, type TokenStore } from '../../src/auth/index.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';
import { aContext, tokenOf } from '../support/credential-context.ts';
import { held, json, startTokenServer, type TokenServer } from '../support/token-server.ts';
import { eventually, passing, until } from '../support/until.ts';
import { fixRandom } from '../support/fix-random.ts';
import { createMemoryTokenStore } from '../../src/stores/memory/index.ts';

/** The same credential as another process has it: nothing in common but the store. */
const processOf = (server: TokenServer, store: TokenStore, clock: VirtualClock, more: object = {}) => {
  fixRandom(1);
  return oauthClientCredentials({
    tokenEndpoint: server.endpoint,
    clientId: () => 'app-1',
    clientSecret: () => 's3cret-client',
    store,
    ...more,
  });
};

/** Writes down what a store is asked for. */
const watched = (
  store: TokenStore,
): TokenStore & { readonly keys: Set<string>; readonly sets: [StoredToken, number][] } => {
  const keys = new Set<string>();
  const sets: [StoredToken, number][] = [];
  return {
    ...store,
    keys,
    sets,
    get: (key) => {
      keys.add(key);
      return store.get(key);
    },
    set: (key, token, options) => {
      sets.push([token, options.retainMs]);
      return store.set(key, token, options);
    },
  };
};

describe('processes that share a store', () => {
  test('share a token: the second sends no request', async () => {
    await using server = await startTokenServer({ extra: { instance_url: 'https://x.example' } });
    const clock = createVirtualClock({ wallNow: 1_000_000 });
    const store = watched(createMemoryTokenStore({}));
    const [one, two] = [processOf(server, store, clock), processOf(server, store, clock)];
    expect(tokenOf(await one.read(aContext()))).toBe('token-1');
    await until(() => store.sets.length === 1);
    expect(tokenOf(await two.read(aContext()))).toBe('token-1');
    expect(await two.tokenDetails()).toMatchObject({ instance_url: 'https://x.example' });
    expect(server.asked).toHaveLength(1);
    expect(store.sets).toEqual([
      [
        {
          accessToken: 'token-1',
          issuedAt: 1_000_000,
          expiresAt: 4_600_000,
          details: { expires_in: 3600, instance_url: 'https://x.example' },
        },
        3_600_000,
      ],
    ]);
    expect([...store.keys].join()).toMatch(/^token:oauth-client-credentials:[\w-]{43}$/);
  });

  test('that start at once ask once between them', async () => {
    await using server = await startTokenServer();
    const answer = held(json(200, { access_token: 'for-all', expires_in: 60 }));
    server.fault(answer.fault);
    const clock = createVirtualClock();
    const store = createMemoryTokenStore({});
    const reads = Promise.all(Array.from({ length: 10 }, () => processOf(server, store, clock).read(aContext())));
    await until(answer.isHolding);
    answer.release();
    expect(new Set((await passing(clock, reads)).map(tokenOf))).toEqual(new Set(['for-all']));
    expect(server.asked).toHaveLength(1);
  });

  test('do not take a token from it that the API has refused, and take the next one', async () => {
    await using server = await startTokenServer();
    const clock = createVirtualClock();
    const store = watched(createMemoryTokenStore({}));
    const [one, two] = [processOf(server, store, clock), processOf(server, store, clock)];
    const refused = await one.read(aContext());
    await until(() => store.sets.length === 1);
    await two.read(aContext());
    const renewed = await one.renew(refused, aContext());
    expect(renewed && tokenOf(renewed)).toBe('token-2');
    await until(() => store.sets.length === 2);
    const adopted = await two.renew(refused, aContext());
    expect(adopted && tokenOf(adopted)).toBe('token-2');
    expect(server.asked).toHaveLength(2);
  });

  test('renew early in turn: what one has fetched, the other takes', async () => {
    await using server = await startTokenServer({ expiresIn: 600 });
    const clock = createVirtualClock();
    const store = watched(createMemoryTokenStore({}));
    const [one, two] = [processOf(server, store, clock), processOf(server, store, clock)];
    await one.read(aContext());
    await until(() => store.sets.length === 1);
    await two.read(aContext());
    await clock.advance(545_000);
    await one.read(aContext());
    await until(() => store.sets.length === 2);
    await two.read(aContext());
    await until(() => server.asked.length === 2);
    await eventually(async () => {
      await clock.advance(0);
      return tokenOf(await two.read(aContext())) === 'token-2';
    });
    expect(server.asked).toHaveLength(2);
  });

  test('use a refresh token that works once one after the other', async () => {
    await using server = await startTokenServer({ rotates: true });
    const clock = createVirtualClock();
    const store = createMemoryTokenStore({});
    const kept = { refreshToken: 'refresh-1' };
    const credential = () =>
      oauthRefreshToken({
        tokenEndpoint: server.endpoint,
        clientId: () => 'app-1',
        clientSecret: () => 's3cret-client',
        refreshToken: () => kept.refreshToken,
        onRefreshToken: (token) => {
          kept.refreshToken = token;
        },
        store,
      });
    const processes = Array.from({ length: 5 }, credential);
    let issued = await passing(clock, Promise.all(processes.map((each) => each.read(aContext()))));
    expect(new Set(issued.map(tokenOf))).toEqual(new Set(['token-1']));
    for (const round of [2, 3]) {
      const renewals = processes.map(async (each, index) => {
        const rejected = issued[index];
        return rejected && each.renew(rejected, aContext());
      });
      issued = (await passing(clock, Promise.all(renewals))).filter((each) => each !== undefined);
      expect(issued.map(tokenOf)).toEqual(Array.from({ length: 5 }, () => `token-${round}`));
    }
    expect(server.asked.map(({ form }) => form.refresh_token)).toEqual(['refresh-1', 'refresh-2', 'refresh-3']);
  });

  test('do not wait for a process that died: the claim ends by itself', async () => {
    await using server = await startTokenServer();
    const clock = createVirtualClock();
    const store = createMemoryTokenStore({});
    await processOf(server, store, clock).read(aContext());
    const leftBehind = await store.claim?.('token:left-behind', { leaseMs: 1_000 });
    expect(leftBehind).toBeTypeOf('function');
    const always: TokenStore = {
      ...store,
      get: async () => undefined,
      claim: (_key, options) => store.claim?.('token:left-behind', options) ?? Promise.resolve(undefined),
    };
    expect(tokenOf(await passing(clock, processOf(server, always, clock).read(aContext())))).toBe('token-2');
    expect(performance.now()).toBeGreaterThanOrEqual(1_000);
  });
});

describe('a token is kept apart', () => {
  test.each<[string, object, object]>([
    ['by tenant', {}, { tenant: 'acct_2' }],
    ['by scope', { scope: 'other' }, {}],
    ['by further parameters', { parameters: { audience: 'other' } }, {}],
    ['by the id of the credential', { id: 'other' }, {}],
    ['by the application', { clientId: () => 'app-2' }, {}],
  ])('%s', async (_how, options, context) => {
    await using server = await startTokenServer({ clients: { 'app-1': 's3cret-client', 'app-2': 's3cret-client' } });
    const clock = createVirtualClock();
    const store = watched(createMemoryTokenStore({}));
    await processOf(server, store, clock).read(aContext({ tenant: 'acct_1' }));
    await until(() => store.sets.length === 1);
    const other = processOf(server, store, clock, options);
    expect(tokenOf(await other.read(aContext({ tenant: 'acct_1', ...context })))).toBe('token-2');
  });
});

describe('a store that', () => {
  const broken: readonly [string, Partial<TokenStore>][] = [
    ['rejects', { get: () => Promise.reject(new Error('down')), set: () => Promise.reject(new Error('down')) }],
    [
      'throws',
      {
        get: () => {
          throw new Error('down');
        },
        claim: () => {
          throw new Error('down');
        },
      },
    ],
    [
      'hangs',
      {
        get: () => new Promise(() => undefined),
        claim: () => new Promise(() => undefined),
        set: () => new Promise(() => undefined),
      },
    ],
    ['cannot release', { claim: async () => () => Promise.reject(new Error('down')) }],
    // @ts-expect-error what another program has written there
    ['holds something else', { get: async () => ({ token: 'x' }) }],
    [
      'holds a token that no header can carry',
      { get: async () => ({ accessToken: 'a\r\nb', issuedAt: 1, details: {} }) },
    ],
    ['holds one that is over', { get: async () => ({ accessToken: 'old', issuedAt: 0, expiresAt: 1, details: {} }) }],
    ['knows no claims', { claim: undefined as never }],
  ];

  test.each(broken)('%s keeps no call from a token', async (_how, fault) => {
    await using server = await startTokenServer();
    const clock = createVirtualClock({ wallNow: 1_000_000 });
    const store = { ...createMemoryTokenStore({}), ...fault };
    expect(tokenOf(await passing(clock, processOf(server, store, clock).read(aContext())))).toBe('token-1');
    expect(server.asked).toHaveLength(1);
  });
});
