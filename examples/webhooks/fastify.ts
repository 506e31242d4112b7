/** A receiver in Fastify: `npm run example webhooks/fastify`. */
import Fastify from 'fastify';
import { webhook } from 'voice-agent-integrations/webhooks/fastify';
import { deliverTo } from './support/deliveries.ts';
import { localUrl } from './support/local-url.ts';
import { createBillingReceiver } from './support/receiver.ts';

const app = Fastify({ forceCloseConnections: true });
await app.register(webhook(createBillingReceiver(), { url: '/hook/billing' }));
await app.listen({ host: '127.0.0.1', port: 0 });

await deliverTo(fetch, localUrl(app.server));
await app.close();
