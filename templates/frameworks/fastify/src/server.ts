import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { webhook } from 'voice-agent-integrations/webhooks/fastify';
import { isAuthorized } from './authorized.ts';
import { integration } from './integration.ts';
import { startConversation } from './model.ts';
import { paymentEvents } from './payment-events.ts';
import { endAll, handleAgentRequest } from './phone-calls.ts';
import { explainPort } from './port-in-use.ts';

// Both end here if a variable is missing.
const systems = integration();
startConversation();
const app = Fastify();

await app.register(webhook(paymentEvents, { url: '/webhooks/payments' }));

app.post('/agent', async (request, reply) => {
  if (!isAuthorized(request.headers.authorization)) return reply.code(401).send();
  const { status, body } = await handleAgentRequest(request.body);
  return reply.code(status).send(body);
});

await app.listen({ port: Number(process.env['PORT'] ?? 3000) }).catch(explainPort);
console.log(`Listening on port ${(app.server.address() as AddressInfo).port}`);

const stop = async () => {
  await app.close();
  await endAll();
  await systems.close();
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
