import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { apiKey, bearer, combined, fromEnv } from '../../src/auth/index.ts';
import { type ApiClient, type ApiClientOptions, type ApiEndpoints, createApiClient } from '../../src/index.ts';
import type { Settled } from '../../src/http/operation.ts';
import type { Transport } from '../../src/http/request.ts';
import { startMswServer } from '../support/msw-server.ts';
import type { RecordingServer } from '../support/recording-server.ts';

let server: RecordingServer;
let sentBefore: number;

beforeAll(async () => {
  server = await startMswServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.answer({});
  sentBefore = server.requests.length;
});

/** The names of the fields are checked where endpoints are written, not where they're passed on. */
const create = createApiClient as <Endpoints extends ApiEndpoints>(
  options: ApiClientOptions<Endpoints>,
) => ApiClient<Endpoints>;

const connect = <const Endpoints extends ApiEndpoints>(
  endpoints: Endpoints,
  options: Partial<ApiClientOptions<Endpoints>> = {},
) =>
  create<Endpoints>({
    name: 'orders',
    baseUrl: server.baseUrl,
    version: 'in-base-url',
    authenticate: apiKey('X-Key', () => 'key_1'),
    backoff: { minimumMs: 1, maximumMs: 1 },
    ...options,
    endpoints,
  });

const sent = () => server.requests.slice(sentBefore);
const lines = () => sent().map(({ line }) => line);

const order = z.object({ id: z.string(), total: z.number() });

describe('where a request goes', () => {
  test('the names in the path are arguments, each one encoded segment', async () => {
    server.answer({ json: { id: 'A/17', total: 12 } });
    const orders = connect({ get: { method: 'GET', path: '/orders/{id}/lines/{line}', returns: order } });

    expect(await orders.get({ id: 'A/17', line: 2 })).toEqual({ id: 'A/17', total: 12 });
    expect(lines()).toEqual(['GET /orders/A%2F17/lines/2']);
  });

  test('the other arguments are the query, after a fixed one in the path', async () => {
    const query = z.object({ customer: z.string(), limit: z.number().optional() });
    const orders = connect({ list: { method: 'GET', path: '/orders?status=open', query } });

    await orders.list({ customer: 'c&1' });
    await orders.list({ customer: 'c_1', limit: 5 });
    expect(lines()).toEqual(['GET /orders?status=open&customer=c%261', 'GET /orders?status=open&customer=c_1&limit=5']);
  });

  test('a fixed query is sent as written, also with several values of one name', async () => {
    const path = '/orders?since=2026-01-01T00%3A00&filter=a=b&expand[]=lines&expand[]=customer';
    await connect({ list: { method: 'GET', path } }).list();

    const fixed = 'since=2026-01-01T00%3A00&filter=a%3Db&expand%5B%5D=lines&expand%5B%5D=customer';
    expect(lines()).toEqual([`GET /orders?${fixed}`]);
  });

  test('a list in the query or in a form repeats its name', async () => {
    const tags = z.object({ tags: z.array(z.string()) });
    const orders = connect({
      list: { method: 'GET', path: '/orders', query: tags },
      tag: { method: 'POST', path: '/tags', body: tags, sends: 'form' },
    });

    await orders.list({ tags: ['a', 'b'] });
    await orders.tag({ body: { tags: ['a', 'b'] } });
    expect(sent()).toMatchObject([{ line: 'GET /orders?tags=a&tags=b' }, { body: 'tags=a&tags=b' }]);
  });

  test('a nested form has brackets around what is inside', async () => {
    const link = { items: [{ price: 'p 1', adjustable: { enabled: true } }], tags: ['a'], note: undefined };
    const orders = connect({ link: { method: 'POST', path: '/links', body: z.looseObject({}), sends: 'nested-form' } });

    await orders.link({ body: link });
    expect(sent()[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect([...new URLSearchParams(String(sent()[0]?.body))]).toEqual([
      ['items[0][price]', 'p 1'],
      ['items[0][adjustable][enabled]', 'true'],
      ['tags[0]', 'a'],
    ]);
  });

  test('`body` is sent as its schema returns it', async () => {
    const body = z.object({ amount: z.string().transform(Number) });
    const orders = connect({ refund: { method: 'POST', path: '/orders/{id}/refunds', body } });

    await orders.refund({ id: 'A-17', body: { amount: '5' } });
    expect(sent()).toMatchObject([{ line: 'POST /orders/A-17/refunds', body: { amount: 5 } }]);
  });

  test('a list may be the body', async () => {
    await connect({ add: { method: 'POST', path: '/orders', body: z.array(z.string()) } }).add({
      body: ['tea', 'salt'],
    });

    expect(sent()).toMatchObject([{ body: ['tea', 'salt'] }]);
  });

  test('a search by GET may have a body, where the transport sends one', async () => {
    const bodies: unknown[] = [];
    const search = { method: 'GET', path: '/orders/_search', body: z.object({ text: z.string() }) } as const;
    const transport: Transport = async ({ json }) => {
      bodies.push(json);
      return { status: 200, headers: new Map(), text: '[]' };
    };

    expect(await connect({ search }, { transport }).search({ body: { text: 'tea' } })).toEqual([]);
    expect(bodies).toEqual([{ text: 'tea' }]);
  });

  test.each([
    ['in front of the path', { path: 'v2' }, 'GET /v2/orders'],
    ['in a header', { header: { name: 'Orders-Version', value: '7' } }, 'GET /orders'],
  ] as const)('the version goes %s', async (_where, version, line) => {
    await connect({ list: { method: 'GET', path: '/orders' } }, { version }).list();

    expect(lines()).toEqual([line]);
    expect(sent()[0]?.headers['orders-version']).toBe('header' in version ? '7' : undefined);
  });
});

describe('arguments are checked before anything is sent', () => {
  const orders = () =>
    connect({
      get: { method: 'GET', path: '/orders/{id}' },
      list: { method: 'GET', path: '/orders', query: z.object({ limit: z.int() }) },
      create: { method: 'POST', path: '/orders', body: z.object({ lines: z.array(z.object({ sku: z.string() })) }) },
    });

  test.each<[what: string, call: () => Promise<unknown>, message: string]>([
    ['an id that is missing', () => orders().get({} as { id: string }), 'orders.get: id must be a string'],
    ['an id that leads elsewhere', () => orders().get({ id: '..' }), 'orders.get: id must not be "." or ".."'],
    ['a query', () => orders().list({ limit: 1.5 }), 'orders.list: limit must be an integer'],
    [
      'a body, by the whole way to the field',
      () => orders().create({ body: { lines: [{ sku: 7 as never }] } }),
      'orders.create: body.lines.0.sku must be a string',
    ],
    [
      'an object in a query',
      () => connect({ list: { method: 'GET', path: '/', query: z.looseObject({}) } }).list({ by: { id: 1 } }),
      'orders.list: query.by must be a text, a number, a boolean or a list of these',
    ],
    [
      'nothing in a form',
      () =>
        connect({ add: { method: 'POST', path: '/', body: z.looseObject({}), sends: 'form' } }).add({
          body: { id: null },
        }),
      'orders.add: body.id must be a text, a number, a boolean or a list of these',
    ],
    [
      'an argument that the operation lacks',
      () => orders().get({ id: 'A', colour: 'red' } as { id: string }),
      'orders.get: colour is not an argument of this operation: its endpoint has no `query`, and its path no such name',
    ],
  ])('%s', async (_what, call, message) => {
    await expect(call()).rejects.toMatchObject({ code: 'invalid_argument', message });
    expect(sent()).toEqual([]);
  });

  test('a schema that checks asynchronously is waited for', async () => {
    const query = z.object({ sku: z.string().refine(async (sku) => sku !== 'gone', 'is no longer sold') });
    const orders = connect({ list: { method: 'GET', path: '/orders', query } });

    await expect(orders.list({ sku: 'gone' })).rejects.toMatchObject({ message: 'orders.list: sku is no longer sold' });
    await orders.list({ sku: 'a' });
    expect(lines()).toEqual(['GET /orders?sku=a']);
  });
});

describe('answers', () => {
  test('an answer that is not what the schema says is an error that names the field', async () => {
    server.answer({ json: { id: 'A-17', total: 'twelve' } });
    const orders = connect({ get: { method: 'GET', path: '/orders/{id}', returns: order } });

    await expect(orders.get({ id: 'A-17' })).rejects.toMatchObject({
      code: 'unexpected_response',
      message: 'orders.get: total is not what the schema of this request says',
    });
  });

  test('a 404 is `undefined` where the endpoint says so, and an error elsewhere', async () => {
    server.answer({ status: 404 });
    const orders = connect({
      find: { method: 'GET', path: '/orders/{id}', returns: order, absentOn404: true },
      get: { method: 'GET', path: '/orders/{id}', returns: order },
    });

    expect(await orders.find({ id: 'A-17' })).toBeUndefined();
    await expect(orders.get({ id: 'A-17' })).rejects.toMatchObject({ code: 'client_error', status: 404 });
  });

  test('a list that is absent has no items', async () => {
    server.answer({ status: 404 });
    const orders = connect({ list: { method: 'GET', path: '/orders', absentOn404: true, next: 'cursor' } });

    expect(await orders.list()).toBeUndefined();
    expect(await all(orders.list())).toEqual([]);
  });

  test('text, forms and bytes are read as they are', async () => {
    const bytes = Uint8Array.from([0, 137, 80, 255, 254, 195]);
    server.answer({ json: 'ready' }, { json: 'status=ready&note=a+b' }, { bytes });
    const orders = connect({
      state: { method: 'GET', path: '/state', reads: 'text' },
      form: { method: 'GET', path: '/form', reads: 'form' },
      label: { method: 'GET', path: '/label', reads: 'bytes' },
    });

    expect(await orders.state()).toBe('ready');
    expect(await orders.form()).toEqual({ status: 'ready', note: 'a b' });
    expect(await orders.label()).toEqual(bytes);
    expect(sent().map(({ headers }) => headers.accept)).toEqual(['*/*', '*/*', '*/*']);
  });

  test('forms and text are sent with their content type', async () => {
    const orders = connect({
      form: { method: 'POST', path: '/form', body: z.object({ To: z.string(), Tries: z.number() }), sends: 'form' },
      text: { method: 'POST', path: '/text', body: z.string(), sends: 'text' },
    });

    await orders.form({ body: { To: '+14155550100', Tries: 2 } });
    await orders.text({ body: 'hello' });
    expect(sent().map(({ headers, body }) => [headers['content-type'], body])).toEqual([
      ['application/x-www-form-urlencoded', 'To=%2B14155550100&Tries=2'],
      ['text/plain;charset=UTF-8', 'hello'],
    ]);
  });

  test('withResponse gives the status and the headers too', async () => {
    server.answer({ status: 201, json: { id: 'A-17', total: 3 } });
    const orders = connect({ create: { method: 'POST', path: '/orders', returns: order } });

    const { data, response } = await orders.create().withResponse();

    expect(data).toEqual({ id: 'A-17', total: 3 });
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/json');
  });
});

describe('pages', () => {
  const page = z.object({ data: z.array(z.string()) });

  test('a loop reads page after page by the cursor, also one that the schema leaves out', async () => {
    server.answer({ json: { data: ['a', 'b'], cursor: 'p2' } }, { json: { data: ['c'], cursor: null } });
    const query = z.object({ customer: z.string() });
    const orders = connect({ list: { method: 'GET', path: '/orders', query, returns: page, next: 'cursor' } });

    expect(await all(orders.list({ customer: 'c_1' }))).toEqual(['a', 'b', 'c']);
    expect(lines()).toEqual(['GET /orders?customer=c_1', 'GET /orders?customer=c_1&cursor=p2']);
  });

  test('a list that is only awaited gives its first page, and sends nothing more', async () => {
    server.answer({ json: { data: ['a'], cursor: 'p2' } });
    const orders = connect({ list: { method: 'GET', path: '/orders', returns: page, next: 'cursor' } });

    expect(await orders.list()).toEqual({ data: ['a'] });
    expect(lines()).toEqual(['GET /orders']);
  });

  test('a loop that ends early reads no further page', async () => {
    server.answer({ json: { data: ['a', 'b'], cursor: 'p2' } });
    const orders = connect({ list: { method: 'GET', path: '/orders', returns: page, next: 'cursor' } });

    for await (const item of orders.list()) if (item === 'b') break;

    expect(lines()).toEqual(['GET /orders']);
  });

  test('a function says where the next page is, and `items` where its items are', async () => {
    const listed = z.object({ results: z.array(z.number()), page: z.number(), pages: z.number() });
    server.answer({ json: { results: [1, 2], page: 1, pages: 2 } }, { json: { results: [3], page: 2, pages: 2 } });
    const orders = connect({
      list: {
        method: 'GET',
        path: '/orders',
        returns: listed,
        items: 'results',
        next: ({ page, pages }: z.infer<typeof listed>) => (page < pages ? { page: page + 1 } : undefined),
      },
    });

    expect(await all(orders.list())).toEqual([1, 2, 3]);
    expect(lines()).toEqual(['GET /orders', 'GET /orders?page=2']);
  });

  test('a search by POST has its cursor in the body', async () => {
    const found = z.object({ data: z.array(z.string()), after: z.string().nullish() });
    server.answer({ json: { data: ['a'], after: 'p2' } }, { json: { data: ['b'] } });
    const orders = connect({
      search: {
        method: 'POST',
        path: '/orders/search',
        body: z.object({ customer: z.string() }),
        effect: 'read',
        returns: found,
        next: ({ after }: z.infer<typeof found>) => (after ? { body: { after } } : undefined),
      },
    });

    expect(await all(orders.search({ body: { customer: 'c_1' } }))).toEqual(['a', 'b']);
    expect(sent().map(({ line, body }) => [line, body])).toEqual([
      ['POST /orders/search', { customer: 'c_1' }],
      ['POST /orders/search', { customer: 'c_1', after: 'p2' }],
    ]);
  });

  test('a list that leads back to where it was ends with an error', async () => {
    server.answer({ json: { data: ['a'], cursor: 'p2' } });
    const orders = connect({ list: { method: 'GET', path: '/orders', returns: page, next: 'cursor' } });

    await expect(all(orders.list())).rejects.toMatchObject({
      code: 'unexpected_response',
      message: 'orders.list: the pages go in a circle',
    });
  });

  test.each([
    ['an object', { after: 'p2' }],
    ['a boolean', true],
  ])('a cursor that is %s is an error: the list would end too soon', async (_what, cursor) => {
    server.answer({ json: { data: ['a'], cursor } });
    const orders = connect({ list: { method: 'GET', path: '/orders', returns: page, next: 'cursor' } });

    await expect(all(orders.list())).rejects.toMatchObject({
      code: 'unexpected_response',
      message: 'orders.list: cursor must be a text, a number or null',
    });
  });

  test.each([
    ['null', { cursor: null }],
    ['empty', { cursor: '' }],
    ['absent', {}],
  ])('a cursor that is %s ends the list', async (_what, end) => {
    server.answer({ json: { data: ['a'], ...end } });
    const orders = connect({ list: { method: 'GET', path: '/orders', returns: page, next: 'cursor' } });

    expect(await all(orders.list())).toEqual(['a']);
    expect(lines()).toEqual(['GET /orders']);
  });

  test('a page without its items is an error', async () => {
    server.answer({ json: { orders: [] } });
    const orders = connect({ list: { method: 'GET', path: '/orders', next: 'cursor' } });

    await expect(all(orders.list())).rejects.toMatchObject({
      message: 'orders.list: data must be a list',
    });
  });
});

describe('credentials and headers', () => {
  test('two credentials go with each request', async () => {
    const authenticate = combined(
      apiKey('X-Gateway-Key', () => 'gateway'),
      bearer(() => 'token'),
    );
    await connect({ list: { method: 'GET', path: '/orders' } }, { authenticate }).list();

    expect(sent()[0]?.headers).toMatchObject({ 'x-gateway-key': 'gateway', authorization: 'Bearer token' });
  });

  test('headers of the endpoint and of the call are sent, those of the call first', async () => {
    const orders = connect({ list: { method: 'GET', path: '/orders', headers: { 'X-View': 'full', 'X-Shop': 'a' } } });

    await orders.list({}, { headers: { 'x-shop': 'b' } });
    expect(sent()[0]?.headers).toMatchObject({ 'x-view': 'full', 'x-shop': 'b' });
  });

  test('`accept` and `content-type` may be others than the usual ones', async () => {
    const headers = { Accept: 'application/vnd.orders+json', 'Content-Type': 'application/merge-patch+json' };
    await connect({ change: { method: 'PATCH', path: '/orders', body: z.object({}), headers } }).change({ body: {} });

    expect(sent()[0]?.headers).toMatchObject({ accept: headers.Accept, 'content-type': headers['Content-Type'] });
  });

  test('an environment variable that is not set is named by the error', async () => {
    const authenticate = apiKey('X-Key', fromEnv('ORDERS_KEY_THAT_IS_NOT_SET'));
    const orders = connect({ list: { method: 'GET', path: '/orders' } }, { authenticate });

    await expect(orders.list()).rejects.toMatchObject({
      code: 'authentication_failed',
      message: expect.stringContaining('ORDERS_KEY_THAT_IS_NOT_SET'),
      outcome: 'not_sent',
    });
  });
});

describe('writes are sent again only where that is safe', () => {
  const endpoints = {
    create: { method: 'POST', path: '/orders' },
    replace: { method: 'PUT', path: '/orders/{id}', repeat: 'again' },
    count: { method: 'POST', path: '/orders/count', effect: 'read' },
  } as const;
  const unavailable = { status: 503 };

  test('a write whose end is unknown is not', async () => {
    server.answer(unavailable);

    await expect(connect(endpoints).create()).rejects.toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(sent()[0]?.headers['idempotency-key']).toBeUndefined();
  });

  test('nor is it when `idempotency` is there and `undefined`', async () => {
    server.answer(unavailable);

    await expect(connect(endpoints, { idempotency: undefined as never }).create()).rejects.toMatchObject({
      attempts: 1,
    });
  });

  test('with keys it is, with the same one', async () => {
    server.answer(unavailable, {});
    await connect(endpoints, { idempotency: 'key' }).create();

    const keys = sent().map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[\w-]{36}$/), keys[0]]);
  });

  test('the keys are in the header that the API reads', async () => {
    server.answer(unavailable, {});
    await connect(endpoints, { idempotency: { header: 'X-Request-Key' } }).create({}, { idempotencyKey: 'k' });

    const keys = sent().map(({ headers }) => [headers['x-request-key'], headers['idempotency-key']]);
    expect(keys).toEqual([
      ['k', undefined],
      ['k', undefined],
    ]);
  });

  test('what ends the same and what only reads are', async () => {
    server.answer(unavailable, {}, unavailable, {});
    const orders = connect(endpoints);

    await orders.replace({ id: 'A' });
    await orders.count();
    expect(lines()).toEqual(['PUT /orders/A', 'PUT /orders/A', 'POST /orders/count', 'POST /orders/count']);
  });
});

test('a payment whose caller hung up reports how it ended', async () => {
  const hungUp = new AbortController();
  const settled = Promise.withResolvers<Settled>();
  const answer = { status: 200, headers: new Map<string, string>(), text: '{"receipt":"r_1"}' };
  const transport = async () => {
    setTimeout(() => hungUp.abort());
    return new Promise<typeof answer>((resolve) => setTimeout(resolve, 20, answer));
  };
  const orders = connect({ pay: { method: 'POST', path: '/pay', effect: 'payment' } }, { transport });

  const paid = orders.pay({}, { signal: hungUp.signal, onSettled: settled.resolve });

  await expect(paid).rejects.toMatchObject({ code: 'aborted', outcome: 'unknown' });
  expect(await settled.promise).toMatchObject({ operation: 'orders.pay', ok: true, result: { receipt: 'r_1' } });
  expect(await settled.promise).not.toHaveProperty('result.items');
});

test('what is refused at once', () => {
  const get = { method: 'GET', path: '/orders' } as const;

  expect(() => connect({ get }, { name: 'my orders' })).toThrow('name must be a word');
  expect(() => connect({ get }, { name: 'billing' })).toThrow('name must not be billing: events of that name');
  for (const name of ['close', 'then'])
    expect(() => connect({ [name]: get })).toThrow(`endpoints.${name} must have another name`);
  expect(() => connect({ pay: { method: 'POST', path: '/payments', effect: 'payment', repeat: 'again' } })).toThrow(
    "endpoints.pay.repeat must not be 'again' for a payment: it could be taken twice",
  );
  const pay = { method: 'POST', path: '/payments' } as const;
  const wrong = { pay: { ...pay, efect: 'payment' } };
  expect(() => connect(wrong)).toThrow('endpoints.pay.efect is not an option: did you mean effect?');
  expect(() => connect({ pay: { ...pay, effect: 'paymnt' as 'payment' } })).toThrow(
    "endpoints.pay.effect must be 'read', 'write' or 'payment': did you mean 'payment'?",
  );
  expect(() => connect({ pay: { ...pay, repeat: 'agian' as 'again' } })).toThrow(
    "endpoints.pay.repeat must be 'key', 'again', 'never' or { lookUp }: did you mean 'again'?",
  );
  expect(() => connect({ pay: { ...pay, sends: 'xml' as 'text', reads: 'xml' as 'text' } })).toThrow(
    "endpoints.pay.sends must be 'json', 'form', 'nested-form' or 'text'",
  );
  expect(() => connect({ get: { method: 'GET', path: '/orders/{id' } })).toThrow('endpoints.get must have a path');
  expect(() => connect({ get: { method: 'GET', path: '/orders/{order-id}' } })).toThrow(
    'endpoints.get must have a path without {order-id}: a name in braces has letters, digits and _',
  );
  expect(() => connect({ get }, { version: 'v1' as never })).toThrow('version must be');
});

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};
