/** A receiver in Hono, on any runtime: `npm run example webhooks/hono`. */
import { Hono } from 'hono';
import { webhook } from 'voice-agent-integrations/webhooks/hono';
import { deliverTo } from './support/deliveries.ts';
import { createBillingReceiver } from './support/receiver.ts';

const app = new Hono();
app.all('/hook/billing', webhook(createBillingReceiver()));

await deliverTo(async (request) => app.fetch(request));
