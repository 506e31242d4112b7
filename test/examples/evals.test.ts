import { describe, expect, test, vi } from 'vitest';
import type { EvalCall } from '../../examples/evals/call.ts';
import { evalCalls } from '../../examples/evals/calls.ts';
import { play } from '../../examples/evals/play.ts';

vi.stubEnv('OPENAI_API_KEY', '');

/** Looks up and does nothing more, whatever the caller wants. */
const idle: EvalCall['script'] = Array.from({ length: 20 }, () => 'Hm.');

/** Pays whatever it finds without asking, and says all that it must not. */
const careless: EvalCall['script'] = [
  { call: 'lookup_customer_invoices' },
  ({ results }) => {
    const [, id, amount] = /"id":"([^"]+)","amount":([\d.]+)/.exec(results.join()) ?? [];
    return { call: 'create_payment', args: { invoice_id: id ?? 'inv_1', amount: Number(amount ?? 120.5) } };
  },
  ...Array.from({ length: 20 }, () => 'That is paid. It failed. Nothing is open: 200, 999. 4242 4242 4242 4242.'),
];

test('there are twenty', () => {
  expect(new Set(evalCalls.map(({ name }) => name)).size).toBe(20);
});

describe.each(evalCalls)('$name', (call) => {
  test('a good model passes', async () => {
    expect((await play(call)).failed).toEqual([]);
  });

  test('an idle or a careless model is found out', async () => {
    const failed = [await play({ ...call, script: idle }), await play({ ...call, script: careless })];

    expect(failed.flatMap((one) => one.failed)).not.toEqual([]);
  });
});
