/** A server for Vapi: `npm run example tools/vapi`. Here the example itself posts what Vapi posts. */
import { env } from 'node:process';
import { vapi } from 'voice-agent-integrations/tools/vapi';
import { startBillingCalls } from './support/billing-toolbox.ts';
import { listen } from './support/listen.ts';
import { confirmationIn } from './support/scripted-model.ts';

await using billing = await startBillingCalls();
const secret = env['VAPI_SECRET'] ?? 'secret-of-this-example';

await using server = await listen(vapi.handler({ toolbox: billing.calls.of, secret: () => secret }));

// When the phone rings:
const call = billing.calls.of({ callId: 'vapi_call_1', phone: '+14155550100' });
console.log('For the assistant’s model.tools:');
console.log(JSON.stringify(vapi.tools(call, { url: server.url }), undefined, 2));

/** The conversation. Vapi sends it with every tool call, so the handler sees the caller's yes. */
const messages = [{ role: 'user', message: 'Please pay my invoice.' }];

const post = async (headers: Record<string, string>, ...toolCallList: readonly object[]) => {
  const call = { id: 'vapi_call_1', type: 'inboundPhoneCall', customer: { number: '+14155550100' } };
  const body = JSON.stringify({ message: { type: 'tool-calls', toolCallList, call, artifact: { messages } } });
  const response = await fetch(server.url, { method: 'POST', headers, body });
  const text = await response.text();
  console.log(`\n${response.status} ${text}`);
  return text;
};

const payment = { invoice_id: 'inv_1', amount: 120.5 };
const genuine = { 'x-vapi-secret': secret };

await post(genuine, { id: 'call_1', name: 'lookup_customer_invoices', arguments: {} });
const asked = await post(genuine, { id: 'call_2', name: 'create_payment', arguments: payment });
messages.push({ role: 'bot', message: 'Shall I charge 120.50 to the card on file?' });
messages.push({ role: 'user', message: 'Yes, please.' });
const confirmed = { ...payment, confirmation_token: confirmationIn(asked) };
const pay = { id: 'call_3', name: 'create_payment', arguments: confirmed };
await post(genuine, pay);
// Vapi is known to deliver a message twice.
await post(genuine, pay);
await post({ 'x-vapi-secret': 'a guess' }, pay);

console.log(`\nPayments made: ${billing.countPayments()}`);
