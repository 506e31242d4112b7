import { apiKey, fromEnv } from 'voice-agent-integrations/auth';
import type { BillingOptions, Customer } from 'voice-agent-integrations/billing';

export const billing = (): BillingOptions => ({
  baseUrl: fromEnv('BILLING_BASE_URL'),
  authenticate: apiKey('X-Api-Key', fromEnv('BILLING_API_KEY')),
  version: { path: 'v1' },
  maximumPayment: 5000, // every payment is below it
});

/** Where your customer's record has the card on file. */
export const cardOf = ({ default_payment_method: card }: Customer): string | undefined =>
  typeof card === 'string' ? card : undefined;
