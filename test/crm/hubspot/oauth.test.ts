import { expect, test } from 'vitest';
import { oauthRefreshToken } from '../../../src/auth/index.ts';
import { createCrmClient } from '../../../src/crm/index.ts';
import { hubspot, hubspotLogin } from '../../../src/crm/hubspot/index.ts';
import { createFakePlatform, testConnectedApp } from '../../../src/dev/testing/index.ts';
import { failureOf } from '../../support/connect.ts';

const connect = async (refreshToken = 'test-refresh-token') => {
  const platform = createFakePlatform({ crm: 'hubspot' });
  const { crm: baseUrl } = await platform.listen();
  const crm = createCrmClient({
    ...hubspot(),
    baseUrl,
    authenticate: oauthRefreshToken({
      tokenEndpoint: `${baseUrl}${new URL(hubspotLogin.tokenEndpoint).pathname}`,
      clientId: () => testConnectedApp.clientId,
      clientSecret: () => testConnectedApp.clientSecret ?? '',
      refreshToken: () => refreshToken,
      onRefreshToken: () => {},
    }),
  });
  return {
    platform,
    crm,
    paths: () => platform.requests.map(({ path, status }) => `${path} ${status}`),
    [Symbol.asyncDispose]: async () => {
      await crm.close();
      await platform.close();
    },
  };
};

const token = '/oauth/2026-09/token 200';
const contacts = '/crm/objects/2026-09/contacts';

test('a refresh token is traded once for a token that opens the account', async () => {
  await using account = await connect();

  await account.crm.contacts.create({ LastName: 'Lovelace' });
  await account.crm.contacts.create({ LastName: 'Okafor' });

  expect(account.paths()).toEqual([token, `${contacts} 201`, `${contacts} 201`]);
});

test('a token that has ended is replaced, and the request is sent again', async () => {
  await using account = await connect();
  await account.crm.contacts.create({ LastName: 'Lovelace' });

  account.platform.crm.acceptOnly();
  await account.crm.contacts.create({ LastName: 'Okafor' });

  expect(account.paths()).toEqual([token, `${contacts} 201`, `${contacts} 401`, token, `${contacts} 201`]);
});

test('a refresh token that was revoked is an error that says so', async () => {
  await using account = await connect('revoked');

  expect(await failureOf(account.crm.contacts.create({ LastName: 'Lovelace' }))).toMatchObject({
    name: 'AuthenticationError',
    message: expect.stringContaining('invalid_grant'),
  });
  expect(account.paths()).toEqual(['/oauth/2026-09/token 400']);
});

test.each([
  ['in the address', '?grant_type=refresh_token', ''],
  ['of another app', '', 'grant_type=refresh_token&client_id=other'],
  ['and a field that HubSpot does not know', '', 'grant_type=refresh_token&audience=x'],
])('the fake account refuses credentials %s', async (_, query, body) => {
  await using platform = createFakePlatform({ crm: 'hubspot' });
  const { crm } = await platform.listen();

  const response = await fetch(`${crm}/oauth/2026-09/token${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });

  expect(response.status).toBe(400);
  expect(Object.keys(Object(await response.json()))).toEqual(['error', 'error_description', 'status', 'message']);
});
