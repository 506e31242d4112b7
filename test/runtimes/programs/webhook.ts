import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import { createWebhookReceiver, hmac } from 'voice-agent-integrations/webhooks';
import type { Surroundings } from './systems.ts';

/** A genuine delivery, the same again, and one whose body was changed on its way. */
export const run = async ({ delivery: { body, signature } }: Surroundings) => {
  const received: unknown[] = [];
  const receive = createWebhookReceiver({
    authentication: [hmac({ secrets: () => ['shared-with-the-sender'] })],
    events: { 'payment.confirmed': anything },
    on: {
      'payment.confirmed': ({ payload }) => {
        received.push(payload);
      },
    },
    store: createMemoryIdempotencyStore(),
    onError: (error) => {
      received.push(String(error));
    },
  });
  const deliver = async (text: string) => {
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    const { status } = await receive(new Request('https://here.example/hook', { method: 'POST', headers, body: text }));
    return status;
  };

  const statuses = [await deliver(body), await deliver(body), await deliver(body.replace('42', '43'))];
  return { statuses, received };
};

/** Takes every payload as it is. */
const anything = {
  '~standard': { version: 1, vendor: 'none', validate: (value: unknown) => ({ value }) },
} as const;
