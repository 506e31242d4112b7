import { fromEnv } from 'voice-agent-integrations/auth';
import { stripeEvents, stripeSignature } from 'voice-agent-integrations/billing/stripe';
import { createWebhookReceiver, hmac } from 'voice-agent-integrations/webhooks';
import { store } from '../voice-agent.config.ts';

/** What Stripe sends when an invoice is paid. Each event is handled once. */
export const paymentEvents = createWebhookReceiver({
  ...stripeEvents(['invoice.paid', 'invoice.payment_failed']),
  authentication: [hmac({ scheme: stripeSignature, secrets: fromEnv('WEBHOOK_SECRET') })],
  store,
  on: {
    'invoice.paid': ({ payload }) => {
      console.log(`${payload.invoice.id} is paid`);
    },
    'invoice.payment_failed': ({ payload }) => {
      console.log(`${payload.invoice.id} could not be charged`);
    },
  },
  // Such as a wrong WEBHOOK_SECRET. The sender gets less.
  onRefused: ({ reason, field }) => console.warn(`A webhook was refused: ${reason}${field ? ` (${field})` : ''}`),
  onError: console.error,
});
