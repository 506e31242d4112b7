/** A server for Retell: `npm run example tools/retell`. Here the example itself posts and signs as Retell does. */
import { createHmac } from 'node:crypto';
import { env } from 'node:process';
import { retell } from 'voice-agent-integrations/tools/retell';
import { startBillingCalls } from './support/billing-toolbox.ts';
import { listen } from './support/listen.ts';
import { confirmationIn } from './support/scripted-model.ts';

await using billing = await startBillingCalls();
const apiKey = env['RETELL_API_KEY'] ?? 'key-of-this-example';

await using server = await listen(retell.handler({ toolbox: billing.calls.of, apiKey: () => apiKey }));

// When the phone rings:
const call = billing.calls.of({ callId: 'retell_call_1', phone: '+14155550100' });
console.log('For the LLM’s general_tools:');
console.log(JSON.stringify(retell.tools(call, { url: server.url }), undefined, 2));

/** The conversation. Retell sends it with every tool call, so the handler sees the caller's yes. */
const transcript_object = [{ role: 'user', content: 'Please pay my invoice.' }];

const post = async (key: string, name: string, args: object) => {
  const call = {
    call_id: 'retell_call_1',
    call_type: 'phone_call',
    direction: 'inbound',
    from_number: '+14155550100',
    transcript_object,
  };
  const body = JSON.stringify({ name, call, args });
  const now = Date.now();
  const signature = createHmac('sha256', key)
    .update(body + now)
    .digest('hex');
  const headers = { 'x-retell-signature': `v=${now},d=${signature}` };
  const response = await fetch(server.url, { method: 'POST', headers, body });
  const text = await response.text();
  console.log(`\n${response.status} ${text}`);
  return text;
};

const payment = { invoice_id: 'inv_1', amount: 120.5 };

await post(apiKey, 'lookup_customer_invoices', {});
await post(apiKey, 'create_payment', { ...payment, amount: 5000 });
const asked = await post(apiKey, 'create_payment', payment);
transcript_object.push({ role: 'agent', content: 'Shall I charge 120.50 to the card on file?' });
transcript_object.push({ role: 'user', content: 'Yes, please.' });
const confirmed = { ...payment, confirmation_token: confirmationIn(asked) };
await post(apiKey, 'create_payment', confirmed);
// Retell sends no id for a tool call: the same payment is known by what it pays.
await post(apiKey, 'create_payment', confirmed);
await post('a guess', 'create_payment', confirmed);

console.log(`\nPayments made: ${billing.countPayments()}`);
