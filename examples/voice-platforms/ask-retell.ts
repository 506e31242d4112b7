// ask-retell.ts
import { fromEnv } from 'voice-agent-integrations/auth';
import { signedWebhook } from 'voice-agent-integrations/testing';
import { retell } from 'voice-agent-integrations/webhooks';

const call = { call_id: 'call_1', call_type: 'phone_call', direction: 'inbound', from_number: '+14155550100' };
const ask = async (name: string, args: object) => {
  const secret = fromEnv('RETELL_API_KEY')();
  const { body, headers } = signedWebhook({ scheme: retell, secret, body: { name, call, args } });
  const response = await fetch('http://127.0.0.1:3000', { method: 'POST', body, headers });
  console.log(await response.text());
};

await ask('lookup_customer_invoices', {});
await ask('create_payment', { invoice_id: 'inv_101', amount: 120.5 });
