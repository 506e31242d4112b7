import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { type ApiPages, type ApiPromise, createApiClient } from '../../src/index.ts';
import { toolFrom } from '../../src/tools/index.ts';
import type { Credential } from '../../src/http/credential.ts';

declare const authenticate: Credential;

interface Order {
  id: string;
  total: number;
}

const order = z.object({ id: z.string(), total: z.number() });

const orders = createApiClient({
  name: 'orders',
  baseUrl: 'https://shop.example.com',
  version: 'in-base-url',
  authenticate,
  endpoints: {
    get: { method: 'GET', path: '/customers/{customerId}/orders/{id}', returns: order },
    find: { method: 'GET', path: '/orders/{id}', returns: order, absentOn404: true },
    refund: {
      method: 'POST',
      path: '/orders/{id}/refunds',
      body: z.object({ amount: z.string().transform(Number) }),
      returns: (json) => String(json),
    },
    list: {
      method: 'GET',
      path: '/orders',
      query: z.object({ customer: z.string().optional() }),
      returns: z.object({ data: z.array(order) }),
      next: 'cursor',
    },
    label: { method: 'GET', path: '/label', reads: 'bytes' },
    ping: { method: 'GET', path: '/ping' },
  },
});

test('a misspelt field of an endpoint does not compile', () => {
  const base = { name: 'orders', baseUrl: 'https://shop.example.com', version: 'in-base-url', authenticate } as const;
  // @ts-expect-error: a slip of the pen would make a payment an ordinary write
  createApiClient({ ...base, endpoints: { pay: { method: 'POST', path: '/pay', efect: 'payment' } } });
  // @ts-expect-error: a value that it can't have
  createApiClient({ ...base, endpoints: { pay: { method: 'POST', path: '/pay', effect: 'paymnt' } } });
});

test('arguments are the names in the path, the query and the body as they go into their schemas', () => {
  expectTypeOf<Parameters<typeof orders.get>[0]>().toExtend<{ customerId: string | number; id: string | number }>();
  expectTypeOf<Parameters<typeof orders.refund>[0]['body']>().toEqualTypeOf<{ amount: string }>();
  void orders.list();
  void orders.list({ customer: 'c_1' });

  // @ts-expect-error: a name in the path is missing
  void orders.get({ id: 'A-17' });
  // @ts-expect-error: not what the schema takes
  void orders.refund({ id: 'A-17', body: { amount: 5 } });
  // @ts-expect-error: no such argument
  void orders.list({ colour: 'red' });
});

test('answers are what `returns` and `reads` say, and undefined only where the endpoint says so', () => {
  expectTypeOf(orders.get).returns.toEqualTypeOf<ApiPromise<Order>>();
  expectTypeOf(orders.find).returns.toEqualTypeOf<ApiPromise<Order | undefined>>();
  expectTypeOf(orders.refund).returns.toEqualTypeOf<ApiPromise<string>>();
  expectTypeOf(orders.list).returns.toEqualTypeOf<ApiPages<{ data: Order[] }, Order>>();
  expectTypeOf(orders.label).returns.toEqualTypeOf<ApiPromise<Uint8Array>>();
  expectTypeOf(orders.ping).returns.toEqualTypeOf<ApiPromise<unknown>>();
});

test('the methods of every client are there too', () => {
  expectTypeOf(orders.warmUp).toBeFunction();
  expectTypeOf(orders.close).returns.toEqualTypeOf<Promise<void>>();
});

test('a tool of an operation takes its arguments side by side; wrong names are refused', () => {
  const description = 'Refunds an order.';
  toolFrom(orders.refund, {
    description,
    bind: { id: 'A-17', amount: () => '5' },
    amount: ({ amount }) => Number(amount),
    compact: (receipt, { id }) => `${id}: ${receipt}`,
  });
  toolFrom(orders.find, { description, compact: (found) => found?.total });
  toolFrom(orders.list, { description, bind: { customer: 'c_1' }, compact: ({ data }) => data.length });

  // @ts-expect-error: no such argument
  toolFrom(orders.refund, { description, bind: { customer: 'c_1' } });
  // @ts-expect-error: the fields of the body have no wrapper
  toolFrom(orders.refund, { description, summarize: ({ body }) => String(body) });
  // @ts-expect-error: the answer has no such field
  toolFrom(orders.find, { description, compact: (found) => found?.colour });
  // @ts-expect-error: the endpoint says what it does
  toolFrom(orders.refund, { description, effect: 'read' });
  // @ts-expect-error: not an operation
  toolFrom(orders.close, { description });
});
