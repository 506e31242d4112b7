/** A server for any platform that calls tools over HTTP: `npm run example tools/http`. Here the example itself posts. */
import { env } from 'node:process';
import { httpTools } from 'voice-agent-integrations/tools/http';
import { sharedSecret } from 'voice-agent-integrations/webhooks';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { listen } from './support/listen.ts';

await using billing = await startBillingToolbox();
const secret = env['TOOLS_SECRET'] ?? 'secret-of-this-example';

const handle = httpTools.handler({
  toolbox: billing.toolbox,
  authentication: [sharedSecret({ header: 'authorization', secrets: () => secret })],
  // Where things are in what this platform sends.
  read: ({ body }) => ({
    callId: body['call_id'],
    phone: body['from'],
    calls: [{ name: body['tool'], args: body['input'] }],
  }),
  // What it wants back.
  reply: ([answer]) => ({ output: answer?.result.value }),
});
await using server = await listen(handle);

console.log('The definitions to register:');
console.log(JSON.stringify(httpTools.tools(billing.toolbox), undefined, 2));

const post = async (token: string, tool: string, input: object) => {
  const body = JSON.stringify({ call_id: 'call_1', from: '+14155550100', tool, input });
  const response = await fetch(server.url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
  console.log(`\n${response.status} ${await response.text()}`);
};

const payment = { invoice_id: 'inv_1', amount: 120.5 };

await post(secret, 'lookup_customer_invoices', {});
await post(secret, 'create_payment', payment);
// The platform sends no id for a tool call: the same payment is known by what it pays.
await post(secret, 'create_payment', payment);
await post('a guess', 'create_payment', payment);

console.log(`\nPayments made: ${billing.countPayments()}`);
