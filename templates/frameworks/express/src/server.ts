import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { webhook } from 'voice-agent-integrations/webhooks/express';
import { isAuthorized } from './authorized.ts';
import { integration } from './integration.ts';
import { startConversation } from './model.ts';
import { paymentEvents } from './payment-events.ts';
import { handleAgentRequest } from './phone-calls.ts';
import { explainPort } from './port-in-use.ts';

// Both end here if a variable is missing.
const systems = integration();
startConversation();
const app = express();

// Before express.json(): the signature covers the bytes.
app.all('/webhooks/payments', webhook(paymentEvents));

// Before it too: what a stranger sends isn't read.
app.use('/agent', (request, response, next) => {
  if (isAuthorized(request.get('authorization'))) next();
  else response.sendStatus(401);
});
app.use(express.json());
app.post('/agent', async (request, response) => {
  const { status, body } = await handleAgentRequest(request.body);
  response.status(status).json(body);
});

// Express itself would log the body, which holds the caller's words.
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  console.error(error.type ?? error);
  response.sendStatus(error.status ?? 500);
};
app.use(onError);

const server = app.listen(Number(process.env['PORT'] ?? 3000));
await once(server, 'listening').catch(explainPort);
console.log(`Listening on port ${(server.address() as AddressInfo).port}`);

const stop = async () => {
  server.close();
  await systems.close();
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
