import { expect, test } from 'vitest';
import type { HttpRequest } from '../../src/http/request.ts';
import type { Signing } from '../../src/outbox/destination.ts';
import { signDelivery } from '../../src/outbox/sign-delivery.ts';
import { standardWebhooks, xSignature } from '../../src/signature/scheme.ts';
import { verifySignature } from '../../src/signature/verify.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { aRequest } from '../support/request.ts';

const clock = createVirtualClock();
const body = '{"id":"CA1:completed"}';

/** The headers of a request that was signed, beside its own. */
const signed = async (signing: Signing, different: Partial<HttpRequest> = { body }) => {
  let passedOn: HttpRequest | undefined;
  const request = aRequest({ operation: 'outbox.crm', headers: { 'x-own': 'a' }, ...different });
  await signDelivery(signing, { clock })(request, (next) => {
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
  expect(await verifySignature(body, { headers: usual, secrets: secrets() })).toMatchObject({ valid: true });
  expect(Object.keys(both).toSorted()).toEqual([
    'webhook-id',
    'webhook-signature',
    'webhook-timestamp',
    'x-own',
    'x-signature',
  ]);
});

test('the id of a delivery is that of its key, the same for each attempt, and none of its words', async () => {
  const signing = { secrets: () => ['c2VjcmV0'], scheme: standardWebhooks };
  const idOf = async (idempotencyKey: string) => (await signed(signing, { idempotencyKey }))['webhook-id'];
  const [one, again, other] = [await idOf('a.b'), await idOf('a.b'), await idOf('c')];

  expect(one).toMatch(/^msg_[0-9a-f]{32}$/);
  expect(again).toBe(one);
  expect(other).not.toBe(one);
});

test('a request without a body is signed as one that is empty', async () => {
  const headers = await signed({ secrets: () => ['secret'] }, {});

  expect(await verifySignature('', { headers, secrets: ['secret'] })).toMatchObject({ valid: true });
});

test.each<[what: string, secrets: Signing['secrets']]>([
  ['cannot be read', () => Promise.reject(new Error('the vault is away'))],
  ['are none', () => []],
])('secrets that %s leave the delivery unsent', async (_what, secrets) => {
  await expect(signed({ secrets })).rejects.toMatchObject({
    code: 'authentication_failed',
    operation: 'outbox.crm',
    message: 'outbox.crm was not sent: no usable secret could be had to sign it',
    outcome: 'not_sent',
  });
});
