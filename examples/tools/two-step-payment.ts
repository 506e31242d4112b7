/**
 * A payment that needs the caller's yes: `npm run example tools/two-step-payment`.
 *
 * By default the first call pays nothing. It returns a question and a token for exactly these arguments; the same call
 * with the token pays, once the caller has spoken again. A model that skips the question, answers it
 * itself, or changes the amount after it, pays nothing.
 */
import { billingTools, createToolbox, type ToolResult } from 'voice-agent-integrations/tools';
import { startBilling } from './support/billing-toolbox.ts';
import { startScriptedCall } from './support/scripted-call.ts';

await using started = await startBilling();

const toolbox = createToolbox({
  tools: billingTools({
    billing: started.billing,
    payments: { card: () => 'pm_visa' },
  }),
  context: { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } },
});
const { caller, agent, model } = startScriptedCall(toolbox);

caller('Please pay my invoice.');
await model('lookup_customer_invoices', {});
const first = await model('create_payment', { invoice_id: 'inv_1', amount: 120.5 });
// The model must not say yes itself.
const asked = await model('create_payment', { invoice_id: 'inv_1', amount: 120.5, confirmation_token: tokenIn(first) });
agent('Shall I charge 120.50 to the card on file?');

caller('Yes, go ahead.');
// The agreement was to 120.50 and to nothing else.
await model('create_payment', { invoice_id: 'inv_1', amount: 100, confirmation_token: tokenIn(asked) });
await model('create_payment', { invoice_id: 'inv_1', amount: 120.5, confirmation_token: tokenIn(asked) });
agent('That is paid.');

console.log(`\nPayments made: ${started.countPayments()}`);

function tokenIn({ value }: ToolResult): unknown {
  return typeof value === 'object' && value !== null && 'confirmation_token' in value
    ? value.confirmation_token
    : undefined;
}
