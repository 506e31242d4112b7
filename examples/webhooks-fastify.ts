/** A receiver in Fastify: `npm run example webhooks-fastify`. */
import Fastify from 'fastify';
import { webhook } from 'voice-agent-integrations/webhooks/fastify';
import { deliverTo } from './webhooks/deliveries.ts';
import { localUrl } from './webhooks/local-url.ts';
import { createBillingReceiver } from './webhooks/receiver.ts';

const app = Fastify({ forceCloseConnections: true });
await app.register(webhook(createBillingReceiver(), { url: '/hook/billing' }));
await app.listen({ host: '127.0.0.1', port: 0 });

await deliverTo(fetch, localUrl(app.server));
await app.close();
