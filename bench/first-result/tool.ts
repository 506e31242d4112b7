/** Prints how long after the start of this process, and after the phone rang, the result was there, in milliseconds. */
import { createIntegration } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';

const [baseUrl = ''] = process.argv.slice(2);
const { startPhoneCall } = createIntegration({
  billing: { baseUrl, authenticate: apiKey('X-Api-Key', () => 'key'), version: 'in-base-url' },
  payments: { below: 5000, confirm: false },
});
const rangAt = performance.now();
const { tools } = startPhoneCall({ callId: 'CA1', direction: 'inbound', phone: '+14155550100' });
const { status } = await tools.run('lookup_customer_invoices', '{}');
if (status !== 'done') throw new Error(`the look-up is ${status}`);
const resultAt = performance.now();
console.log(JSON.stringify([resultAt, resultAt - rangAt]));
process.exit();
