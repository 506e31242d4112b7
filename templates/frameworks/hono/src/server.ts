import './explain.ts'; // first: it says what is wrong with the others
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { webhook } from 'voice-agent-integrations/webhooks/hono';
import { handle, integration, isAuthorized } from './calls.ts';
import { paymentEvents } from './payment-events.ts';

const app = new Hono();

app.all('/webhooks/payments', webhook(paymentEvents));

// First: what a stranger sends isn't read.
app.use('/agent', async (context, next) =>
  isAuthorized(context.req.header('authorization')) ? next() : context.body(null, 401),
);
app.post('/agent', bodyLimit({ maxSize: 100 * 1024 }), async ({ req }) => {
  const { status, body } = await handle(await req.json().catch(() => undefined)); // what isn't JSON is answered with 400
  return Response.json(body, { status });
});

const { notes } = await integration.check(); // before anyone calls
for (const { part, problem, help } of notes) console.warn(`${part}: ${problem}: ${help}`);
const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) }, ({ port }) =>
  console.log(`Listening on port ${port}`),
);

const stop = async () => {
  server.close();
  await integration.close(); // ends the calls that go on, and stores them
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
