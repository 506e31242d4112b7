import { expect, test } from 'vitest';
import { createTokenEndpoint, type TokenAnswer } from '../../src/auth/token-endpoint.ts';

const ask = (text: string, type = 'application/json'): Promise<TokenAnswer> =>
  createTokenEndpoint({
    tokenEndpoint: 'https://login.example/token',
    fetch: async () => new Response(text, { headers: { 'content-type': type } }),
  })({ grantType: 'client_credentials', clientId: 'app', parameters: {} }, new AbortController().signal);

test.each([
  'bearer',
  'Bearer',
  'BearerToken',
  'BEARER_TOKEN',
  'Bearer ',
  'jwt-bearer',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  '',
  null,
  undefined,
])('a token of type %j is a bearer token', async (token_type) => {
  expect(await ask(JSON.stringify({ access_token: 't', token_type }))).toMatchObject({ accessToken: 't' });
});

test.each(['mac', 'DPoP', 'N_A', 'pop-bearer-bound', 7])('a token of type %j is none', async (token_type) => {
  await expect(ask(JSON.stringify({ access_token: 't', token_type }))).rejects.toMatchObject({ kind: 'unexpected' });
});

test.each([
  [3600, 3_600_000],
  ['3600', 3_600_000],
  ['3599.5', 3_599_500],
  [1.5, 1_500],
  [0, undefined],
  [-1, undefined],
  ['-1', undefined],
  ['', undefined],
  ['soon', undefined],
  [null, undefined],
  [true, undefined],
  [[60], undefined],
  [1_800_000_000, undefined],
  [undefined, undefined],
])('an expiry in %j ends after %j ms', async (expires_in, expiresInMs) => {
  expect((await ask(JSON.stringify({ access_token: 't', expires_in }))).expiresInMs).toBe(expiresInMs);
});

test.each([
  ['a form', 'access_token=a%2Bb&token_type=bearer&expires_in=60', 'application/x-www-form-urlencoded'],
  ['an object of its own', '{"data":{"access_token":"a+b","expires_in":60},"status":"ok"}', 'application/json'],
  ['JSON with a byte order mark', '\ufeff{"access_token":"a+b","expires_in":60}', 'application/json'],
  ['JSON that is called text', '{"access_token":"a+b","expires_in":60}', 'text/plain'],
])('a token in %s is read', async (_where, text, type) => {
  expect(await ask(text, type)).toMatchObject({ accessToken: 'a+b', expiresInMs: 60_000 });
});

test.each([
  ['error=invalid_client&error_description=no', 'refused'],
  ['{"error":"invalid_client","data":{"access_token":"t"}}', 'refused'],
  ['{"one":{"access_token":"t"},"other":{"access_token":"u"}}', 'unexpected'],
  ['{"list":[{"access_token":"t"}]}', 'unexpected'],
  ['a=b', 'unexpected'],
  ['null', 'unexpected'],
  ['[]', 'unexpected'],
])('%s holds no token', async (text, kind) => {
  await expect(ask(text)).rejects.toMatchObject({ kind });
});
