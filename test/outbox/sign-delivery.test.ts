import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { HttpRequest } from '../../src/http/request.ts';
import type { Signing } from '../../src/outbox/destination.ts';
import { signDelivery } from '../../src/outbox/attempt.ts';
import { standardWebhooks, xSignature } from '../../src/signature/scheme.ts';
import { verifySignature } from '../../src/signature/verify.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { aRequest } from '../support/request.ts';

createVirtualClock();
const body = '{"id":"CA1:completed"}';

/** The headers that a signed request has in addition to its own. */
const signed = async (signing: Signing, different: Partial<HttpRequest> = { body }) => {
  let passedOn: HttpRequest | undefined;
  const request = aRequest({ operation: 'outbox.crm', headers: { 'x-own': 'a' }, ...different });
  await signDelivery(signing, {})(request, (next) => {
    passedOn = next;
    return Promise.resolve({ status: 204, headers: new Map(), text: '' });
  });
  expect(passedOn).toEqual({ ...request, headers: expect.objectContaining({ 'x-own': 'a' }) as object });
  return passedOn?.headers ?? {};
};

test('a delivery is signed as the interface document says, unless other schemes are named', async () => {
  const secrets = () => ['c2VjcmV0'];
  const usual = await signed({ secrets });
  const both = await signed({ secrets, scheme: [xSignature, standardWebhooks] });

  expect(Object.keys(usual).toSorted()).toEqual(['x-own', 'x-signature']);
  expect(await verifySignature(body, { headers: usual, secrets })).toMatchObject({ valid: true });
  expect(Object.keys(both).toSorted()).toEqual([
    'webhook-id',
    'webhook-signature',
    'webhook-timestamp',
    'x-own',
    'x-signature',
  ]);
});

test('the webhook-id of a delivery is the key of its publication, so that a receiver can match the two', async () => {
  const signing = { secrets: () => ['c2VjcmV0'], scheme: standardWebhooks };
  const idOf = async (idempotencyKey: string) => (await signed(signing, { idempotencyKey }))['webhook-id'];

  expect(await idOf('CA1:completed')).toBe('CA1:completed');
});

test('the webhook-id is a hash of the key where a signature cannot hold the key, the same at each attempt', async () => {
  const signing = { secrets: () => ['c2VjcmV0'], scheme: standardWebhooks };
  const idOf = async (idempotencyKey: string) => (await signed(signing, { idempotencyKey }))['webhook-id'];
  const hashed = (key: string) => `msg_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;

  expect([await idOf('a.b'), await idOf('a.b'), await idOf('a b')]).toEqual([
    hashed('a.b'),
    hashed('a.b'),
    hashed('a b'),
  ]);
});

test.each<[what: string, secrets: Signing['secrets']]>([
  ['a function that gives one', () => 'c2VjcmV0'],
  ['a function that gives several', async () => ['c2VjcmV0', 'b2xk']],
  ['a list of functions', [() => 'c2VjcmV0', async () => 'b2xk']],
])('secrets may be %s', async (_what, secrets) => {
  const headers = await signed({ secrets, scheme: standardWebhooks });

  expect(await verifySignature(body, { headers, secrets: () => 'c2VjcmV0', scheme: standardWebhooks })).toMatchObject({
    valid: true,
  });
});

test('a request without a body is signed as one that is empty', async () => {
  const headers = await signed({ secrets: () => ['secret'] }, {});

  expect(await verifySignature('', { headers, secrets: () => 'secret' })).toMatchObject({ valid: true });
});

test.each<[what: string, secrets: Signing['secrets']]>([
  ['cannot be read', () => Promise.reject(new Error('the vault is down'))],
  ['are none', () => []],
  ['are empty texts', () => ''],
])('secrets that %s leave the delivery unsent', async (_what, secrets) => {
  await expect(signed({ secrets })).rejects.toMatchObject({
    code: 'authentication_failed',
    operation: 'outbox.crm',
    message: 'outbox.crm was not sent: there is no usable secret to sign it with',
    outcome: 'not_sent',
  });
});
