import { createSecretKey } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { signedJwt, type SignedJwtOptions } from '../../src/auth/index.ts';
import { liveHeapBytes } from '../support/live-heap-bytes.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { aContext, tokenOf } from '../support/credential-context.ts';
import { assertionKey } from '../support/token-server.ts';

const now = Date.UTC(2026, 10, 21, 12);

const setUp = (options: Partial<SignedJwtOptions> = {}) => {
  const clock = createVirtualClock({ wallNow: now });
  const credential = signedJwt({
    key: () => assertionKey.pem,
    issuer: 'voice-agent',
    audience: 'billing',
    ...options,
  });
  return { credential, clock };
};

test('a token that is signed here goes onto requests, and holds for a minute', async () => {
  const { credential } = setUp({ subject: 'agent', claims: { role: 'payments', exp: 1 }, keyId: 'key-1' });
  const issued = await credential.read(aContext());
  const token = tokenOf(issued) ?? '';
  const { payload } = await jwtVerify(token, assertionKey.publicKey, { currentDate: new Date(now) });
  expect(payload).toEqual({
    iss: 'voice-agent',
    sub: 'agent',
    aud: 'billing',
    role: 'payments',
    iat: now / 1000,
    exp: now / 1000 + 60,
  });
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
  expect(issued.secrets).toEqual([token]);
});

test('a shared secret signs too', async () => {
  const secret = 'a-shared-secret-of-at-least-32-bytes';
  const { credential } = setUp({ algorithm: 'HS256', key: async () => secret });
  const token = tokenOf(await credential.read(aContext())) ?? '';
  await expect(
    jwtVerify(token, createSecretKey(Buffer.from(secret)), { currentDate: new Date(now) }),
  ).resolves.toMatchObject({ payload: { iss: 'voice-agent' } });
});

test('one is used until three quarters of its life are over, then the next is signed', async () => {
  const { credential, clock } = setUp();
  const first = await credential.read(aContext());
  await clock.advance(44_999);
  expect(await credential.read(aContext())).toBe(first);
  await clock.advance(1);
  expect(tokenOf(await credential.read(aContext()))).not.toBe(tokenOf(first));
});

test('another key signs another token at once', async () => {
  let key = 'first-shared-secret-of-enough-bytes';
  const { credential } = setUp({ algorithm: 'HS256', key: () => key });
  const first = await credential.read(aContext());
  expect(await credential.renew(first, aContext())).toBeUndefined();
  key = 'other-shared-secret-of-enough-bytes';
  const second = await credential.renew(first, aContext());
  expect(second && tokenOf(second)).not.toBe(tokenOf(first));
  expect(await credential.read(aContext())).toBe(second);
});

test('after a 401 an old token is replaced, and one that was signed a moment ago is not', async () => {
  const { credential, clock } = setUp();
  const rejected = await credential.read(aContext());
  await clock.advance(14_999);
  expect(await credential.renew(rejected, aContext())).toBeUndefined();
  await clock.advance(1);
  const renewed = await credential.renew(rejected, aContext());
  expect(renewed && tokenOf(renewed)).not.toBe(tokenOf(rejected));
  expect(renewed && (await credential.renew(renewed, aContext()))).toBeUndefined();
});

test('tenants sign with their own keys', async () => {
  const { credential } = setUp({ algorithm: 'HS256', key: ({ tenant }) => `shared-secret-of-tenant-number-${tenant}` });
  const verified = ['1', '2'].map(async (tenant) => {
    const token = tokenOf(await credential.read(aContext({ tenant }))) ?? '';
    const key = createSecretKey(Buffer.from(`shared-secret-of-tenant-number-${tenant}`));
    return (await jwtVerify(token, key, { currentDate: new Date(now) })).payload.iss;
  });
  expect(await Promise.all(verified)).toEqual(['voice-agent', 'voice-agent']);
});

test('after its lifetime, the token of no tenant is kept in memory', async () => {
  const { credential, clock } = setUp();
  const tokens: WeakRef<object>[] = [];
  for (const tenant of ['1', '2', '3']) tokens.push(new WeakRef(await credential.read(aContext({ tenant }))));
  const kept = async () => {
    await nextTurn();
    liveHeapBytes();
    return tokens.filter((token) => token.deref() !== undefined).length;
  };

  await clock.advance(59_000);
  expect(await kept()).toBe(3);
  await clock.advance(1_001);
  expect(await kept()).toBe(0);
});

test('a lifetime may have decimals', async () => {
  const { credential } = setUp({ lifetimeMs: 1_000.5 });
  expect(tokenOf(await credential.read(aContext()))).toBeDefined();
});

test.each<[string, object]>([
  ['key', { key: 'a literal' }],
  ['lifetimeMs', { lifetimeMs: 0 }],
  ['lifetimeMs', { lifetimeMs: 3_600_001 }],
])('an option that cannot work is refused: %s', (field, wrong) => {
  expect(() => setUp(wrong)).toThrow(new RegExp(`^${field} must`));
});
