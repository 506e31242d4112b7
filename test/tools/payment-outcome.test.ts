import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool, refused, type ToolOptions } from '../../src/tools/index.ts';

type Own = Partial<ToolOptions<{ order_id: string }, unknown>>;

const start = (result: unknown, own: Own = {}) => {
  let runs = 0;
  const errors: unknown[] = [];
  const box = createToolbox({
    context: { callId: 'CA1' },
    approve: () => true,
    onError: (error) => errors.push(error),
    tools: [
      defineTool<{ order_id: string }, unknown>({
        name: 'pay_order',
        description: 'Pays an order.',
        parameters: z.object({ order_id: z.string() }),
        effect: 'payment',
        confirm: false,
        run: () => {
          runs += 1;
          return result;
        },
        ...own,
      }),
    ],
  });
  return { errors, pay: () => box.run('pay_order', { order_id: 'o1' }), runs: () => runs };
};

describe('an own payment without outcome', () => {
  test.each<[string, unknown]>([
    ['success: false', { success: false, error: 'no answer' }],
    ['ok: false', { ok: false }],
    ['an error', new Error('the bank did not answer')],
    ['an answer of fetch that is no success', new Response('no', { status: 502 })],
    ['success: false with a word that is unknown', { success: false, status: 'strange' }],
  ])('whose run returned %s is unknown, and the application learns what is missing', async (_what, result) => {
    const { pay, runs, errors } = start(result);
    const [first, second] = [await pay(), await pay()];

    for (const { status, value } of [first, second]) {
      expect([status, value]).toMatchObject(['unknown', { error: 'payment_status_unknown' }]);
      expect(JSON.stringify(value)).not.toContain('already_paid');
    }
    expect(runs()).toBe(1);
    expect(errors).toMatchObject([{ field: 'outcome' }]);
  });

  test.each<[string, unknown]>([
    ['pending', { status: 'pending' }],
    ['in progress', { status: 'In progress' }],
    ['success: false that may have moved money', { success: false, outcome: 'unknown' }],
  ])('whose run returned %s is unknown', async (_what, result) => {
    const { pay, errors } = start(result);

    expect(await pay()).toMatchObject({ status: 'unknown' });
    expect(errors).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['declined', { status: 'Declined', message: 'No' }],
    ['a failed payment', { success: false, status: 'failed' }],
    ['success: false that was rejected', { success: false, outcome: 'rejected' }],
    ['a refusal', refused({ error: 'no' })],
  ])('whose run returned %s was not made, and may be tried again', async (_what, result) => {
    const { pay, runs } = start(result);
    const results = [await pay(), await pay()];

    for (const { status, value } of results) {
      expect(status).toBe('refused');
      expect(JSON.stringify(value)).not.toContain('already_paid');
    }
    expect(runs()).toBe(2);
  });

  test.each<[string, unknown]>([
    ['success: true', { success: true }],
    ['completed', { status: 'completed' }],
    ['a word of its own', { status: 'succeeded' }],
    ['a number as the status', { status: 200 }],
    ['an answer of fetch', new Response('{}')],
    ['a text', 'paid'],
    ['nothing', undefined],
    ['null', null],
  ])('whose run returned %s was made', async (_what, result) => {
    const { pay, runs, errors } = start(result);
    const results = [await pay(), await pay()];

    expect(results).toMatchObject([{ status: 'done' }, { status: 'done', value: { already_paid: true } }]);
    expect([runs(), errors]).toEqual([1, []]);
  });

  test('its own outcome wins', async () => {
    const { pay } = start({ success: false }, { outcome: () => 'refused' });

    expect(await pay()).toMatchObject({ status: 'refused', value: { success: false } });
  });
});

describe('a function of a tool that gives what it must not', () => {
  test.each([[null], [false], [true], ['no'], [new Error('no')], [{}], [{ field: 'order_id' }]])(
    'a rule that gives %j lets nothing run',
    async (said) => {
      const { pay, runs, errors } = start({}, { rules: [() => said as never] });

      expect(await pay()).toMatchObject({ status: 'failed' });
      expect(runs()).toBe(0);
      expect(errors).toMatchObject([{ field: 'rules' }]);
    },
  );

  test.each([[''], [' '], [5], [{}], [Promise.resolve('Pay.')]])(
    'no one is asked for a sentence that is %j, and the call does not go on waiting',
    async (said) => {
      for (const confirm of ['two-step', 'approve', 'both'] as const) {
        const { pay, runs, errors } = start({}, { confirm, summarize: () => said as string });
        const results = [await pay(), await pay()];

        expect(results).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
        expect(runs()).toBe(0);
        expect(errors).toMatchObject([{ field: 'summarize()' }, { field: 'summarize()' }]);
      }
    },
  );
});
