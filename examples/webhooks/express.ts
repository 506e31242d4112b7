/** A receiver in Express: `npm run example webhooks/express`. */
import { once } from 'node:events';
import express from 'express';
import { webhook } from 'voice-agent-integrations/webhooks/express';
import { deliverTo } from './support/deliveries.ts';
import { localUrl } from './support/local-url.ts';
import { createBillingReceiver } from './support/receiver.ts';

const app = express();
// Before the parser: a signature covers the bytes, and they are gone once something has parsed them.
app.all('/hook/billing', webhook(createBillingReceiver()));
app.use(express.json());

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');

await deliverTo(fetch, localUrl(server));
server.close();
server.closeAllConnections();
