/** A server for Vapi: `npm run example tools/vapi`. Here the example itself posts what Vapi posts. */
import { env } from 'node:process';
import { vapi } from 'voice-agent-integrations/tools/vapi';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { listen } from './support/listen.ts';

await using billing = await startBillingToolbox();
const secret = env['VAPI_SECRET'] ?? 'secret-of-this-example';

await using server = await listen(vapi.handler({ toolbox: billing.toolbox, secret: () => secret }));

console.log('For the assistant’s model.tools:');
console.log(JSON.stringify(vapi.tools(billing.toolbox, { url: server.url }), undefined, 2));

const post = async (headers: Record<string, string>, ...toolCallList: readonly object[]) => {
  const call = { id: 'vapi_call_1', type: 'inboundPhoneCall', customer: { number: '+14155550100' } };
  const body = JSON.stringify({ message: { type: 'tool-calls', toolCallList, call } });
  const response = await fetch(server.url, { method: 'POST', headers, body });
  console.log(`\n${response.status} ${await response.text()}`);
};

const pay = { id: 'call_2', name: 'create_payment', arguments: { invoice_id: 'inv_1', amount: 120.5 } };
const genuine = { 'x-vapi-secret': secret };

await post(genuine, { id: 'call_1', name: 'lookup_customer_invoices', arguments: {} });
await post(genuine, pay);
// Vapi is known to deliver a message twice.
await post(genuine, pay);
await post({ 'x-vapi-secret': 'a guess' }, pay);

console.log(`\nPayments made: ${billing.countPayments()}`);
