import './explain.ts'; // first: it says what is wrong with the others
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { webhook } from 'voice-agent-integrations/webhooks/express';
import { handle, integration, isAuthorized } from './calls.ts';
import { paymentEvents } from './payment-events.ts';

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
  const { status, body } = await handle(request.body);
  response.status(status).json(body);
});

// Express itself would log the body, which holds the caller's words.
const onError: ErrorRequestHandler = (error, _request, response, _next) => {
  console.error(error.type ?? error);
  response.sendStatus(error.status ?? 500);
};
app.use(onError);

const { notes } = await integration.check(); // before anyone calls
for (const { part, problem, help } of notes) console.warn(`${part}: ${problem}: ${help}`);
const server = app.listen(Number(process.env['PORT'] ?? 3000));
await once(server, 'listening');
console.log(`Listening on port ${(server.address() as AddressInfo).port}`);

const stop = async () => {
  server.close();
  await integration.close(); // ends the calls that go on, and stores them
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
