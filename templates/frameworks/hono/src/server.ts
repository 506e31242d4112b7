import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { webhook } from 'voice-agent-integrations/webhooks/hono';
import { isAuthorized } from './authorized.ts';
import { integration } from './integration.ts';
import { startConversation } from './model.ts';
import { paymentEvents } from './payment-events.ts';
import { handleAgentRequest } from './phone-calls.ts';
import { explainPort } from './port-in-use.ts';

// Both end here if a variable is missing.
const systems = integration();
startConversation();
const app = new Hono();

app.all('/webhooks/payments', webhook(paymentEvents));

// First: what a stranger sends isn't read.
app.use('/agent', async (context, next) => {
  if (!isAuthorized(context.req.header('authorization'))) return context.body(null, 401);
  return next();
});
app.post('/agent', bodyLimit({ maxSize: 100 * 1024 }), async (context) => {
  const request = await context.req.json().catch(() => undefined); // what isn't JSON is answered with 400
  const { status, body } = await handleAgentRequest(request);
  return Response.json(body, { status });
});

const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) }, ({ port }) =>
  console.log(`Listening on port ${port}`),
);
server.on('error', explainPort);

const stop = async () => {
  server.close();
  await systems.close();
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
