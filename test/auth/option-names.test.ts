import { expect, test } from 'vitest';
import {
  apiKey,
  authorizationCode,
  bearer,
  jwtBearer,
  oauthClientCredentials,
  oauthRefreshToken,
  signedJwt,
} from '../../src/auth/index.ts';
import { salesforceLogin } from '../../src/crm/salesforce/index.ts';
import { createTenants } from '../../src/tenants/create-tenants.ts';
import { createFakePlatform } from '../../src/dev/testing/index.ts';

const secret = () => 'a secret';
const endpoint = { tokenEndpoint: 'https://login.example.com/token', clientId: secret };
const consent = {
  ...endpoint,
  authorizationEndpoint: 'https://login.example.com/authorize',
  redirectUri: 'https://agent.example.com/connected',
};
const signed = { ...endpoint, subject: 'agent', audience: 'crm', privateKey: secret };

test.each<[string, (options: object) => unknown, string, string]>([
  ['apiKey', (options) => apiKey('X-Api-Key', secret, options), 'idd', 'id'],
  ['bearer', (options) => bearer(secret, options), 'Id', 'id'],
  ['oauthClientCredentials', (options) => oauthClientCredentials({ ...endpoint, ...options }), 'scopes', 'scope'],
  [
    'oauthClientCredentials',
    (options) => oauthClientCredentials({ ...endpoint, ...options }),
    'tokenfield',
    'tokenField',
  ],
  [
    'oauthRefreshToken',
    (options) => oauthRefreshToken({ ...endpoint, refreshToken: secret, onRefreshToken: () => {}, ...options }),
    'clientSecrets',
    'clientSecret',
  ],
  ['jwtBearer', (options) => jwtBearer({ ...signed, ...options }), 'assertionLifetime', 'assertionLifetimeMs'],
  ['signedJwt', (options) => signedJwt({ key: secret, ...options }), 'lifeTimeMs', 'lifetimeMs'],
  ['signedJwt', (options) => signedJwt({ key: secret, ...options }), 'audiance', 'audience'],
  ['authorizationCode', (options) => authorizationCode({ ...consent, ...options }), 'pcke', 'pkce'],
  ['authorizationCode', (options) => authorizationCode({ ...consent, ...options }), 'validforMs', 'validForMs'],
  ['messaging', (messaging) => createFakePlatform({ messaging }), 'searchDelay', 'searchDelayMs'],
  ['crm', (crm) => createFakePlatform({ crm: { dialect: 'hubspot', ...crm } }), 'missingScope', 'missingScopes'],
  ['crm', (crm) => createFakePlatform({ crm: { dialect: 'salesforce', ...crm } }), 'duplicateRules', 'duplicateRule'],
  ['billing', (billing) => createFakePlatform({ billing }), 'invoiceFilters', 'invoiceFilter'],
  ['billing', (billing) => createFakePlatform({ billing: { dialect: 'stripe', ...billing } }), 'acount', 'account'],
])('%s refuses a name that is no option', (_what, make, wrong, meant) => {
  expect(() => make({})).not.toThrow();
  expect(() => make({ [wrong]: 1 })).toThrow(`${wrong} is not an option: did you mean ${meant}?`);
});

test('what salesforceLogin returns is for every kind of token', () => {
  const login = salesforceLogin('sandbox');
  expect(() => oauthClientCredentials({ ...endpoint, ...login })).not.toThrow();
  expect(() => jwtBearer({ ...signed, ...login })).not.toThrow();
});

test('tenants refuse names that are no options, and close for the signal of a process', async () => {
  const tenants = createTenants({ resolve: () => undefined });

  await expect(tenants.open('acme', { signall: undefined, sigal: 1 } as never)).rejects.toThrow('did you mean signal?');
  await expect(tenants.close({ drainMS: 5 } as never)).rejects.toThrow('did you mean drainMs?');
  await expect(tenants.close('SIGTERM' as never)).resolves.toBeUndefined();
});
