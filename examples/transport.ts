/** Payments over a transport that knows whether anything was sent: `npm run example transport`. */
import { IntegrationError } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import { createBillingClient } from 'voice-agent-integrations/billing';
import { createFakePlatform } from 'voice-agent-integrations/testing';
import { undiciTransport } from 'voice-agent-integrations/transport/undici';

await using platform = createFakePlatform({ billing: { credentials: ['billing-key'] } });
const { billing: baseUrl } = await platform.listen();
platform.billing.addCustomer({ id: 'cus_1', name: 'Ada' });
platform.billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 120 });

// One for all clients: they share its connections, and none of them closes it.
await using transport = undiciTransport({ connectTimeoutMs: 1_000 });

const payAt = async (address: string) => {
  const billing = createBillingClient({
    transport,
    baseUrl: address,
    authenticate: apiKey('X-Api-Key', () => 'billing-key'),
    version: { path: 'v1' },
    payments: { below: 5000 },
    attempts: 1,
  });
  try {
    const payment = { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 40, payment_method_id: 'pm_1' };
    const { status } = await billing.payments.create(payment);
    console.log(`  ${status}`);
  } catch (error) {
    if (!(error instanceof IntegrationError)) throw error;
    console.log(`  ${error.outcome}: ${error.cause instanceof Error ? error.cause.message : error.message}`);
  }
};

console.log('The API answers:');
await payAt(baseUrl);

console.log('Nothing listens at the address: nothing was sent, and the agent may say so.');
await payAt('http://127.0.0.1:1');

console.log('TLS cannot be agreed upon: nothing was sent either.');
await payAt(baseUrl.replace('http:', 'https:'));

console.log(
  'The connection breaks after the payment was made: its end is unknown, and the agent must not say that it failed.',
);
platform.fault('billing.payments.create', [{ executeThenDrop: true }]);
await payAt(baseUrl);
