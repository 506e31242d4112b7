import { createMetrics } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import { createBillingClient } from 'voice-agent-integrations/billing';
import { toPrometheus } from 'voice-agent-integrations/observability/prometheus';
import type { Surroundings } from './systems.ts';

/** One call, counted, in the text that Prometheus reads. */
export const run = async ({ systems }: Surroundings) => {
  const metrics = createMetrics();
  const billing = createBillingClient({
    baseUrl: systems.billing,
    authenticate: apiKey('X-Api-Key', () => 'test-billing-key'),
    version: { path: 'v1' },
    payments: { below: 5000 },
    onEvent: metrics.onEvent,
  });
  await billing.customers.get('cus_1');
  const text = toPrometheus(await metrics.snapshot());
  return { counted: text.includes('operation="billing.customers.get"') };
};
