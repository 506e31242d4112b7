import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createIntegration } from '../../src/integration.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';
import { type Confirm, createToolbox, defineTool } from '../../src/tools/index.ts';
import { connectPlatform } from '../support/connected-platform.ts';
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

test.each<[Confirm, readonly string[]]>([
  [false, ['done', 'done', 'too_many_tool_calls']],
  ['two-step', ['confirmation_required', 'confirmation_required', 'too_many_tool_calls']],
])('a payment with confirm %o counts its tool call, whether it is sent or not', async (confirm, expected) => {
  const run = vi.fn(() => ({ sent: true }));
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ invoice: z.string(), amount: z.number() }),
    effect: 'payment',
    confirm,
    run,
  });
  const toolbox = createToolbox({
    tools: [pay],
    store: createMemoryIdempotencyStore(),
    limits: { toolCalls: 2 },
    context: { callId: 'CA1' },
  });
  const ends: unknown[] = [];
  for (const invoice of ['a', 'b', 'c']) {
    const { status, value } = await toolbox.run('pay', { invoice, amount: 5 });
    const { reason, error }: { readonly reason?: string; readonly error?: string } = Object(value);
    ends.push(reason ?? error ?? status);
  }

  expect(ends).toEqual(expected);
  expect(run).toHaveBeenCalledTimes(expected.filter((end) => end === 'done').length);
});

test('the state of a phone call costs a look-up four round trips, and a payment seven', async () => {
  await using connected = await connectPlatform();
  const { platform, clientOptions } = connected;
  const phone = '+14155550100';
  const customer = platform.billing.addCustomer({ name: 'Jane', phone });
  const { id: invoice_id } = platform.billing.addInvoice({ customer_id: customer.id, amount: 120.5 });
  const { counting, calls, ofPhoneCalls } = countStoreCalls(createMemoryIdempotencyStore());
  await using integration = createIntegration({
    billing: clientOptions.billing,
    payments: { below: 5000, card: () => 'pm_1', confirm: 'two-step' },
    store: counting,
  });
  const { tools } = integration.startPhoneCall({ callId: 'CA1', direction: 'inbound', phone });
  const args = { invoice_id, amount: 120.5 };
  const tripsOf = async (work: () => Promise<unknown>) => {
    calls.length = 0;
    ofPhoneCalls.length = 0;
    await work();
    return { state: [...ofPhoneCalls], payment: calls.length };
  };

  expect(await tripsOf(() => tools.run('lookup_customer_invoices', {}))).toEqual({
    state: ['claim', 'settle', 'claim', 'settle'],
    payment: 0,
  });
  let token: unknown;
  const asked = await tripsOf(async () => {
    const { value } = await tools.run('create_payment', args, { turn: 1 });
    token = Object(value).confirmation_token;
  });
  expect(asked.state).toEqual(['read', 'claim', 'settle']);
  const paid = await tripsOf(async () =>
    expect(await tools.run('create_payment', { ...args, confirmation_token: token }, { turn: 2 })).toMatchObject({
      status: 'done',
    }),
  );
  // The tool call and the payment are counted together; it's kept before it's sent, and again once it's made.
  const change = ['claim', 'settle'];
  expect(paid).toEqual({ state: ['read', ...change, ...change, ...change], payment: 5 });
  expect(platform.effects('billing.payments.create')).toBe(1);
});
