/** ElevenLabs, both ways: `npm run example tools/elevenlabs`. Here the example itself posts what ElevenLabs posts. */
import { env } from 'node:process';
import { client, webhook } from 'voice-agent-integrations/tools/elevenlabs';
import { startBillingToolbox } from './support/billing-toolbox.ts';
import { listen } from './support/listen.ts';

await using billing = await startBillingToolbox();
const secret = env['ELEVENLABS_TOOLS_SECRET'] ?? 'secret-of-this-example';

await using server = await listen(webhook.handler({ toolbox: billing.toolbox, secret: () => secret }));

console.log('Webhook tools, one POST /v1/convai/tools each:');
for (const tool_config of webhook.tools(billing.toolbox, { url: server.url, secretId: 'id-of-the-stored-secret' }))
  console.log(JSON.stringify({ tool_config }, undefined, 2));

const post = async (tool: string, args: object) => {
  const headers = {
    'x-tools-secret': secret,
    'x-conversation-id': 'conv_1',
    'x-caller-id': '+14155550100',
  };
  const response = await fetch(`${server.url}/${tool}`, { method: 'POST', headers, body: JSON.stringify(args) });
  console.log(`\n${response.status} ${await response.text()}`);
};

await post('lookup_customer_invoices', {});
await post('create_payment', { invoice_id: 'inv_1', amount: 120.5 });

console.log('\nClient tools, for a process that holds the conversation itself:');
const toolbox = billing.toolbox.bind({
  callId: 'conv_2',
  caller: { phone: '+14155550100', verified: 'caller-id' },
});
// With the package: for (const [name, handle] of Object.entries(functions)) clientTools.register(name, handle);
const functions = client.functions(toolbox);
console.log(Object.keys(functions));
console.log(await functions['lookup_customer_invoices']?.({ tool_call_id: 'call_1' }));

console.log(`\nPayments made: ${billing.countPayments()}`);
