import { expect, test } from 'vitest';
import { apiKey } from '../../src/auth/secret-credential.ts';
import { createBillingClient } from '../../src/billing/index.ts';
import { answer, startFaultServer } from '../support/fault-server.ts';

const billingAt = (baseUrl: string) =>
  createBillingClient({
    baseUrl,
    authenticate: apiKey('X-Api-Key', () => 'test-key'),
    version: { path: 'v1' },
    payments: { below: 5000 },
  });

test('an id with more digits than a number holds stays the id that it is', async () => {
  await using server = await startFaultServer(answer({ body: '{"id":9007199254740993,"name":"Ada"}' }));
  const customer = await billingAt(server.origin).customers.get('9007199254740993');
  expect(customer).toEqual({ id: '9007199254740993', name: 'Ada' });
});

test.each(['1e400', '9007199254740993'])('an amount of %s is refused, not read as another one', async (amount) => {
  await using server = await startFaultServer(answer({ body: `{"data":[{"id":"inv_1","amount":${amount}}]}` }));
  await expect(billingAt(server.origin).invoices.listOpen('cus_1')).rejects.toMatchObject({
    code: 'unexpected_response',
    message: expect.stringContaining('amount'),
  });
});

test('a request of your own gets the digits too', async () => {
  await using server = await startFaultServer(answer({ body: '{"total":9007199254740993,"rate":0.1}' }));
  const billing = billingAt(server.origin);
  const report = {
    operation: 'billing.reports.get',
    method: 'GET',
    path: 'reports',
    returns: (json: unknown) => json,
  } as const;
  expect(await billing.request(report)).toEqual({ total: '9007199254740993', rate: 0.1 });
});
