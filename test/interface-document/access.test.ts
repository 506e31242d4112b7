import { expect, it } from 'vitest';
import { apiKey, bearer, oauthClientCredentials } from '../../src/auth/index.ts';
import { createBillingClient } from '../../src/billing/index.ts';
import { createIntegration } from '../../src/integration.ts';
import { createTenants } from '../../src/tenants/create-tenants.ts';
import { startRecordingServer } from '../support/recording-server.ts';
import { serve } from '../support/serve.ts';
import { optionsAt } from './clients.ts';

const billingAt = (baseUrl: string) => ({ baseUrl, version: { path: 'v1' } }) as const;

it('the messaging platform gets its access token and its version header, named after the platform', async () => {
  await using server = await startRecordingServer();
  server.answer({ json: { id: 'c1' } });
  await using integration = createIntegration(optionsAt(server.baseUrl));

  await integration.messaging.contacts.get('c1');

  expect(server.requests[0]?.headers).toMatchObject({
    authorization: 'Bearer test-messaging-token',
    'acme-version': '2.11',
  });
});

it('the CRM gets its token and has its version in the path', async () => {
  await using server = await startRecordingServer();
  server.answer({ json: { id: '00Q1' } });
  await using integration = createIntegration(optionsAt(server.baseUrl));

  await integration.crm.leads.create({ LastName: 'Lee', Company: 'Lee Ltd' });

  expect(server.requests[0]).toMatchObject({
    line: 'POST /services/data/v60.0/sobjects/Lead/',
    headers: { authorization: 'Bearer test-crm-token' },
  });
});

it('the billing API gets its key in a header, and its version by path or header', async () => {
  await using server = await startRecordingServer();
  server.answer({ json: { id: 'cus_1' } });
  const authenticate = apiKey('X-Billing-Key', () => 'key-b');
  const header = { header: { name: 'Api-Version', value: '2026-01' } };
  await using byPath = createBillingClient({ ...billingAt(server.baseUrl), authenticate });
  await using byHeader = createBillingClient({ ...billingAt(server.baseUrl), authenticate, version: header });

  await byPath.customers.get('cus_1');
  await byHeader.customers.get('cus_1');

  expect(server.requests).toMatchObject([
    { line: 'GET /v1/customers/cus_1', headers: { 'x-billing-key': 'key-b' } },
    { line: 'GET /customers/cus_1', headers: { 'x-billing-key': 'key-b', 'api-version': '2026-01' } },
  ]);
});

it('the billing API gets a token of OAuth 2.0 client credentials', async () => {
  await using server = await serve(async (request) => {
    if (new URL(request.url).pathname !== '/token')
      return Response.json({ id: request.headers.get('authorization') ?? 'none' });
    const form = new URLSearchParams(await request.text());
    return form.get('grant_type') === 'client_credentials' && form.get('client_secret') === 'shh'
      ? Response.json({ access_token: 'token-1', token_type: 'Bearer', expires_in: 3600 })
      : Response.json({ error: 'invalid_client' }, { status: 401 });
  });
  const authenticate = oauthClientCredentials({
    tokenEndpoint: `${server.url}/token`,
    clientId: () => 'agent',
    clientSecret: () => 'shh',
  });
  await using billing = createBillingClient({ ...billingAt(server.url), authenticate });

  expect((await billing.customers.get('cus_1'))?.id).toBe('Bearer token-1');
});

it('a secret is read for each request, so that a rotated one is used at once, and is never in an address', async () => {
  await using server = await startRecordingServer();
  server.answer({ json: { id: 'cus_1' } });
  let key = 'old-key';
  await using billing = createBillingClient({
    ...billingAt(server.baseUrl),
    authenticate: apiKey('X-Api-Key', () => key),
  });

  await billing.customers.get('cus_1');
  key = 'new-key';
  await billing.customers.get('cus_1');

  expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['old-key', 'new-key']);
  expect(server.requests.map(({ line }) => line).join()).not.toMatch(/old-key|new-key/);
});

it('a secret in code or in an address is refused', () => {
  // A caller in JavaScript may write it like this.
  expect(() => bearer('token' as never)).toThrow(/function/);
  expect(() =>
    createBillingClient({
      ...billingAt('https://user:secret@billing.example.com'),
      authenticate: bearer(() => 'token'),
    }),
  ).toThrow(/baseUrl/);
});

it('each tenant has its own configuration and credential', async () => {
  await using server = await startRecordingServer();
  server.answer({ json: { id: 'cus_1' } });
  await using tenants = createTenants({
    resolve: (tenant) => ({
      billing: { ...billingAt(server.baseUrl), authenticate: bearer(() => `token-of-${tenant}`) },
    }),
  });

  for (const tenant of ['acme', 'globex'])
    await tenants.use(tenant, (integration) => integration.billing.customers.get('cus_1'));

  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer token-of-acme',
    'Bearer token-of-globex',
  ]);
});

it('tenants move to a new version one by one', async () => {
  await using server = await startRecordingServer();
  server.answer({ json: { id: '00Q1' } });
  const versions: Record<string, string> = { acme: '60.0', globex: '60.0' };
  await using tenants = createTenants({
    resolve: (tenant) => ({ crm: { ...optionsAt(server.baseUrl).crm, version: versions[tenant] ?? '' } }),
  });
  const createLeads = async () => {
    for (const tenant of ['acme', 'globex'])
      await tenants.use(tenant, ({ crm }) => crm.leads.create({ LastName: 'Lee', Company: 'Lee Ltd' }));
  };

  await createLeads();
  versions['acme'] = '61.0';
  await tenants.refresh('acme');
  await createLeads();

  expect(server.requests.map(({ line }) => /v\d+\.\d+/.exec(line)?.[0])).toEqual(['v60.0', 'v60.0', 'v61.0', 'v60.0']);
});
