import type { BillingClient } from 'voice-agent-integrations/billing';

/** Returns the address of a page on which this customer saves a card. It ends after a day. */
export const cardPage = (billing: BillingClient, customer: string, callId: string) =>
  billing.request(
    {
      operation: 'billing.checkout.create',
      method: 'POST',
      path: 'checkout/sessions',
      sends: 'form',
      body: { mode: 'setup', currency: 'eur', customer, success_url: 'https://example.com/thanks' },
      returns: (json) => String(Object(json).url),
    },
    { idempotencyKey: `card page ${callId} ${customer}` },
  );
