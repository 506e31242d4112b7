import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { createWebhookReceiver, hmac } from 'voice-agent-integrations/webhooks';
import { webhook } from 'voice-agent-integrations/webhooks/node';

interface Confirmed {
  readonly type: string;
  readonly payment_id: string;
}

const confirmed = {
  '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value: value as Confirmed }) },
} as const;

const receive = createWebhookReceiver({
  authentication: [hmac({ secrets: () => ['current', 'previous'] })],
  events: { 'payment.confirmed': confirmed, 'payment.refunded': { '1': confirmed, '2': confirmed } },
  on: {
    'payment.confirmed': async ({ payload }) => {
      await Promise.resolve(payload.payment_id);
    },
    'payment.refunded': ({ version, payload }) => {
      if (version === '2') console.log(payload.payment_id);
    },
  },
  store: createMemoryIdempotencyStore(),
  onError: () => {},
});

export const handle: (request: never, response: never) => void = webhook(receive);
