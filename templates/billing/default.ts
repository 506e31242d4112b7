import { apiKey, fromEnv } from 'voice-agent-integrations/auth';
import type { Customer } from 'voice-agent-integrations/billing';

export const billing = {
  baseUrl: fromEnv('BILLING_BASE_URL'),
  authenticate: apiKey('X-Api-Key', fromEnv('BILLING_API_KEY')),
  version: { path: 'v1' },
  currency: 'EUR', // of its invoices, and of what the caller is asked
  rateLimit: { limit: 100, perMs: 10_000 }, // as your API's plan says
};

export const payments = {
  // In the field that your API has. The model never sees it.
  card: ({ default_payment_method: id }: Customer) => (typeof id === 'string' ? id : undefined),
  below: 5000, // every payment
};
