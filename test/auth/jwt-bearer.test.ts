import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, test } from 'vitest';
import { jwtBearer, type JwtBearerOptions } from '../../src/auth/index.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { failureOf } from '../support/connect.ts';
import { aContext, tokenOf } from '../support/credential-context.ts';
import { assertionKey, json, startTokenServer, type TokenServer } from '../support/token-server.ts';

const audience = 'https://login.salesforce.com';
const now = Date.UTC(2026, 10, 21, 12);
const assertion = { issuer: 'consumer-key', subject: 'agent@northwind.example', audience, now: () => new Date(now) };

const setUp = (server: Pick<TokenServer, 'endpoint'>, options: Partial<JwtBearerOptions> = {}) => {
  const clock = createVirtualClock({ wallNow: now });
  const credential = jwtBearer({
    tokenEndpoint: server.endpoint,
    audience,
    clientId: () => 'consumer-key',
    subject: 'agent@northwind.example',
    privateKey: () => assertionKey.pem,
    ...options,
  });
  return { credential, clock };
};

test('an assertion signed with RS256 is traded for a token, and no secret is sent', async () => {
  await using server = await startTokenServer({ assertion, expiresIn: undefined });
  const { credential } = setUp(server);
  expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
  const form = server.asked[0]?.form ?? {};
  expect(Object.keys(form).toSorted()).toEqual(['assertion', 'client_id', 'grant_type']);
  expect(decodeProtectedHeader(form.assertion ?? '')).toEqual({ alg: 'RS256', typ: 'JWT' });
  expect(decodeJwt(form.assertion ?? '')).toEqual({
    iss: 'consumer-key',
    sub: 'agent@northwind.example',
    aud: audience,
    iat: now / 1000,
    exp: now / 1000 + 180,
  });
});

test('how long the assertion holds says nothing about the token: it is used until it is refused', async () => {
  await using server = await startTokenServer({ assertion, expiresIn: undefined });
  const { credential, clock } = setUp(server, { assertionLifetimeMs: 60_000 });
  const first = await credential.read(aContext());
  await clock.advance(7 * 86_400_000);
  expect(await credential.read(aContext())).toBe(first);
  expect(server.asked).toHaveLength(1);
});

test('a new key is used by the next request for a token', async () => {
  await using server = await startTokenServer({ assertion });
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  let key = stranger.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { credential } = setUp(server, { privateKey: async () => key, keyId: 'key-2' });
  expect(await failureOf(credential.read(aContext()))).toMatchObject({ reason: 'invalid_grant' });
  expect(await failureOf(credential.read(aContext()))).toMatchObject({ reason: 'invalid_grant' });
  expect(server.asked).toHaveLength(1);
  key = assertionKey.pem;
  expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
  expect(decodeProtectedHeader(server.asked[1]?.form.assertion ?? '')).toMatchObject({ kid: 'key-2' });
});

describe('a key is taken', () => {
  test.each<[string, string]>([
    ['in PKCS #1 too', createPrivateKey(assertionKey.pem).export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['from an environment variable, with \\n for its line breaks', assertionKey.pem.replaceAll('\n', '\\n')],
  ])('%s', async (_how, pem) => {
    await using server = await startTokenServer({ assertion });
    const { credential } = setUp(server, { privateKey: () => pem });
    expect(tokenOf(await credential.read(aContext()))).toBe('token-1');
  });

  test.each<[string, string]>([
    ['not when it is none', 's3cret-but-no-key'],
    [
      'not when it is for something else',
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ],
    [
      'not when it is too short',
      generateKeyPairSync('rsa', { modulusLength: 1024 })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
    ],
  ])('%s, and that is said without it', async (_how, pem) => {
    await using server = await startTokenServer({ assertion });
    const { credential } = setUp(server, { privateKey: () => pem });
    const error = await failureOf(credential.read(aContext()));
    expect(error).toMatchObject({ code: 'authentication_failed', reason: 'no_secret' });
    expect(error.message).toMatch(/privateKey must be/);
    expect(inspect(error) + JSON.stringify(error)).not.toContain('s3cret');
    expect(server.asked).toEqual([]);
  });
});

test('Salesforce’s instance_url is there to be asked for', async () => {
  await using server = await startTokenServer({
    assertion,
    expiresIn: undefined,
    extra: { instance_url: 'https://northwind.my.salesforce.com' },
  });
  const { credential } = setUp(server);
  expect((await credential.tokenDetails({ tenant: 'org-1' })).instance_url).toBe('https://northwind.my.salesforce.com');
  await credential.read(aContext({ tenant: 'org-1' }));
  expect(server.asked).toHaveLength(1);
});

test('who asks for details gets the reason why there are none, and may give up', async () => {
  await using server = await startTokenServer({ assertion });
  server.fault(json(400, { error: 'invalid_grant' }));
  const { credential } = setUp(server, { id: 'salesforce' });
  expect(await failureOf(credential.tokenDetails())).toMatchObject({
    message: 'auth.salesforce was not sent: the token endpoint refused it (invalid_grant)',
    reason: 'invalid_grant',
  });
  await expect(credential.tokenDetails({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
});

test.each<[string, object]>([
  ['privateKey', { privateKey: assertionKey.pem }],
  ['audience', { audience: '' }],
  ['subject', { subject: '' }],
  ['assertionLifetimeMs', { assertionLifetimeMs: 0 }],
])('an option that cannot work is refused: %s', (field, wrong) => {
  expect(() => setUp({ endpoint: 'https://login.example.com/token' }, wrong)).toThrow(new RegExp(`^${field} must`));
});
