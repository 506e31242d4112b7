import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { apiKey, bearer, fromEnv, oauthClientCredentials } from '../../../src/auth/index.ts';
import { stripe } from '../../../src/billing/stripe/index.ts';
import {
  AbortedError,
  type Finding,
  InvalidArgumentError,
  NotReadyError,
  StoreError,
} from '../../../src/core/errors.ts';
import { hubspot } from '../../../src/crm/hubspot/index.ts';
import { salesforce } from '../../../src/crm/salesforce/index.ts';
import { createFakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';
import { createIntegration, type IntegrationOptions } from '../../../src/integration.ts';
import { intercom } from '../../../src/messaging/intercom/index.ts';
import { zendesk } from '../../../src/messaging/zendesk/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import type { IdempotencyStore } from '../../../src/stores/ports/idempotency-store.ts';
import { postgres } from '../../../src/stores/postgres/index.ts';
import { redis } from '../../../src/stores/redis/index.ts';
import { sqlite } from '../../../src/stores/sqlite/index.ts';
import { createTenants } from '../../../src/tenants/create-tenants.ts';
import { createAuthority } from '../../support/certificates.ts';
import { answer, faultServerOverTls } from '../../support/fault-server.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

/** A server that answers as the listener says, and what it was sent. */
const serve = async (listener: RequestListener) => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
};

const billingAt = (baseUrl: string, more: Partial<NonNullable<IntegrationOptions['billing']>> = {}) => ({
  billing: {
    baseUrl,
    authenticate: apiKey('X-Api-Key', () => 'key-of-the-billing-api'),
    rateLimit: { limit: 1_000, perMs: 1_000 },
    ...more,
  },
  payments: { below: 500, confirm: false as const },
});

/** The problems and notes of a check, a line each. */
const check = async (options: IntegrationOptions, deadlineMs?: number) => {
  await using integration = createIntegration(options);
  const line = ({ part, problem, help }: Finding) => `${part}: ${problem}: ${help}`;
  try {
    const { notes } = await integration.check({ deadlineMs });
    return { problems: [], notes: notes.map(line) };
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    expect(error.message).toBe(error.problems.map(line).join('\n'));
    expect(error).toMatchObject({ code: 'not_ready', name: 'NotReadyError' });
    return { problems: error.message.split('\n'), notes: error.notes.map(line) };
  }
};

const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const known: RequestListener = (request, response) =>
  json(200, request.url?.includes('/invoices') ? { data: [] } : { id: 'cus_1', phone: '+15555550199' })(
    request,
    response,
  );

describe('an API that a person has to look after is a problem', () => {
  test.each<[string, RequestListener, RegExp]>([
    [
      'that refuses the credential',
      json(401, { error: 'key-of-the-billing-api is wrong' }),
      /^billing: the credential is refused: 401: check which secret the credential reads, and in which header the API wants it$/,
    ],
    [
      'that may not be read',
      json(403, {}),
      /^billing: the credential may not read customers: 403: let the credential read customers$/,
    ],
    [
      'at another path',
      json(404, { error: 'no such route' }),
      /^billing: the API answers 404 to everything: compare billing\.baseUrl and billing\.version with the API's$/,
    ],
    [
      'that is a website',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome</p>'),
      /^billing: the answer is not what this API should say: compare billing\.baseUrl with the API's address$/,
    ],
    [
      'that knows no such request',
      json(400, {}),
      /^billing: reading customers failed: 400: compare billing\.baseUrl, the version and the dialect with the API's$/,
    ],
    [
      'that is no HTTP',
      ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
      /^billing: the API cannot be reached: H\w+: no HTTP is spoken there: check billing\.baseUrl and its port$/,
    ],
    [
      'that redirects',
      (_, response) => response.writeHead(302, { location: 'https://login.example.com' }).end(),
      /^billing: the answer is not what this API should say: compare billing\.baseUrl with the API's address$/,
    ],
    [
      'whose clock is another one',
      (request, response) => {
        response.setHeader('date', new Date(Date.now() - 45_000).toUTCString());
        known(request, response);
      },
      /^billing: this machine's clock is 4[45] s ahead of the API's: .*: set the clock, such as by NTP$/,
    ],
  ])('%s', async (_, listener, line) => {
    const { url, requests } = await serve(listener);

    const { problems, notes } = await check(billingAt(url));

    expect(problems).toContainEqual(expect.stringMatching(line));
    expect(JSON.stringify([problems, notes])).not.toContain('key-of-the-billing-api');
    expect(requests.length).toBeLessThanOrEqual(4);
    expect(requests.filter((request) => !/^(?:GET|OPTIONS) /.test(request))).toEqual([]);
  });

  test.each([200, 400, 401, 403, 404, 500])(
    'that repeats the credential wherever it can, with %d: it is in no finding',
    async (status) => {
      const key = 'key_of_the_billing_api';
      const { url } = await serve((_, response) =>
        response
          .writeHead(status, {
            'content-type': 'application/json',
            sunset: key,
            deprecation: key,
            'stripe-version': key,
          })
          .end(JSON.stringify({ error: { code: key, type: key, message: key, param: key }, id: key, data: [key] })),
      );

      const found = await check({
        billing: { ...stripe({ currency: 'EUR' }), baseUrl: url, authenticate: bearer(() => key) },
        payments: { below: 500, confirm: false as const },
      });

      expect(found.problems.length + found.notes.length).toBeGreaterThan(1);
      expect(JSON.stringify(found)).not.toContain(key);
    },
  );

  test('whose certificate no one here trusts, or that speaks no TLS', async () => {
    const identity = await (await createAuthority()).issue();
    await using server = await faultServerOverTls(identity)(answer({ body: '{}' }));
    const { url } = await serve(known);

    expect((await check(billingAt(server.origin))).problems).toEqual([
      expect.stringMatching(/^billing: the API cannot be reached: UNABLE_TO_\w+: the certificate is not trusted: /),
    ]);
    expect((await check(billingAt(url.replace('http:', 'https:')))).problems).toEqual([
      expect.stringMatching(/^billing: the API cannot be reached: \w+: no TLS is spoken there: /),
    ]);
  });

  test('whose name does not exist', async () => {
    expect((await check(billingAt('https://billing.invalid'))).problems).toEqual([
      'billing: the API cannot be reached: ENOTFOUND: the name cannot be resolved: check billing.baseUrl and DNS',
    ]);
  });
});

describe('an API that is down is a note', () => {
  test.each<[string, RequestListener, string]>([
    ['500', json(500, {}), 'reading customers failed: 500'],
    ['503', json(503, {}), 'reading customers failed: 503'],
    ['429', json(429, {}, { 'retry-after': '60' }), 'the API is over its limit right now: 429'],
    ['a reset', ({ socket }) => void socket.resetAndDestroy(), 'the API cannot be reached: '],
    ['silence', () => undefined, 'no answer within 300 ms'],
  ])('%s', async (_, listener, words) => {
    const { url, requests } = await serve(listener);

    const { problems, notes } = await check(billingAt(url), words.startsWith('no answer') ? 300 : undefined);

    expect(problems).toEqual([]);
    expect(notes).toContainEqual(expect.stringContaining(`billing: ${words}`));
    expect(requests.length).toBeLessThanOrEqual(3);
  });

  test('a refused connection', async () => {
    const { url } = await serve(known);
    for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();

    expect((await check(billingAt(url))).notes).toContain(
      'billing: the API cannot be reached: ECONNREFUSED: nothing listens there: check billing.baseUrl and its port',
    );
  });
});

describe('a credential', () => {
  test('that is missing is named by its variable', async () => {
    const { url, requests } = await serve(known);
    const authenticate = apiKey('X-Api-Key', fromEnv('A_BILLING_KEY_THAT_IS_MISSING'));

    expect((await check(billingAt(url, { authenticate }))).problems).toEqual([
      'billing: no request can be sent: A_BILLING_KEY_THAT_IS_MISSING must be set in the environment, such as with node --env-file=.env: it is missing or empty: set the variable in .env, or in the environment',
    ]);
    expect(requests.filter((request) => request.startsWith('GET'))).toEqual([]);
  });

  test('that a token endpoint refuses is a problem, and one that fails right now is a note', async () => {
    const { url } = await serve(known);
    const tokens = await serve((request, response) =>
      json(request.url === '/refuses' ? 401 : 503, { error: request.url === '/refuses' ? 'invalid_client' : 'down' })(
        request,
        response,
      ),
    );
    const withTokens = (path: string) =>
      check(
        billingAt(url, {
          authenticate: oauthClientCredentials({
            tokenEndpoint: `${tokens.url}${path}`,
            clientId: () => 'client',
            clientSecret: () => 'a-secret-of-the-client',
          }),
        }),
      );

    expect(await withTokens('/refuses')).toMatchObject({
      problems: [expect.stringContaining('billing: no credential is available: invalid_client: check client id')],
    });
    expect(await withTokens('/fails')).toMatchObject({
      problems: [],
      notes: expect.arrayContaining([
        'billing: no credential is available: server_error: the token endpoint fails right now',
      ]),
    });
  });
});

describe('an account that is set up', () => {
  type Presets = NonNullable<Parameters<typeof createFakePlatform>[0]>;
  const connected = async (presets: Presets) => {
    const platform = createFakePlatform(presets);
    opened.push(platform);
    const urls = await platform.listen();
    const credential = (name: 'messaging' | 'crm' | 'billing') => ({
      authenticate: bearer(() => testCredentials[name]),
    });
    const options: IntegrationOptions = {
      messaging:
        presets.messaging === 'zendesk'
          ? { ...zendesk({ subdomain: 'acme' }), baseUrl: `${urls.messaging}/api/v2`, ...credential('messaging') }
          : { ...intercom(), baseUrl: urls.messaging, ...credential('messaging'), adminId: 'admin_1' },
      crm: {
        ...(presets.crm === 'hubspot' ? hubspot() : salesforce({ version: '60.0' })),
        baseUrl: urls.crm,
        ...credential('crm'),
      },
      billing:
        presets.billing === 'stripe'
          ? {
              ...stripe({ currency: 'EUR' }),
              baseUrl: `${urls.billing}/v1`,
              ...credential('billing'),
            }
          : {
              ...billingAt(urls.billing).billing,
              authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
              version: { path: 'v1' },
            },
      payments: { below: 500, confirm: false as const },
    };
    return { platform, options };
  };

  test.each<[string, Presets]>([
    ['Intercom, Salesforce and Stripe', { messaging: 'intercom', crm: 'salesforce', billing: 'stripe' }],
    ['Zendesk, HubSpot and the default API', { messaging: 'zendesk', crm: 'hubspot' }],
    [
      'late answers, byte by byte',
      {
        messaging: { dialect: 'intercom', latencyMs: 20, bodies: 'bytes' },
        crm: { dialect: 'salesforce', latencyMs: 20, bodies: 'bytes' },
        billing: { latencyMs: 20, bodies: 'bytes' },
      },
    ],
  ])('%s: no problem, no write, and few requests', async (_, presets) => {
    const { platform, options } = await connected(presets);

    const { problems, notes } = await check(options);

    expect(problems).toEqual([]);
    expect(notes.filter((note) => note.includes('answer'))).toEqual([]);
    expect(platform.requests.filter(({ executed }) => executed).map(({ operation }) => operation)).toEqual([]);
    for (const api of ['messaging', 'crm', 'billing'] as const)
      expect(platform.requests.filter((request) => request.api === api).length).toBeLessThanOrEqual(9);
  });

  test.each([
    ['401', { status: 401 }, 'the credential is refused: 401', 'problems'],
    ['403', { status: 403 }, 'the credential may not read', 'problems'],
    ['500', { status: 500 }, 'failed: 500', 'notes'],
    ['429', { status: 429, retryAfter: 60 }, 'the API is over its limit right now: 429', 'notes'],
    ['a reset', { reset: 'before-headers' }, '(?:ECONNRESET|UND_ERR_SOCKET)', 'notes'],
    ['silence', { stall: 'headers' }, 'no answer within 400 ms', 'notes'],
  ] as const)('that meets %s', async (_, fault, words, where) => {
    const { platform, options } = await connected({ messaging: 'zendesk', crm: 'hubspot', billing: 'stripe' });
    for (const api of ['messaging', 'crm', 'billing'] as const) platform.fault(api, [{ ...fault, times: Infinity }]);

    const found = await check(options, words.startsWith('no answer') ? 400 : undefined);

    for (const api of ['messaging', 'crm', 'billing'])
      expect(found[where]).toContainEqual(expect.stringMatching(new RegExp(`^${api}: .*${words}`)));
    expect(found.problems.length > 0).toBe(where === 'problems');
  });
});

test('all problems are in one error, whatever is only down is a note, and a second check finds the same', async () => {
  const [refuses, fails] = [await serve(json(401, {})), await serve(json(503, {}))];
  await using integration = createIntegration({
    ...billingAt(refuses.url),
    crm: { baseUrl: fails.url, authenticate: bearer(() => 'token-of-the-crm'), version: '60.0' },
    messaging: {
      baseUrl: refuses.url,
      authenticate: bearer(() => 'token-of-messaging'),
      platform: 'Acme',
      version: '2.11',
      adminId: 'admin_1',
    },
  });
  const caught = () => integration.check().catch((error: unknown) => error);

  const first = await caught();

  expect(first).toMatchObject({
    problems: [{ part: 'messaging' }, { part: 'billing' }],
    notes: expect.arrayContaining([expect.objectContaining({ part: 'crm', problem: 'reading leads failed: 503' })]),
  });
  expect(String(first)).toMatch(
    /^NotReadyError: messaging: the credential is refused: 401: .*\nbilling: the credential /,
  );
  expect(JSON.stringify(await caught())).toBe(JSON.stringify(first));
  // The check has a circuit breaker, retries and limits of its own.
  expect(integration.status()).toMatchObject({ crm: { circuit: 'closed', retriesLeft: 100 } });
});

describe('a store', () => {
  const withStore = async (store: IdempotencyStore, deadlineMs?: number) => {
    const { url } = await serve(known);
    const { problems, notes } = await check({ ...billingAt(url), store }, deadlineMs);
    return { problems, notes: notes.filter((note) => note.startsWith('store')) };
  };

  /** A port on which no one listens. */
  const closedPort = async () => {
    const { url } = await serve(known);
    await opened.pop()?.[Symbol.asyncDispose]();
    return Number(new URL(url).port);
  };

  test('that answers is no note, and gets its key back', async () => {
    const store = createMemoryIdempotencyStore();
    const claim = vi.spyOn(store, 'claim');

    expect(await withStore(store)).toEqual({ problems: [], notes: [] });
    expect(claim).toHaveBeenCalledOnce();
    expect(await store.read(String(claim.mock.calls[0]?.[0]))).toBeUndefined();
  });

  test('in a folder that went away is a problem, and one that was never there ends the start', async () => {
    await using folder = await makeScratchFolder();
    const file = join(folder.path, 'data', 'voice-agent.db');
    const words = `store can't be used: unable to open database file ${file}: its folder must be there, and this process be allowed to write in it`;
    const { url } = await serve(known);
    const options = () => {
      const store = sqlite({ file }).idempotencyStore();
      opened.push(store);
      return { ...billingAt(url), store };
    };

    expect(() => createIntegration(options())).toThrow(words);
    await mkdir(join(folder.path, 'data'));
    await using integration = createIntegration(options());
    await rm(join(folder.path, 'data'), { recursive: true });

    await expect(integration.check()).rejects.toThrow(`store: ${words}: check the path of its file`);
  });

  const redisAt = (port: number, options: object) => {
    const client = new Redis({ port, host: '127.0.0.1', ...options });
    client.on('error', () => undefined);
    opened.push({ [Symbol.asyncDispose]: async () => client.disconnect() });
    return redis({ client }).idempotencyStore({ timeoutMs: 200 });
  };

  test.each([
    ['a Redis that queues', (port: number) => redisAt(port, {})],
    ['a Redis that gives up', (port: number) => redisAt(port, { maxRetriesPerRequest: 0 })],
    ['a Redis that never retries', (port: number) => redisAt(port, { retryStrategy: () => null })],
    [
      'PostgreSQL',
      (port: number) => {
        const pool = new pg.Pool({ port, host: '127.0.0.1', user: 'agent', database: 'agent' });
        opened.push({ [Symbol.asyncDispose]: () => pool.end() });
        return postgres({ pool }).idempotencyStore({ timeoutMs: 200 });
      },
    ],
  ])('that is down is a note, since calls without a payment go on: %s', async (_, open) => {
    expect(await withStore(open(await closedPort()))).toEqual({
      problems: [],
      notes: [
        expect.stringMatching(/^store: store can't be used: .*: is its server running, and is its address right\?$/),
      ],
    });
  });

  test.each([
    [
      'Redis',
      'WRONGPASS',
      () =>
        redis({
          client: { call: () => Promise.reject(new Error('WRONGPASS invalid username-password pair')) },
        }).idempotencyStore(),
    ],
    [
      'Redis',
      'READONLY',
      () =>
        redis({
          client: { call: () => Promise.reject(new Error("READONLY You can't write against a read only replica.")) },
        }).idempotencyStore(),
    ],
  ])('that refuses is a problem: %s, %s', async (_, word, open) => {
    expect(await withStore(open())).toEqual({
      problems: [
        expect.stringContaining(`store: store can't be used: Redis could not do what it was asked for (${word}): `),
      ],
      notes: [],
    });
  });

  test('of your own that fails is in no words that may hold data', async () => {
    const failing = (failure: Error) => ({
      ...createMemoryIdempotencyStore(),
      claim: async () => {
        throw failure;
      },
    });
    const found = [
      await withStore(failing(new StoreError('cannot reach postgres://agent:hunter2@db.internal/agent'))),
      await withStore(failing(new RangeError('hunter2'))),
    ];

    expect(found).toMatchObject([
      { problems: [expect.stringContaining("store: store can't be used: cannot reach postgres://")] },
      {
        problems: [
          expect.stringMatching(/^store: store can't be used: it failed: RangeError at check-integration\.test\.ts:/),
        ],
      },
    ]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  test('that never answers is a note at the deadline', async () => {
    const silent = { ...createMemoryIdempotencyStore(), claim: () => new Promise<never>(() => {}) };

    expect(await withStore(silent, 100)).toEqual({
      problems: [],
      notes: ['store: no answer within 100 ms: try again; if it stays, check address and network'],
    });
  });
});

describe('the check itself', () => {
  test('ends with its deadline, and leaves nothing behind', async () => {
    const { url, requests } = await serve(() => undefined);
    await using integration = createIntegration(billingAt(url));
    const startedAt = performance.now();
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();

    expect((await integration.check({ deadlineMs: 200 })).notes).toContainEqual({
      part: 'billing',
      problem: 'no answer within 200 ms',
      help: 'try again; if it stays, check address and network',
    });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(requests).toEqual(['OPTIONS /']);
    expect(timers()).toBeLessThanOrEqual(before);
  });

  test('takes nothing from the first caller: no failure in the circuit, no retry, no permit, no quota', async () => {
    const { url } = await serve(json(503, {}));
    const limits = { rateLimit: { limit: 3, perMs: 60_000 }, quota: { limit: 3, perMs: 60_000 } };
    await using integration = createIntegration(billingAt(url, { ...limits, circuit: { minimumVolume: 2 } }));
    const before = integration.status();

    for (let count = 0; count < 5; count += 1) await integration.check();

    expect(integration.status()).toEqual(before);
  });

  test('ends with its signal', async () => {
    const { url } = await serve(() => undefined);
    await using integration = createIntegration(billingAt(url));
    const stop = new AbortController();
    const checking = integration.check({ signal: stop.signal });

    stop.abort();

    await expect(checking).rejects.toBeInstanceOf(AbortedError);
    await expect(integration.check({ signal: AbortSignal.abort() })).rejects.toBeInstanceOf(AbortedError);
  });

  test('waits for no place under a rate limit that has none', async () => {
    const { url } = await serve(known);

    expect(await check(billingAt(url, { rateLimit: { limit: 1, perMs: 60_000 } }))).toEqual({
      problems: [],
      notes: expect.arrayContaining([
        'billing: invoices were not read: your own rate limit has no place for it: look at billing.rateLimit',
      ]),
    });
  });

  test.each([
    [{ deadlineMs: 0 }],
    [{ deadlineMs: '5' as never }],
    [{ deadlineMS: 5 } as never],
    [{ signal: 'now' as never }],
  ])('refuses %j', async (options) => {
    await using integration = createIntegration(billingAt('https://billing.invalid'));

    await expect(integration.check(options)).rejects.toBeInstanceOf(InvalidArgumentError);
  });

  test('makes a finding of what your own code throws', async () => {
    const { url } = await serve(known);
    const sign = () => {
      throw new TypeError('of the application');
    };

    expect((await check(billingAt(url, { middleware: { perRequest: [sign] } }))).problems).toContainEqual(
      expect.stringMatching(
        /^billing: reading customers failed: TypeError at check-integration\.test\.ts:\d+:\d+: look at billing\.dialect, middleware/,
      ),
    );
  });

  test('is there for a tenant', async () => {
    const { url } = await serve(json(401, {}));
    await using tenants = createTenants({ resolve: () => billingAt(url) });
    await using tenant = await tenants.open('shop_1');

    await expect(tenant.check()).rejects.toThrow(/^billing: the credential is refused: 401: /);
  });
});
