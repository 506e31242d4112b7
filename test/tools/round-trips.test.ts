import { expect, test } from 'vitest';
import * as z from 'zod';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';
import { type Confirm, createToolbox, defineTool } from '../../src/tools/index.ts';
import { countStoreCalls } from '../support/count-store-calls.ts';

/** A payment that is declined once, then paid, and each time the round trips of the call that sends it. */
const roundTripsOf = async (confirm: Confirm) => {
  const { counting, calls } = countStoreCalls(createMemoryIdempotencyStore());
  const outcomes: ('refused' | 'done')[] = ['refused', 'done'];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ invoice: z.string(), amount: z.number() }),
    effect: 'payment',
    confirm,
    run: () => ({ sent: true }),
    outcome: () => outcomes.shift() ?? 'unknown',
  });
  const toolbox = createToolbox({ tools: [pay], store: counting, approve: () => true, context: { callId: 'CA1' } });
  const args = { invoice: 'i', amount: 5 };
  let turn = 0;
  const send = async () => {
    turn += 1;
    const isConfirmed = confirm === 'two-step' || confirm === 'both';
    const { value } = isConfirmed ? await toolbox.run('pay', args, { turn: String(turn) }) : {};
    turn += 1;
    calls.length = 0;
    const token = (value as { readonly confirmation_token?: string } | undefined)?.confirmation_token;
    const { status } = await toolbox.run('pay', { ...args, confirmation_token: token }, { turn: String(turn) });
    return [status, ...calls];
  };
  return [await send(), await send()];
};

test.each<[Confirm, readonly string[]]>([
  [false, ['claim', 'renew', 'settle']],
  ['two-step', ['claim', 'claim', 'renew', 'settle', 'settle']],
  ['approve', ['claim', 'release', 'claim', 'renew', 'settle']],
  ['both', ['claim', 'claim', 'release', 'claim', 'renew', 'settle', 'settle']],
])('a payment with confirm %o takes at most five round trips to the store, seven with both', async (confirm, calls) => {
  expect(await roundTripsOf(confirm)).toEqual([
    ['refused', ...calls],
    ['done', ...calls],
  ]);
  expect(calls.length).toBeLessThanOrEqual(confirm === 'both' ? 7 : 5);
});
