import { once } from 'node:events';
import { createServer } from 'node:http';
import { stripeSignature } from '../../src/billing/stripe/index.ts';
import { intercomSignature } from '../../src/messaging/intercom/index.ts';
import { zendeskSignature } from '../../src/messaging/zendesk/index.ts';
import * as z from '../../src/core/schema.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';
import { webhook } from '../../src/webhooks/adapters/node.ts';
import { createWebhookReceiver, hmac, hubspotSignature } from '../../src/webhooks/index.ts';
import type { PlatformName } from '../../src/dev/cli/platforms/platforms.ts';
import type { Account } from './accounts.ts';

/** Listens for one delivery that is signed with the secret. The promise inside rejects after a minute without one. */
export const awaitWebhook = async (
  name: PlatformName,
  { secret, port, origin }: NonNullable<Account['webhook']>,
): Promise<{ readonly received: Promise<void> }> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const receive = createWebhookReceiver({
    authentication: [authenticationOf(name, { secrets: () => secret, publicOrigin: origin })],
    envelope: (payload) => ({ type: 'delivery', payload }),
    events: { delivery: z.unknown() },
    on: { delivery: () => resolve() },
    store: createMemoryIdempotencyStore(),
    onRefused: ({ reason }) => reject(new Error(`the delivery was refused: ${reason}`)),
  });
  const server = createServer(webhook(receive)).listen(port);
  await once(server, 'listening');
  const timer = setTimeout(() => reject(new Error('no webhook arrived within a minute')), 60_000);
  const received = promise.finally(() => {
    clearTimeout(timer);
    server.close();
  });
  received.catch(() => {});
  return { received };
};

const authenticationOf = (
  name: PlatformName,
  { secrets, publicOrigin }: { readonly secrets: () => string; readonly publicOrigin: string },
) => (name === 'hubspot' ? hubspotSignature({ secrets, publicOrigin }) : hmac({ scheme: schemes[name], secrets }));

const schemes = {
  zendesk: zendeskSignature,
  intercom: intercomSignature,
  stripe: stripeSignature,
  // It has no webhooks of its own.
  salesforce: intercomSignature,
};
