import { fromEnv } from 'voice-agent-integrations/auth';
import type { BillingOptions } from 'voice-agent-integrations/billing';
import { stripe } from 'voice-agent-integrations/billing/stripe';

export const billing = (): BillingOptions => {
  const preset = stripe({ currency: process.env['BILLING_CURRENCY'] ?? 'EUR', key: fromEnv('BILLING_API_KEY') });
  return {
    ...preset,
    baseUrl: process.env['BILLING_BASE_URL'] ?? preset.baseUrl, // the sandbox sets it
    maximumPayment: 5000, // every payment is below it, in that currency
  };
};

/** Where your customer's record has the card on file. */
export { cardOnFile as cardOf } from 'voice-agent-integrations/billing/stripe';
