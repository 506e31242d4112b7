/** A receiver on node:http: `npm run example webhooks/node`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { webhook } from 'voice-agent-integrations/webhooks/node';
import { deliverTo } from './support/deliveries.ts';
import { localUrl } from './support/local-url.ts';
import { createBillingReceiver } from './support/receiver.ts';

const server = createServer(webhook(createBillingReceiver(), { onError: console.error })).listen(0, '127.0.0.1');
await once(server, 'listening');

await deliverTo(fetch, localUrl(server));
server.close();
server.closeAllConnections();
