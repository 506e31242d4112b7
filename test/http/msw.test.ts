import { HttpResponse, http, passthrough } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { apiKey } from '../../src/auth/secret-credential.ts';
import { createBillingClient } from '../../src/billing/index.ts';
import { undiciTransport } from '../../src/http/transport/undici.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';

const baseUrl = 'https://billing.test';
const options = {
  baseUrl,
  authenticate: apiKey('X-Api-Key', () => 'test-key'),
  version: { path: 'v1' },
  payments: { below: 5000 },
  backoff: { minimumMs: 0, maximumMs: 0 },
} as const;
const payment = { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 40, payment_method_id: 'pm_1' };

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

test('msw answers a client on the default transport', async () => {
  server.use(
    http.get(`${baseUrl}/v1/customers/:id`, ({ params }) => HttpResponse.json({ id: params['id'], name: 'Ada' })),
  );
  expect(await createBillingClient(options).customers.get('cus_1')).toEqual({ id: 'cus_1', name: 'Ada' });
});

test('msw sees what a payment sends, attempt for attempt', async () => {
  const seen: { key: string | null; auth: string | null; body: unknown }[] = [];
  server.use(
    http.post(`${baseUrl}/v1/payments`, async ({ request }) => {
      const { headers } = request;
      seen.push({ key: headers.get('idempotency-key'), auth: headers.get('x-api-key'), body: await request.json() });
      if (seen.length === 1) return HttpResponse.error();
      return HttpResponse.json({ status: 'completed', confirmation_number: 'CONF-1' });
    }),
  );
  const paid = await createBillingClient(options).payments.create(payment, { idempotencyKey: 'k-1' });
  expect(paid).toEqual({ status: 'completed', confirmation_number: 'CONF-1' });
  const sent = { key: 'k-1', auth: 'test-key', body: { ...payment, idempotency_key: 'k-1' } };
  expect(seen).toEqual([sent, sent]);
});

test('a refusal of msw is an error like one of the API', async () => {
  server.use(http.get(`${baseUrl}/v1/customers/:id`, () => HttpResponse.json({ error: 'gone' }, { status: 410 })));
  await expect(createBillingClient(options).customers.get('cus_1')).rejects.toMatchObject({
    code: 'client_error',
    status: 410,
    outcome: 'rejected',
  });
});

test('undici is not seen by msw', async () => {
  await using api = await startFaultServer(answer({ body: '{"id":"cus_1","name":"of the API"}' }));
  server.use(http.all('*', () => passthrough()));
  await using transport = undiciTransport();
  const billing = createBillingClient({ ...options, baseUrl: api.origin, transport });
  expect(await billing.customers.get('cus_1')).toMatchObject({ name: 'of the API' });
});
