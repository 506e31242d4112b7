import { bearer, fromEnv } from 'voice-agent-integrations/auth';
import type { BillingOptions, Customer } from 'voice-agent-integrations/billing';
import { stripe } from 'voice-agent-integrations/billing/stripe';

export const billing = (): BillingOptions => {
  const preset = stripe({ currency: process.env['BILLING_CURRENCY'] ?? 'EUR' });
  return {
    ...preset,
    baseUrl: process.env['BILLING_BASE_URL'] ?? preset.baseUrl, // the sandbox sets it
    authenticate: bearer(fromEnv('BILLING_API_KEY')),
    maximumPayment: 5000, // every payment is below it, in that currency
  };
};

/** Where your customer's record has the card on file. */
export const cardOf = ({ invoice_settings: settings }: Customer): string | undefined => {
  const { default_payment_method: card } = Object(settings) as Record<string, unknown>;
  return typeof card === 'string' ? card : undefined;
};
