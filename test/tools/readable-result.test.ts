import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool, type ToolOptions } from '../../src/tools/index.ts';
import { readableResult } from '../../src/tools/readable-result.ts';
import fc from '../support/fast-check.ts';

const readable = (result: unknown, ...argumentNames: readonly string[]) =>
  readableResult(result, { argumentNames: new Set(argumentNames) });

describe('a result that a tool does not shape itself', () => {
  test('is flattened', () => {
    const order = { number: '1042', plan: { name: 'Gold', price: { amount: 20, currency: 'EUR' } } };

    expect(readable({ data: { attributes: order } })).toEqual({
      number: '1042',
      plan_name: 'Gold',
      plan_price_amount: 20,
      plan_price_currency: 'EUR',
    });
    expect(readable({ parts: { parts: [{ body: { text: 'Hi' } }] } })).toEqual({ parts: [{ text: 'Hi' }] });
  });

  test('has words for codes, and dates for times', () => {
    expect(
      readable({
        status: 'PAST_DUE',
        step: 'waiting_for_parts',
        tags: ['NEW_CUSTOMER', 'vip'],
        currency: 'EUR',
        number: 'INV_2026_1',
        created_at: 1_763_600_000,
        updatedAt: 1_763_600_000_000,
        count: 1_763_600_000,
        due: new Date(0),
      }),
    ).toEqual({
      status: 'past due',
      step: 'waiting for parts',
      tags: ['new customer', 'vip'],
      currency: 'EUR',
      number: 'INV_2026_1',
      created_at: '2025-11-20T00:53:20.000Z',
      updatedAt: '2025-11-20T00:53:20.000Z',
      count: 1_763_600_000,
      due: new Date(0),
    });
  });

  test('has no personal data, no secrets, no links and nothing empty', () => {
    expect(
      readable({
        name: 'Jane',
        email: 'jane@example.com',
        home_phone: '+14155550100',
        address: { street: 'Main', open: true },
        dateOfBirth: '1980-02-03',
        api_key: 'x',
        has_email: true,
        note: 'write to jane@example.com or +14155550100, card 4242 4242 4242 4242, password is hunter2',
        _links: { self: '/x' },
        href: '/x',
        nothing: null,
        empty: {},
        list: [],
        text: '',
      }),
    ).toEqual({
      name: 'Jane',
      has_email: true,
      note: 'write to [email] or [phone], card **** **** **** 4242, password is [secret]',
    });
  });

  test('has no card number, whether it is a text or a number', () => {
    const masked = { paid_with: '************1111', others: ['************4242'] };

    expect(readable({ paid_with: '4111111111111111', others: ['4242424242424242'] })).toEqual(masked);
    expect(readable({ paid_with: 4111111111111111, others: [4242424242424242] })).toEqual(masked);
  });

  test('has the ids that a tool takes, and no others', () => {
    const result = {
      id: 'o_1',
      owner_id: 'u_1',
      invoice: { id: 'inv_1', state: 'open' },
      requestId: 'r_1',
      assignee: '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
      lines: [{ id: 'l_1', product_ids: [1], title: 'Bread' }],
    };

    expect(readable(result)).toEqual({ invoice_state: 'open', lines: [{ title: 'Bread' }] });
    expect(readable(result, 'invoice_id', 'note')).toEqual({
      id: 'o_1',
      invoice_id: 'inv_1',
      invoice_state: 'open',
      lines: [{ id: 'l_1', title: 'Bread' }],
    });
  });

  test.each([['done'], [null], [['a', 'b']]])('is %j as it is', (result) => {
    expect(readable(result)).toEqual(result);
  });

  test('ends, whatever it is, and leaves what it was given unchanged', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (value) => {
          const before = structuredCloneOrNothing(value);
          readable(value, 'invoice_id');

          expect(structuredCloneOrNothing(value)).toEqual(before);
        },
      ),
    );
    const loop: Record<string, unknown> = { a: 1 };
    loop['self_again'] = loop;
    expect(readable(loop)).toMatchObject({ a: 1 });
  });
});

const structuredCloneOrNothing = (value: unknown): unknown => {
  try {
    return structuredClone(value);
  } catch {
    return undefined;
  }
};

test('a toolbox makes the results of its own tools readable, unless they say how', async () => {
  const found = { order_id: 'o_1', owner_id: 'u_1', status: 'IN_TRANSIT', buyer: { email: 'jane@example.com' } };
  const find = (own: Partial<ToolOptions<object, typeof found>> = {}) =>
    defineTool<object, typeof found>({
      name: 'find_order',
      description: 'Finds the order.',
      parameters: z.object({}),
      effect: 'read',
      run: () => found,
      ...own,
    });
  const cancel = defineTool({
    name: 'cancel_order',
    description: 'Cancels an order.',
    parameters: z.object({ order_id: z.string() }),
    effect: 'write',
    run: () => ({ cancelled: true }),
  });
  const valueOf = async (...tools: readonly ReturnType<typeof find>[]) =>
    (await createToolbox({ tools, context: { callId: 'CA1' } }).run('find_order', {})).value;

  expect(await valueOf(find())).toEqual({ status: 'in transit' });
  expect(await valueOf(find(), cancel)).toEqual({ order_id: 'o_1', status: 'in transit' });
  expect(await valueOf(find({ compact: (order) => order }))).toEqual(found);
  expect(await valueOf(find({ compact: ({ owner_id }) => ({ owner_id }) }))).toEqual({ owner_id: 'u_1' });
});
