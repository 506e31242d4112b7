import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type ApiClient,
  type ApiClientOptions,
  type ApiEndpoints,
  type ConnectionOptions,
  createApiClient,
} from '../../src/index.ts';
import { createToolbox, type ToolboxOptions, toolFrom } from '../../src/tools/index.ts';
import { bearer } from '../../src/auth/index.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { type RecordingServer, startRecordingServer } from '../support/recording-server.ts';

let server: RecordingServer;
let sentBefore: number;

beforeAll(async () => {
  server = await startRecordingServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.answer({});
  sentBefore = server.requests.length;
});

const sent = () => server.requests.slice(sentBefore);

/** The names of the fields are checked where endpoints are written, not where they're passed on. */
const create = createApiClient as <Endpoints extends ApiEndpoints>(
  options: ApiClientOptions<Endpoints>,
) => ApiClient<Endpoints>;

const connect = <const Endpoints extends ApiEndpoints>(
  endpoints: Endpoints,
  options: Partial<ConnectionOptions> = {},
) =>
  create<Endpoints>({
    name: 'orders',
    baseUrl: server.baseUrl,
    version: 'in-base-url',
    authenticate: bearer(() => 'token'),
    backoff: { minimumMs: 1, maximumMs: 1 },
    ...options,
    endpoints,
  });

const shop = (options?: Partial<ConnectionOptions>) =>
  connect(
    {
      find: { method: 'GET', path: '/orders/{id}', absentOn404: true, returns: z.looseObject({ total: z.number() }) },
      addLine: {
        method: 'POST',
        path: '/orders/{id}/lines',
        query: z.object({ notify: z.boolean().optional() }),
        body: z.object({ sku: z.string(), count: z.int().min(1).describe('How many.') }),
      },
      refund: {
        method: 'POST',
        path: '/customers/{customerId}/refunds',
        body: z.object({ amount: z.number().positive(), reason: z.string().transform((said) => said.toUpperCase()) }),
        returns: z.object({ receipt: z.string() }),
        effect: 'payment',
      },
    },
    options,
  );

const caller = { phone: '+14155550100', verified: 'caller-id' } as const;
const toolbox = (tools: ToolboxOptions['tools'], options: Partial<ToolboxOptions> = {}) =>
  createToolbox({ tools, context: { callId: 'CA1', caller }, ...options });

describe('a tool of an endpoint', () => {
  test('has the name of the operation, the effect of the endpoint, and its arguments side by side', () => {
    expect(toolFrom(shop().addLine, { description: 'Adds something to an order.' })).toMatchObject({
      name: 'orders_add_line',
      effect: 'write',
      idempotent: false,
      parameters: {
        properties: {
          id: { type: 'string' },
          notify: { type: 'boolean' },
          sku: { type: 'string' },
          count: { type: 'integer', description: 'How many. At least 1.' },
        },
        required: ['id', 'sku', 'count'],
      },
    });
  });

  test('sends each argument where it belongs', async () => {
    const tools = toolbox([toolFrom(shop().addLine, { description: 'Adds a line.' })]);

    await tools.run('orders_add_line', { id: 'A-17', sku: 'tea', count: 2, notify: true });

    expect(sent()).toMatchObject([{ line: 'POST /orders/A-17/lines?notify=true', body: { sku: 'tea', count: 2 } }]);
  });

  test('does again what another call has changed since', async () => {
    const { move } = connect({
      move: { method: 'PUT', path: '/address', body: z.object({ city: z.string() }), repeat: 'again' },
    });
    const tools = toolbox([toolFrom(move, { description: 'Changes the address.' })]);

    for (const city of ['Bern', 'Bonn', 'Bern']) await tools.run('orders_move', { city }, { toolCallId: city });

    expect(sent().map(({ body }) => body)).toEqual([{ city: 'Bern' }, { city: 'Bonn' }, { city: 'Bern' }]);
  });

  test('answers the model which argument is wrong, and sends nothing', async () => {
    const tools = toolbox([toolFrom(shop().addLine, { description: 'Adds a line.' })]);
    const result = await tools.run('orders_add_line', { id: '..', sku: 'tea', count: 0 });

    expect(result).toMatchObject({
      status: 'refused',
      value: {
        error: 'invalid_arguments',
        fields: [
          { field: 'id', problem: 'must not be "." or ".."' },
          { field: 'count', problem: 'must be at least 1' },
        ],
      },
    });
    expect(sent()).toEqual([]);
  });

  test('gives the model a readable answer, and says that nothing was found', async () => {
    server.answer({ json: { total: 12, state: 'ON_ITS_WAY', customer: { email: 'ada@example.com', tier: 'gold' } } });
    const tools = toolbox([toolFrom(shop().find, { description: 'Finds an order.' })]);

    expect((await tools.run('orders_find', { id: 'A-17' })).value).toEqual({
      total: 12,
      state: 'on its way',
      customer_tier: 'gold',
    });
    server.answer({ status: 404 });
    expect((await tools.run('orders_find', { id: 'A-18' })).value).toEqual({ found: false });
  });

  test('takes what the application binds from it alone', async () => {
    const refund = toolFrom(shop().refund, {
      name: 'refund',
      description: 'Refunds.',
      bind: { customerId: ({ callId }) => `customer-of-${callId}` },
      confirm: false,
    });

    expect(Object.keys(refund.parameters.properties)).toEqual(['amount', 'reason']);
    server.answer({ json: { receipt: 'r_1' } });
    await toolbox([refund]).run('refund', { customerId: 'another', amount: 5, reason: 'late' });
    expect(sent()).toMatchObject([
      // A schema that transforms does so once.
      { line: 'POST /customers/customer-of-CA1/refunds', body: { amount: 5, reason: 'LATE' } },
    ]);
  });

  test('of an endpoint with pages gives the first', async () => {
    server.answer({ json: { data: ['tea', 'salt'], cursor: 'p2' } });
    const { list } = connect({ list: { method: 'GET', path: '/orders', next: 'cursor' } });

    const result = await toolbox([toolFrom(list, { description: 'Lists.' })]).run('orders_list', {});
    expect(result.text).toContain('tea');
    expect(sent()).toHaveLength(1);
  });
});

describe('a payment', () => {
  const refundTool = (options?: Partial<ConnectionOptions>) =>
    toolFrom(shop(options).refund, { description: 'Refunds.', bind: { customerId: 'c_1' }, confirm: false });
  const args = { amount: 5, reason: 'late' };

  test('is made once per phone call, with a key', async () => {
    server.answer({ json: { receipt: 'r_1' } });
    const tools = toolbox([refundTool()]);

    const first = await tools.run('orders_refund', args, { toolCallId: 't_1' });
    const second = await tools.run('orders_refund', args, { toolCallId: 't_2' });

    expect(first).toMatchObject({ status: 'done', value: { receipt: 'r_1' } });
    expect(second).toMatchObject({ status: 'done', replayed: true, value: { already_paid: true } });
    expect(sent().map(({ headers }) => headers['idempotency-key'])).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  test('counts towards the total of a phone call by its `amount`', async () => {
    server.answer({ json: { receipt: 'r_1' } });
    const tools = toolbox([refundTool()], { payments: { perCall: 8 } });

    await tools.run('orders_refund', args);
    const more = await tools.run('orders_refund', { ...args, amount: 6 });
    expect(more.value).toMatchObject({ reason: 'payment_limit_reached' });
    expect(sent()).toHaveLength(1);
  });

  test('with an unknown end is never sent again to an API without keys, by any process', async () => {
    const store = createMemoryIdempotencyStore();
    server.answer({ drops: true });
    const first = await toolbox([refundTool()], { store }).run('orders_refund', args);
    server.answer({ json: { receipt: 'r_1' } });
    const second = await toolbox([refundTool()], { store }).run('orders_refund', args);

    for (const { status, value } of [first, second])
      expect([status, value]).toEqual([
        'unknown',
        {
          success: false,
          error: 'payment_status_unknown',
          outcome: 'unknown',
          message:
            'It is not known whether the payment went through, and it cannot be checked from here. Never say it failed ' +
            'or succeeded: say that a colleague has to look. Calling again does nothing.',
        },
      ]);
    expect(sent()).toHaveLength(1);
  });

  test.each([
    ['Idempotency-Key', 'key'],
    ['X-Request-Key', { header: 'X-Request-Key' }],
  ] as const)('with an unknown end is checked with the same key where the API knows %s', async (name, idempotency) => {
    const store = createMemoryIdempotencyStore();
    const options = { idempotency, attempts: 1 };
    server.answer({ status: 503 }, { json: { receipt: 'r_1' } });
    await toolbox([refundTool(options)], { store }).run('orders_refund', args);
    const second = await toolbox([refundTool(options)], { store }).run('orders_refund', args);

    expect(second).toMatchObject({ status: 'done', value: { receipt: 'r_1' } });
    const keys = sent().map(({ headers }) => headers[name.toLowerCase()]);
    expect(keys).toEqual([expect.stringMatching(/^\w{64}$/), keys[0]]);
  });
});

describe('what is refused at once', () => {
  const description = 'Does it.';

  test.each<[what: string, make: () => unknown, message: string]>([
    [
      'one name in two places',
      () =>
        toolFrom(connect({ a: { method: 'POST', path: '/{id}', body: z.object({ id: z.string() }) } }).a, {
          description,
        }),
      'toolFrom orders.a: id is in more than one of path, query and body: use defineTool',
    ],
    [
      'a body that is a list',
      () => toolFrom(connect({ a: { method: 'POST', path: '/', body: z.array(z.string()) } }).a, { description }),
      'toolFrom orders.a: body must be an object with named fields: use defineTool for anything else',
    ],
    [
      'a schema without a JSON Schema',
      () =>
        toolFrom(connect({ a: { method: 'POST', path: '/', body: z.object({ at: z.date() }) } }).a, { description }),
      'toolFrom orders.a: body cannot be turned into JSON Schema',
    ],
    [
      'an answer of bytes without words for it',
      () => toolFrom(connect({ label: { method: 'GET', path: '/label', reads: 'bytes' } }).label, { description }),
      'toolFrom orders.label: compact must say what a model reads of an answer of bytes',
    ],
    [
      'a function that is no operation',
      () => toolFrom((() => {}) as never, { description }),
      'toolFrom: tool is a function: give an operation of createApiClient, such as orders.get',
    ],
  ])('%s', (_what, make, message) => {
    expect(make).toThrow(message);
  });
});

test('a method shows nothing of its endpoint', () => {
  expect(Object.keys(shop().find)).toEqual([]);
});
