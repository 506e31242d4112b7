/**
 * A tool of your own with a rule of your business: `npm run example tools/refund`.
 *
 * A refund must not exceed the original payment, earlier refunds included. `refundOf` reads that payment, and a refund
 * above what is left of it is refused before anything is sent; the model sees what is wrong with which argument.
 */
import { billingTools, createToolbox, defineTool } from 'voice-agent-integrations/tools';
import * as z from 'zod';
import { startBilling } from './support/billing-toolbox.ts';
import { startScriptedCall } from './support/scripted-call.ts';

await using started = await startBilling();
const { billing, platform } = started;

/** Replaces your own system of refunds: it does the work once per key. */
const refunds = new Map<string, number>();

const refundPayment = defineTool({
  name: 'refund_payment',
  description: 'Give back a payment or a part of it. Only call it after the caller has agreed to the amount.',
  parameters: z.object({
    confirmation_number: z.string().min(1).max(40).describe('Of the payment.'),
    amount: z.number().gt(0).lt(5000).multipleOf(0.01),
    reason: z.enum(['charged_twice', 'wrong_amount', 'goodwill']),
  }),
  effect: 'payment',
  confirm: false,
  refundOf: ({ confirmation_number }) =>
    platform.billing.payments.find((payment) => payment.confirmation_number === confirmation_number),
  // It passes the key on: a refund whose end is unknown may be asked for again.
  idempotent: true,
  run: ({ amount }, { idempotencyKey = '' }) => {
    refunds.set(idempotencyKey, amount);
    return { success: true, refunded: amount };
  },
});

const toolbox = createToolbox({
  tools: [
    ...billingTools({
      billing,
      payments: { card: () => 'pm_visa', confirm: false },
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
