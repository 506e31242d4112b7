import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { jwtBearer, oauthClientCredentials, oauthRefreshToken, type TokenCredential } from '../../../src/auth/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { instanceUrl, salesforce } from '../../../src/crm/salesforce/index.ts';
import {
  createFakePlatform,
  type FakePlatform,
  salesforceFaults,
  testConnectedApp,
} from '../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { failureOf } from '../../support/connect.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (pair: typeof keys) => pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const app = {
  ...testConnectedApp,
  // A public key has this form.
  publicKey: keys.publicKey.export({ format: 'jwk' }) as Record<string, unknown>,
};
const client = { clientId: () => app.clientId, clientSecret: () => app.clientSecret ?? '' };
const jwt = (tokenEndpoint: string, more: { privateKey?: () => string; subject?: string; lifetimeMs?: number } = {}) =>
  jwtBearer({
    tokenEndpoint,
    clientId: client.clientId,
    subject: more.subject ?? app.username,
    audience: 'https://login.salesforce.com',
    privateKey: more.privateKey ?? (() => pem(keys)),
    assertionLifetimeMs: more.lifetimeMs ?? 180_000,
  });

const connect = async (credential: (tokenEndpoint: string) => TokenCredential) => {
  const platform = createFakePlatform({ crm: { dialect: 'salesforce', app } });
  const { crm: baseUrl } = await platform.listen();
  const authenticate = credential(`${baseUrl}/services/oauth2/token`);
  const crm = createCrmClient({
    ...salesforce(),
    baseUrl,
    authenticate,
    backoff: { minimumMs: 0, maximumMs: 0 },
  });
  return { platform, baseUrl, authenticate, crm, [Symbol.asyncDispose]: () => platform.close() };
};

const operationsOf = (platform: FakePlatform) => platform.requests.map(({ operation, status }) => [operation, status]);
const search = { email: 'ngozi@example.com' };

describe('an org is opened', () => {
  test.each<[grant: string, credential: (tokenEndpoint: string) => TokenCredential]>([
    ['with client credentials', (tokenEndpoint) => oauthClientCredentials({ tokenEndpoint, ...client })],
    [
      'with a refresh token',
      (tokenEndpoint) =>
        oauthRefreshToken({
          tokenEndpoint,
          ...client,
          refreshToken: () => 'test-refresh-token',
          onRefreshToken: () => {},
        }),
    ],
    ['with a signed assertion', (tokenEndpoint) => jwt(tokenEndpoint)],
  ])('%s, and again when the session has ended', async (_grant, credential) => {
    await using connected = await connect(credential);
    const { platform, crm } = connected;

    await crm.leads.search(search);
    await crm.leads.search(search);
    platform.salesforce.endSessions();
    await crm.leads.search(search);

    expect(operationsOf(platform)).toEqual([
      ['crm.oauth.token', 200],
      ['crm.leads.search', 200],
      ['crm.leads.search', 200],
      ['crm.leads.search', 401],
      ['crm.oauth.token', 200],
      ['crm.leads.search', 200],
    ]);
  });

  test('at the address that comes with the token', async () => {
    await using connected = await connect((tokenEndpoint) => jwt(tokenEndpoint));

    expect(await instanceUrl(connected.authenticate)).toBe(connected.baseUrl);
    await expect(
      instanceUrl({ tokenDetails: async () => ({ instance_url: 'http://evil.example/' }) }),
    ).rejects.toMatchObject({ code: 'authentication_failed' });
  });

  test('by one request for a token, however many calls find the session ended', async () => {
    await using connected = await connect((tokenEndpoint) => jwt(tokenEndpoint));
    const { platform, crm } = connected;
    await crm.leads.search(search);
    platform.salesforce.endSessions();

    await Promise.all(Array.from({ length: 10 }, (_, index) => crm.leads.search({ email: `a${index}@example.com` })));

    expect(platform.requests.filter(({ operation }) => operation === 'crm.oauth.token')).toHaveLength(2);
  });
});

describe('an org stays closed', () => {
  test('after one new token when the session is refused for good, and nothing goes in circles', async () => {
    await using connected = await connect((tokenEndpoint) => jwt(tokenEndpoint));
    const { platform, crm } = connected;
    platform.fault(
      'crm.leads.search',
      Array.from({ length: 5 }, () => salesforceFaults.finalSession),
    );

    const error = await failureOf(crm.leads.search(search));

    expect(error).toMatchObject({ code: 'client_error', status: 401, attempts: 2, codes: ['INVALID_SESSION_ID'] });
    expect(operationsOf(platform)).toEqual([
      ['crm.oauth.token', 200],
      ['crm.leads.search', 401],
      ['crm.oauth.token', 200],
      ['crm.leads.search', 401],
    ]);
  });

  test('when the refresh token is refused, which is asked once', async () => {
    await using connected = await connect((tokenEndpoint) =>
      oauthRefreshToken({
        tokenEndpoint,
        ...client,
        refreshToken: () => 'test-refresh-token',
        onRefreshToken: () => {},
      }),
    );
    const { platform, crm } = connected;
    platform.fault('crm.oauth.token', [salesforceFaults.refusedGrant, salesforceFaults.refusedGrant]);

    expect(await failureOf(crm.leads.search(search))).toMatchObject({ code: 'authentication_failed', attempts: 0 });
    expect(await failureOf(crm.leads.search(search))).toMatchObject({ code: 'authentication_failed', attempts: 0 });
    expect(operationsOf(platform)).toEqual([['crm.oauth.token', 400]]);
  });

  test.each([
    ['by another key', { privateKey: () => pem(otherKeys) }],
    ['for another user', { subject: 'other@example.com' }],
    ['for too long', { lifetimeMs: 3_600_000 }],
  ])('to an assertion %s', async (_how, more) => {
    await using connected = await connect((tokenEndpoint) => jwt(tokenEndpoint, more));

    expect(await failureOf(connected.crm.leads.search(search))).toMatchObject({ code: 'authentication_failed' });
    expect(operationsOf(connected.platform)).toEqual([['crm.oauth.token', 400]]);
  });

  test.each([
    ['another secret', { clientSecret: () => 'wrong' }],
    ['another application', { clientId: () => 'wrong' }],
  ])('to %s', async (_what, wrong) => {
    await using connected = await connect((tokenEndpoint) =>
      oauthClientCredentials({ tokenEndpoint, ...client, ...wrong }),
    );

    expect(await failureOf(connected.crm.leads.search(search))).toMatchObject({ code: 'authentication_failed' });
  });
});

test('a session ends after two hours without use, whatever its token says', async () => {
  const clock = createVirtualClock();
  await using platform = createFakePlatform({ crm: { dialect: 'salesforce', app } });
  const { crm: baseUrl } = await platform.listen();
  const authenticate = oauthClientCredentials({ tokenEndpoint: `${baseUrl}/services/oauth2/token`, ...client });
  const crm = createCrmClient({ ...salesforce(), baseUrl, authenticate });
  await crm.leads.search(search);
  await clock.advance(90 * 60_000);
  await crm.leads.search(search);
  await clock.advance(90 * 60_000);
  await crm.leads.search(search);
  expect(operationsOf(platform).filter(([operation]) => operation === 'crm.oauth.token')).toHaveLength(1);

  await clock.advance(120 * 60_000);
  await crm.leads.search(search);

  expect(operationsOf(platform).filter(([operation]) => operation === 'crm.oauth.token')).toHaveLength(2);
});

test('nothing of a request for a token is remembered but its grant', async () => {
  await using connected = await connect((tokenEndpoint) => oauthClientCredentials({ tokenEndpoint, ...client }));
  await connected.crm.leads.search(search);

  expect(connected.platform.requests[0]).toMatchObject({ body: { grant_type: 'client_credentials' } });
  expect(JSON.stringify(connected.platform.requests)).not.toContain(app.clientSecret);
});
