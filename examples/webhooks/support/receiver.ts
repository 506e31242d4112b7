import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { createWebhookReceiver, hmac, notificationEvents } from 'voice-agent-integrations/webhooks';

/** In an application it comes from the secret store; here both sides of the example need it. */
export const secret = 'shared-with-the-billing-system';

/** The same receiver for every framework. */
export const createBillingReceiver = () =>
  createWebhookReceiver({
    authentication: [hmac({ secrets: () => secret, sender: 'billing' })],
    events: { 'payment.confirmed': notificationEvents['payment.confirmed'] },
    on: {
      'payment.confirmed': ({ payload }, { sender }) => {
        console.log(`${sender} has confirmed ${payload.payment_id}.`);
        return { noted: payload.payment_id };
      },
    },
    store: createMemoryIdempotencyStore(),
    onError: console.error,
  });
