import { apiKey } from 'voice-agent-integrations/auth';
import { createBillingClient } from 'voice-agent-integrations/billing';
import { nodeTransport } from 'voice-agent-integrations/transport/node';
import type { Surroundings } from './systems.ts';

/** A read over node:http in place of `fetch`. */
export const run = async ({ systems }: Surroundings) => {
  const transport = nodeTransport();
  const billing = createBillingClient({
    baseUrl: systems.billing,
    authenticate: apiKey('X-Api-Key', () => 'test-billing-key'),
    version: { path: 'v1' },
    maximumPayment: 5000,
    transport,
  });
  const { name } = await billing.customers.get('cus_1');
  await transport.close();
  return { name };
};
