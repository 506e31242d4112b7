import { expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool } from '../../src/tools/index.ts';
import type { PaymentOnce } from '../../src/tools/tool.ts';

type Order = { order_id: string; amount: number };

const start = (what: PaymentOnce<Order>['what']) => {
  const paid: string[] = [];
  const errors: unknown[] = [];
  const box = createToolbox({
    context: { callId: 'CA1' },
    onError: (error) => errors.push(error),
    tools: [
      defineTool({
        name: 'pay_order',
        description: 'Pays an order.',
        parameters: z.object({ order_id: z.string(), amount: z.number() }),
        effect: 'payment',
        confirm: false,
        once: { what },
        run: ({ order_id }) => {
          paid.push(order_id);
          return { success: true };
        },
      }),
    ],
  });
  return { paid, errors, pay: (order_id: string) => box.run('pay_order', { order_id, amount: 20 }) };
};

/** What plain JavaScript gives for a name that is misspelt. */
const missing = (order: object): never => Reflect.get(order, 'orderId') as never;

test.each<[string, PaymentOnce<Order>['what']]>([
  ['undefined', missing],
  ['a list with it', (order) => [order.amount, missing(order)]],
  ['an empty list', () => []],
  ['an object of nothing', (order) => ({ id: missing(order) })],
  ['a list with such an object', (order) => ['shop', { id: missing(order) }]],
  ['no number', (order) => [Number(missing(order))]],
  ['a function', (order) => [order.order_id.trim as never]],
])('an own payment that is named by %s is not made: every other one would be "already paid"', async (_what, what) => {
  const { pay, paid, errors } = start(what);
  const results = [await pay('o1'), await pay('o2')];

  for (const { value } of results) expect(value).toMatchObject({ success: false, error: 'internal_error' });
  expect(errors).toMatchObject([{ field: 'once.what' }, { field: 'once.what' }]);
  expect(paid).toEqual([]);
});

test.each<[string, PaymentOnce<Order>['what']]>([
  ['a text', ({ order_id }) => order_id],
  ['a list with null for what may be missing', ({ order_id }) => [order_id, null, '']],
  ['an object', ({ order_id }) => ({ order_id })],
])('%s names it: another order is another payment', async (_what, what) => {
  const { pay, paid } = start(what);
  const results = [await pay('o1'), await pay('o2'), await pay('o1')];

  expect(results.map(({ status, replayed }) => [status, replayed])).toEqual([
    ['done', false],
    ['done', false],
    ['done', true],
  ]);
  expect(paid).toEqual(['o1', 'o2']);
});
