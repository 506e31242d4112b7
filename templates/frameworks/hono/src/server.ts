import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { webhook } from 'voice-agent-integrations/webhooks/hono';
import { isAuthorized } from './authorized.ts';
import { integration } from './integration.ts';
import { startConversation } from './model.ts';
import { paymentEvents } from './payment-events.ts';
import { endAll, handleAgentRequest } from './phone-calls.ts';

// Both end here if a variable is missing.
const systems = integration();
startConversation();
const app = new Hono();

app.all('/webhooks/payments', webhook(paymentEvents));

app.post('/agent', async (context) => {
  if (!isAuthorized(context.req.header('authorization'))) return context.body(null, 401);
  const request = await context.req.json().catch(() => undefined); // what isn't JSON is answered with 400
  const { status, body } = await handleAgentRequest(request);
  return Response.json(body, { status });
});

const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) }, ({ port }) =>
  console.log(`Listening on port ${port}`),
);

const stop = async () => {
  server.close();
  await endAll();
  await systems.close();
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
