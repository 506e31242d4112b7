import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { webhook } from 'voice-agent-integrations/webhooks/express';
import { isAuthorized } from './authorized.ts';
import { integration } from './integration.ts';
import { paymentEvents } from './payment-events.ts';
import { handleAgentRequest } from './phone-calls.ts';

const systems = integration(); // ends here if a variable is missing
const app = express();

// Before express.json(): the signature covers the bytes.
app.all('/webhooks/payments', webhook(paymentEvents));

app.use(express.json());
app.post('/agent', async (request, response) => {
  if (!isAuthorized(request.get('authorization'))) return void response.sendStatus(401);
  const { status, body } = await handleAgentRequest(request.body);
  response.status(status).json(body);
});

const server = app.listen(Number(process.env['PORT'] ?? 3000));
await once(server, 'listening');
console.log(`Listening on port ${(server.address() as AddressInfo).port}`);

process.once('SIGTERM', async () => {
  server.close();
  await systems.close();
});
