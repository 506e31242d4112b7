import type { BillingClient, Customer } from 'voice-agent-integrations/billing';
import { cardOnFile } from 'voice-agent-integrations/billing/stripe';

const newCards = new Map<string, string>(); // in production, your store

/** Attaches a method of Stripe to the customer, for payments of this phone call. */
export const keepCard = async (billing: BillingClient, callId: string, customer: string, method: string) => {
  await billing.request(
    {
      operation: 'billing.paymentMethods.attach',
      method: 'POST',
      path: `payment_methods/${encodeURIComponent(method)}/attach`,
      sends: 'form',
      body: { customer },
      returns: (json) => String(Object(json).id),
    },
    { idempotencyKey: `attach ${method} ${customer}` },
  );
  newCards.set(`${callId} ${customer}`, method);
};

/** For `payments.card`: the new card of this customer in this phone call, else the one on file. */
export const newCardOrOnFile = (customer: Customer, { callId }: { readonly callId: string }) =>
  newCards.get(`${callId} ${customer.id}`) ?? cardOnFile(customer);
