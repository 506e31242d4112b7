/** Secrets that change while calls go on, without a restart and without a failed call: `npm run example rotate-secret`. */
import { createIntegration } from 'voice-agent-integrations';
import { apiKey, oauthClientCredentials } from 'voice-agent-integrations/auth';
import { createFakePlatform } from 'voice-agent-integrations/testing';

// Plays a billing API with a key, and an org of Salesforce whose token endpoint wants the secret of an application.
const app = { clientId: 'consumer-key', clientSecret: 'crm-secret-1', username: 'agent@example.com' };
await using platform = createFakePlatform({
  billing: { credentials: ['billing-key-1'] },
  crm: { dialect: 'salesforce', app },
});
const baseUrls = await platform.listen();
platform.billing.addCustomer({ id: 'cus_1', name: 'Ada' });

// Plays a secret manager, which is asked whenever a credential is needed.
const secrets = new Map([
  ['billing-key', 'billing-key-1'],
  ['consumer-key', app.clientId],
  ['consumer-secret', app.clientSecret],
]);
const read = async (name: string) => secrets.get(name) ?? '';
let afterRefusal: () => void = () => {};

const integration = createIntegration({
  billing: {
    baseUrl: baseUrls.billing,
    authenticate: apiKey('X-Api-Key', () => read('billing-key')),
    version: { path: 'v1' },
  },
  payments: { below: 5000 },
  crm: {
    baseUrl: baseUrls.crm,
    authenticate: oauthClientCredentials({
      tokenEndpoint: `${baseUrls.crm}/services/oauth2/token`,
      clientId: () => read('consumer-key'),
      clientSecret: () => read('consumer-secret'),
    }),
    version: '60.0',
  },
  onEvent: (event) => {
    if (event.type === 'attempt' && event.status === 401) afterRefusal();
    if (event.type === 'credential-used' && event.state !== 'same')
      console.log(`  audit: ${event.operation} used ${event.credential} (${event.state})`);
    if (event.type === 'credential-renewed') console.log(`  audit: ${event.credential} renewed, was ${event.because}`);
    if (event.type === 'credential-renewal-failed')
      console.log(`  audit: ${event.credential} not renewed, ${event.reason}`);
  },
});

const readBoth = async () => {
  const customer = await integration.billing.customers.get('cus_1');
  const { totalSize } = await integration.crm.request({
    operation: 'crm.leads.count',
    method: 'GET',
    path: 'query',
    query: { q: 'SELECT Id FROM Lead' },
    returns: (json) => json as { readonly totalSize: number },
  });
  console.log(`  read: ${customer?.name}, ${totalSize} leads`);
};

console.log('with the first secrets');
await readBoth();

console.log('the billing key is replaced: first in the store, then at the API');
secrets.set('billing-key', 'billing-key-2');
platform.billing.acceptOnly('billing-key-2');
await readBoth();

console.log('the other way round: the API refuses the old key, and only then the new one is in the store');
platform.billing.acceptOnly('billing-key-3');
afterRefusal = () => void secrets.set('billing-key', 'billing-key-3');
await readBoth();

console.log('the secret of the application is replaced, and every session ends');
app.clientSecret = 'crm-secret-2';
secrets.set('consumer-secret', 'crm-secret-2');
platform.salesforce.endSessions();
await readBoth();

console.log('the application was taken out of the org: refused once, asked no more until its secret changes');
app.clientSecret = 'crm-secret-3';
platform.salesforce.endSessions();
for (const attempt of ['first', 'second'])
  await readBoth().catch((error: unknown) => console.log(`  ${attempt} call: ${String(error)}`));
secrets.set('consumer-secret', 'crm-secret-3');
await readBoth();

await integration.close();
