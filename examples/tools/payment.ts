/**
 * From look-up to payment, both ways: `npm run example tools/payment`.
 *
 * The result of the look-up holds neither the customer's id nor a payment method. The customer is the one who was looked
 * up. Your application returns the card, and the model sends invoice and amount. With `card: 'from-model'` the model
 * sends the card too, as your instructions give it.
 */
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { billingTools, type CardToCharge, createToolbox } from 'voice-agent-integrations/tools';
import { startBilling } from './support/billing-toolbox.ts';
import { startScriptedCall } from './support/scripted-call.ts';

await using started = await startBilling();
const { billing, platform } = started;

/** Both phone calls share it, as they do in production. */
const store = createMemoryIdempotencyStore();

const toolboxWith = (callId: string, card: CardToCharge) =>
  createToolbox({
    tools: billingTools({ billing, payments: { card, confirm: false } }),
    store,
    context: { callId, caller: { phone: '+14155550100', verified: 'caller-id' } },
  });

console.log('1. The model sends the card.');
{
  const toolbox = toolboxWith('CA1', 'from-model');
  const { caller, agent, model } = startScriptedCall(toolbox);
  console.log(`   create_payment takes ${argumentsOf(toolbox)}.`);
  console.log('   The instructions say: the card on file is pm_visa.');

  caller('What do I owe you? Please charge my card for half of it.');
  await model('lookup_customer_invoices', {});
  await model('create_payment', { invoice_id: 'inv_1', amount: 60.25, payment_method_id: 'pm_visa' });
  agent('Half of it is paid.');
}

console.log('\n2. The application returns the card.');
{
  const toolbox = toolboxWith('CA2', () => 'pm_visa');
  const { caller, agent, model } = startScriptedCall(toolbox);
  console.log(`   create_payment takes ${argumentsOf(toolbox)}.`);

  caller('And now the other half, please.');
  await model('lookup_customer_invoices', {});
  // The same customer, invoice and amount are charged once, also in another phone call.
  await model('create_payment', { invoice_id: 'inv_1', amount: 60.25 });
  agent('60.25 is paid already. Do you want to pay the same again?');
  caller('Yes, the other half.');
  // A model that makes an id up changes nothing: it's dropped.
  const other = { payment_method_id: 'pm_of_somebody_else' };
  await model('create_payment', { invoice_id: 'inv_1', amount: 60.25, second_payment: true, ...other });
  agent('That is paid too.');
}

console.log('\nPayments made:');
for (const { invoice_id, amount, payment_method_id } of platform.billing.payments)
  console.log(`   ${amount} for ${invoice_id} with ${payment_method_id}`);

function argumentsOf(toolbox: ReturnType<typeof createToolbox>): string {
  const { properties = {} } = toolbox.find('create_payment')?.parameters ?? {};
  return Object.keys(properties).join(', ');
}
