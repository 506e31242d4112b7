import { fromEnv } from 'voice-agent-integrations/auth';
import { cardOnFile, stripe } from 'voice-agent-integrations/billing/stripe';

export const billing = stripe({
  currency: process.env['BILLING_CURRENCY'] ?? 'EUR',
  key: fromEnv('BILLING_API_KEY'),
  baseUrl: process.env['BILLING_BASE_URL'], // the sandbox sets it
});

export const payments = {
  card: cardOnFile, // the model never sees it
  below: 5000, // every payment, in that currency
};
