import { fromEnv } from 'voice-agent-integrations/auth';
import { createWebhookReceiver, hmac, notificationEvents } from 'voice-agent-integrations/webhooks';
import { store } from '../voice-agent.config.ts';

/** What the billing API sends when a payment has gone through. Each event is handled once. */
export const paymentEvents = createWebhookReceiver({
  authentication: [hmac({ secrets: fromEnv('WEBHOOK_SECRET') })],
  events: { 'payment.confirmed': notificationEvents['payment.confirmed'] },
  store,
  on: {
    'payment.confirmed': ({ payload }) => {
      console.log(`${payload.payment_id} is paid`);
    },
  },
  // Such as a wrong WEBHOOK_SECRET. The sender gets less.
  onRefused: ({ reason, field }) => console.warn(`A webhook was refused: ${reason}${field ? ` (${field})` : ''}`),
  onError: console.error,
});
