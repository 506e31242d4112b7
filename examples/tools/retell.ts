/** A server for Retell: `npm run example tools/retell`. Here the example itself posts and signs as Retell does. */
import { createHmac } from 'node:crypto';
import { env } from 'node:process';
import { retell } from 'voice-agent-integrations/tools/retell';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { listen } from './support/listen.ts';

await using billing = await startBillingToolbox();
const apiKey = env['RETELL_API_KEY'] ?? 'key-of-this-example';

await using server = await listen(retell.handler({ toolbox: billing.toolbox, apiKey: () => apiKey }));

console.log('For the LLM’s general_tools:');
console.log(JSON.stringify(retell.tools(billing.toolbox, { url: server.url }), undefined, 2));

const post = async (key: string, name: string, args: object) => {
  const call = {
    call_id: 'retell_call_1',
    call_type: 'phone_call',
    direction: 'inbound',
    from_number: '+14155550100',
  };
  const body = JSON.stringify({ name, call, args });
  const now = Date.now();
  const signature = createHmac('sha256', key)
    .update(body + now)
    .digest('hex');
  const headers = { 'x-retell-signature': `v=${now},d=${signature}` };
  const response = await fetch(server.url, { method: 'POST', headers, body });
  console.log(`\n${response.status} ${await response.text()}`);
};

const payment = { invoice_id: 'inv_1', amount: 120.5 };

await post(apiKey, 'lookup_customer_invoices', {});
await post(apiKey, 'create_payment', { ...payment, amount: 5000 });
await post(apiKey, 'create_payment', payment);
// Retell sends no id for a tool call: the same payment is known by what it pays.
await post(apiKey, 'create_payment', payment);
await post('a guess', 'create_payment', payment);

console.log(`\nPayments made: ${billing.countPayments()}`);
