import { expectTypeOf, test } from 'vitest';
import {
  apiKey,
  type authorizationCode,
  type AuthorizationGrant,
  bearer,
  type Credential,
  jwtBearer,
  oauthClientCredentials,
  oauthRefreshToken,
  signedJwt,
  type TokenCredential,
  type TokenStore,
} from '../../src/auth/index.ts';
import type { TokenDetails } from '../../src/stores/ports/token-store.ts';
import { createMemoryTokenStore } from '../../src/stores/memory/index.ts';

const endpoint = { tokenEndpoint: 'https://login.example.com/token', clientId: () => 'app-1' };
const read = async () => 's3cret';

test('every method gives a credential, and those with a token endpoint tell its details', () => {
  expectTypeOf(bearer(read)).toEqualTypeOf<Credential>();
  expectTypeOf(apiKey('X-Api-Key', read, { id: 'billing' })).toEqualTypeOf<Credential>();
  expectTypeOf(signedJwt({ key: read })).toEqualTypeOf<Credential>();
  expectTypeOf(oauthClientCredentials({ ...endpoint, clientSecret: read })).toEqualTypeOf<TokenCredential>();
  expectTypeOf<TokenCredential>().toExtend<Credential>();
  expectTypeOf<TokenCredential['tokenDetails']>().returns.resolves.toEqualTypeOf<TokenDetails>();
});

test('a function that reads a secret may ask whose it is', () => {
  bearer(({ tenant }) => `token of ${tenant ?? 'none'}`);
  // @ts-expect-error: a secret written in code
  bearer('s3cret');
  // @ts-expect-error: the same
  oauthClientCredentials({ ...endpoint, clientSecret: 's3cret' });
});

test('a refresh token cannot be used without saying where the next one is kept', () => {
  oauthRefreshToken({ ...endpoint, refreshToken: read, onRefreshToken: (token) => void token.length });
  // @ts-expect-error: it would be lost
  oauthRefreshToken({ ...endpoint, refreshToken: read });
});

test('an assertion needs all that it says', () => {
  jwtBearer({ ...endpoint, subject: read, audience: 'https://login.example.com', privateKey: read });
  // @ts-expect-error: to whom?
  jwtBearer({ ...endpoint, subject: 'agent', privateKey: read });
  // @ts-expect-error: not with a shared secret
  jwtBearer({ ...endpoint, subject: 'agent', audience: 'x', privateKey: read, algorithm: 'HS256' });
});

test('what a customer granted may hold no refresh token', () => {
  expectTypeOf<
    ReturnType<typeof authorizationCode>['exchangeAuthorizationCode']
  >().returns.resolves.toEqualTypeOf<AuthorizationGrant>();
  expectTypeOf<AuthorizationGrant['refreshToken']>().toEqualTypeOf<string | undefined>();
});

test('a store of tokens may do without claims', () => {
  expectTypeOf(createMemoryTokenStore()).toEqualTypeOf<TokenStore>();
  const store: TokenStore = { get: async () => undefined, set: async () => undefined };
  oauthClientCredentials({ ...endpoint, store });
});
