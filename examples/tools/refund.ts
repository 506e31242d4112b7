/**
 * A tool of your own with a rule of your business: `npm run example tools/refund`.
 *
 * A refund must not exceed the original payment. The schema checks the shape, the rule checks the amount against what
 * was paid, and both before anything is sent; the model sees what is wrong with which argument.
 */
import { billingTools, createToolbox, defineTool, refused, type ToolRule } from 'voice-agent-integrations/tools';
import * as z from 'zod';
import { startBilling } from './support/billing-toolbox.ts';
import { startScriptedCall } from './support/scripted-call.ts';

await using started = await startBilling();
const { billing, platform } = started;

/** Replaces your own system of refunds: it does the work once per key. */
const refunds = new Map<string, { readonly payment: string; readonly cents: number }>();

const refund = z.object({
  confirmation_number: z.string().min(1).max(40).describe('Of the payment.'),
  amount: z.number().gt(0).lt(5000).multipleOf(0.01),
  reason: z.enum(['charged_twice', 'wrong_amount', 'goodwill']),
});

const original = (confirmationNumber: string) =>
  platform.billing.payments.find(({ confirmation_number }) => confirmation_number === confirmationNumber);

const notAboveThePayment: ToolRule<z.infer<typeof refund>> = ({ confirmation_number, amount }) => {
  const payment = original(confirmation_number);
  if (!payment) return { field: 'confirmation_number', problem: 'is not a payment that is known here' };
  return amount > payment.amount ? { field: 'amount', problem: 'must not exceed the original payment' } : undefined;
};

const refundPayment = defineTool({
  name: 'refund_payment',
  description: 'Give back a payment or a part of it. Only call it after the caller has agreed to the amount.',
  parameters: refund,
  effect: 'payment',
  // It brings nothing in, so it does not count towards what one phone call may pay.
  amount: () => 0,
  rules: [notAboveThePayment],
  // Called once for one refund, however often the model asks for it.
  run: ({ confirmation_number, amount }, { idempotencyKey = '' }) => {
    const given = [...refunds.values()].filter(({ payment }) => payment === confirmation_number);
    const left = toCents(original(confirmation_number)?.amount ?? 0) - given.reduce((sum, { cents }) => sum + cents, 0);
    if (toCents(amount) > left) return refused({ success: false, error: 'already_refunded', left: left / 100 });
    refunds.set(idempotencyKey, { payment: confirmation_number, cents: toCents(amount) });
    return { success: true, refunded: amount };
  },
});

const toolbox = createToolbox({
  tools: [
    ...billingTools({
      billing,
      payments: { bind: { payment_method_id: 'pm_visa' } },
    }),
    refundPayment,
  ],
  context: { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } },
});
const { caller, agent, model } = startScriptedCall(toolbox);

caller('Please pay my invoice.');
await model('lookup_customer_invoices', {});
await model('create_payment', { invoice_id: 'inv_1', amount: 120.5 });
const [payment] = platform.billing.payments;
const confirmation_number = payment?.confirmation_number;
agent('That is paid.');

caller('That was too much, give me 200 back.');
await model('refund_payment', { confirmation_number, amount: '200', reason: 'wrong_amount' });
await model('refund_payment', { confirmation_number, amount: 200, reason: 'wrong_amount' });
agent('You paid 120.50, so I can give back at most that. How much was wrong?');

caller('Twenty.');
await model('refund_payment', { confirmation_number, amount: 20, reason: 'wrong_amount' });
// The person speaks, the model plans again and repeats the call: still one refund.
await model('refund_payment', { confirmation_number, amount: 20, reason: 'wrong_amount' });
agent('You get 20 back.');

caller('Oh, then give me all of it.');
await model('refund_payment', { confirmation_number, amount: 120.5, reason: 'goodwill' });
agent('20 are on their way already, so 100.50 are left.');

console.log(`\nRefunds made: ${refunds.size}`);

function toCents(amount: number): number {
  return Math.round(amount * 100);
}
