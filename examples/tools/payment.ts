/**
 * From look-up to payment, both ways: `npm run example tools/payment`.
 *
 * The result of the look-up holds neither the customer's id nor a payment method. By default the customer is the one who
 * was looked up, and your application says which card to charge: the model sends invoice and amount, and what it sends in
 * their place is dropped. With `from-model` the model sends both ids, as your instructions give them.
 */
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { billingTools, createToolbox, type PaymentToolOptions } from 'voice-agent-integrations/tools';
import { startBilling } from './support/billing-toolbox.ts';
import { startScriptedCall } from './support/scripted-call.ts';

await using started = await startBilling();
const { billing, customerId, platform } = started;

/** Both phone calls share it, as they do in production. */
const store = createMemoryIdempotencyStore();

const toolboxWith = (callId: string, bind: PaymentToolOptions['bind']) =>
  createToolbox({
    tools: billingTools({ billing, payments: { bind } }),
    store,
    context: { callId, caller: { phone: '+14155550100', verified: 'caller-id' } },
  });

console.log('1. The model gets the ids.');
{
  const toolbox = toolboxWith('CA1', { customer_id: 'from-model', payment_method_id: 'from-model' });
  const { caller, agent, model } = startScriptedCall(toolbox);
  console.log(`   create_payment takes ${argumentsOf(toolbox)}.`);
  console.log(`   The instructions say: the customer is ${customerId}, the card on file is pm_visa.`);

  caller('What do I owe you? Please charge my card for half of it.');
  await model('lookup_customer_invoices', {});
  await model('create_payment', {
    customer_id: customerId,
    invoice_id: 'inv_1',
    amount: 60.25,
    payment_method_id: 'pm_visa',
  });
  agent('Half of it is paid.');
}

console.log('\n2. The ids are bound.');
{
  const toolbox = toolboxWith('CA2', { payment_method_id: () => 'pm_visa' });
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
