import ky, { type Hooks, type KyInstance } from 'ky';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ApiClientOptions } from '../../src/api/api-client.ts';
import { createApiClient } from '../../src/api/create-api-client.ts';
import { bearer } from '../../src/auth/secret-credential.ts';
import { createKyTransport } from '../../src/http/ky-transport.ts';
import type { Operation } from '../../src/http/operation.ts';
import { connect, createContact, failureOf, getContact } from '../support/connect.ts';
import { answer, resetBeforeAnswer, startFaultServer } from '../support/fault-server.ts';
import { aRequest } from '../support/request.ts';

const withHooks = (hooks: Hooks): KyInstance => ky.create({ hooks });

const payment: Operation<unknown> = {
  ...createContact,
  operation: 'billing.payments.create',
  effect: 'payment',
  wholeDeadline: true,
};

test('what the hooks of your ky change is sent', async () => {
  await using server = await startFaultServer(answer({ body: '{"id":"1"}' }));
  const own = ky.create({
    headers: { 'x-team': 'voice' },
    hooks: {
      init: [(options) => void Object.assign(options, { searchParams: { region: 'eu' } })],
      beforeRequest: [
        ({ request }) => request.headers.set('x-hook', 'yes'),
        ({ request }) => new Request(request, { method: 'PUT', body: '{"changed":true}' }),
      ],
      afterResponse: [async ({ response }) => Response.json({ wrapped: await response.json() })],
    },
  });
  const { client } = connect(server, { ky: own });
  expect(await client.request(createContact)).toEqual({ wrapped: { id: '1' } });
  const { method, url, body, headers } = await server.request(1);
  expect({ method, url, body }).toEqual({ method: 'PUT', url: '/contacts?region=eu', body: '{"changed":true}' });
  expect(headers).toMatchObject({ 'x-team': 'voice', 'x-hook': 'yes', 'x-api-key': 's3cr3t-api-key' });
});

test('your ky’s own hooks and options work on what is sent as JSON', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const own = ky.create({
    hooks: {
      init: [(options) => void Object.assign(options, { json: { ...(options.json as object), region: 'eu' } })],
    },
    stringifyJson: (json) => JSON.stringify(json, undefined, 1),
  });
  await connect(server, { ky: own }).client.request({ ...createContact, body: { name: 'Ada' } });
  expect((await server.request(1)).body).toBe('{\n "name": "Ada",\n "region": "eu"\n}');
});

test('your ky is called with a URL, without policies of its own and without a fetch of ours', async () => {
  const called = vi.fn(async (_input: unknown, _options: unknown) => new Response('{}'));
  const transport = createKyTransport({ maximumBodyBytes: 100, ky: called as unknown as KyInstance });
  const searchParams = new URLSearchParams({ a: '1' });
  await transport(aRequest({ url: 'https://api.example.test/v1', searchParams, method: 'POST', json: { a: 1 } }));
  expect(called.mock.calls).toEqual([
    [
      new URL('https://api.example.test/v1'),
      {
        method: 'POST',
        headers: {},
        searchParams,
        json: { a: 1 },
        signal: expect.any(AbortSignal),
        redirect: 'manual',
        retry: 0,
        throwHttpErrors: false,
        timeout: false,
        hooks: { init: [expect.any(Function)], beforeRequest: [expect.any(Function)] },
      },
    ],
  ]);
});

describe('no hook sends a payment twice', () => {
  const raiseLimit = (options: object) => void Object.assign(options, { retry: { limit: 5, methods: ['post'] } });
  const everyStatus = { limit: 5, methods: ['post'], statusCodes: [200, 500], delay: () => 1 };

  test.each<[string, KyInstance]>([
    ['returns ky.retry()', withHooks({ afterResponse: [() => ky.retry({ delay: 1 })] })],
    [
      'returns ky.retry() with a request',
      withHooks({ afterResponse: [({ request }) => ky.retry({ delay: 1, request: new Request(request.url) })] }),
    ],
    [
      'raises the limit first, then returns ky.retry()',
      withHooks({ init: [raiseLimit], afterResponse: [() => ky.retry({ delay: 1 })] }),
    ],
    [
      'raises the limit late, and leads past other hooks',
      withHooks({
        beforeRequest: [({ options }) => void Object.assign(options.retry, everyStatus)],
        afterResponse: [() => ky.retry({ delay: 1 })],
        beforeRetry: [({ request }) => new Request(request.url, { method: 'POST' })],
      }),
    ],
    [
      'throws on the answer',
      withHooks({
        init: [raiseLimit],
        afterResponse: [
          () => {
            throw new TypeError('fetch failed');
          },
        ],
      }),
    ],
  ])('when it %s', async (_how, own) => {
    await using server = await startFaultServer(answer({ body: '{"status":"completed"}' }));
    const { client, clock } = connect(server, { ky: own });
    const end = failureOf(client.request(payment, { idempotencyKey: 'k' }));
    await server.request(1);
    await clock.advance(100);
    const error = await end;
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1, idempotencyKey: 'k' });
    expect(error.code).toBe('unexpected_response');
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['a 500', answer({ status: 500 })],
    ['a reset', resetBeforeAnswer],
  ])('when ky would repeat after %s', async (_what, reply) => {
    await using server = await startFaultServer(reply);
    const own = ky.create({ retry: everyStatus, hooks: { init: [raiseLimit] } });
    const { client } = connect(server, { ky: own, attempts: 1 });
    expect(await failureOf(client.request(payment))).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(server.requests).toHaveLength(1);
  });

  test('when it comes back after the attempt has ended', async () => {
    await using server = await startFaultServer(answer({ body: '{}' }));
    const slow = Promise.withResolvers<void>();
    const own = withHooks({
      beforeRequest: [
        async ({ request }) => {
          await slow.promise;
          return new Request(request.url, { method: 'POST', body: '{}' });
        },
      ],
    });
    const { client, clock } = connect(server, { ky: own, attempts: 1 });
    const end = failureOf(client.request(payment, { deadline: 1_000 }));
    await clock.advance(1_000);
    // Not 'not_sent': a hook that is still at work may be sending by itself.
    expect(await end).toMatchObject({ outcome: 'unknown' });
    slow.resolve();
    await clock.advance(100);
    expect(server.connections()).toBe(0);
  });
});

const sendAndHang = async (request: Request): Promise<Response> => {
  await fetch(request);
  return new Promise(() => {});
};

test.each<[string, KyInstance]>([
  ['a hook sends', withHooks({ beforeRequest: [({ request }) => sendAndHang(request)] })],
  [
    'an instance without hooks sends',
    (async (url: URL, { method, body }: RequestInit) =>
      sendAndHang(new Request(url, { method, body } as RequestInit))) as unknown as KyInstance,
  ],
])('what %s by itself may have been done when its time is over', async (_what, own) => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const { client, clock } = connect(server, { ky: own, attempts: 1 });
  const end = failureOf(client.request(createContact, { deadline: 1_000 }));
  await server.request(1);
  await clock.advance(1_000);
  expect(await end).toMatchObject({ outcome: 'unknown', attempts: 1 });
});

test('a hook that throws before the request is sent has sent nothing, and its error is thrown as it is', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const mine = new Error('not today');
  const { client, events } = connect(server, { ky: withHooks({ beforeRequest: [() => Promise.reject(mine)] }) });
  expect(await failureOf(client.request(payment))).toBe(mine);
  expect(events.at(-1)).toMatchObject({ type: 'call', outcome: 'not_sent', error: { code: 'internal_error' } });
  expect(server.connections()).toBe(0);
});

test('a hook that throws after the answer leaves it unknown what was done', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const original = new Error('not like that');
  const { client } = connect(server, { ky: withHooks({ afterResponse: [() => Promise.reject(original)] }) });
  expect(await failureOf(client.request(payment))).toMatchObject({
    code: 'unexpected_response',
    message: expect.stringMatching(
      /^billing\.payments\.create: your middleware or hook failed after the request was sent: Error at own-ky/,
    ),
    outcome: 'unknown',
    original,
  });
});

test('the answer of a hook is capped in size', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const own = withHooks({ afterResponse: [() => new Response('x'.repeat(2_000))] });
  const { client } = connect(server, { ky: own, maximumBodyBytes: 1_000 });
  expect((await failureOf(client.request(getContact))).message).toBe(
    'messaging.contacts.get: the answer is larger than 1000 bytes',
  );
});

test('a hook may answer by itself, and a ky that answers nothing is an error', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const cached = connect(server, { ky: withHooks({ beforeRequest: [() => Response.json({ id: 'cached' })] }) });
  expect(await cached.client.request(getContact)).toEqual({ id: 'cached' });
  const mute = connect(server, { ky: (async () => undefined) as unknown as KyInstance });
  expect(await failureOf(mute.client.request(getContact))).toMatchObject({ code: 'unexpected_response' });
  expect(server.connections()).toBe(0);
});

test('a signature over the body holds on the wire', async () => {
  await using server = await startFaultServer(answer({ body: '{}' }));
  const { client } = connect(server, {
    middleware: {
      perAttempt: [
        (request, next) =>
          next({ ...request, headers: { ...request.headers, 'x-signed': btoa(JSON.stringify(request.json)) } }),
      ],
    },
  });
  await client.request({ ...createContact, body: { note: 'a  "quoted" / note', amount: 1.5 } });
  const { headers, body } = await server.request(1);
  expect(headers['x-signed']).toBe(btoa(body));
});

test.each<[string, Partial<ApiClientOptions<{}>>]>([
  ['together with fetch', { ky, fetch }],
  ['together with transport', { ky, transport: async () => ({ status: 200, headers: new Map(), text: '' }) }],
  ['that is no instance', { ky: { hooks: {} } as never }],
])('a ky %s is refused', (_what, options) => {
  const make = () =>
    createApiClient({
      name: 'orders',
      version: 'in-base-url',
      baseUrl: 'https://api.example.com',
      authenticate: bearer(() => 'secret'),
      endpoints: {},
      ...options,
    });
  expect(make).toThrow(expect.objectContaining({ code: 'invalid_argument', field: 'orders.ky' }));
});

afterEach(() => void vi.restoreAllMocks());
