import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ClientError, deadlineIn } from 'voice-agent-integrations';
import { apiKey } from 'voice-agent-integrations/auth';
import { createBillingClient, type Customer } from 'voice-agent-integrations/billing';

const server = createServer((request, response) => {
  const known = request.url === '/v1/customers/cus_1' && request.headers['x-api-key'] === 'key';
  response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(known ? { id: 'cus_1', email: 'ada@example.com' } : { error: 'no such customer' }));
});
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});

const { port } = server.address() as AddressInfo;
const billing = createBillingClient({
  baseUrl: `http://127.0.0.1:${port}`,
  authenticate: apiKey('X-Api-Key', () => 'key'),
  version: { path: 'v1' },
  payments: { below: 100 },
});

const customer: Customer | undefined = await billing.customers.get('cus_1', { deadline: deadlineIn(5_000) });
const refused: unknown = await billing.invoices.listOpen('cus_2').catch((error: unknown) => error);

// Nothing is closed but the server: the client must not keep the process alive.
server.close();
console.log(
  JSON.stringify({ id: customer?.id, refused: refused instanceof ClientError && [refused.name, refused.status] }),
);
