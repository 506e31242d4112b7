import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import * as z from 'zod';
import {
  type Authentication,
  createEventWaits,
  createWebhookReceiver,
  hmac,
  ipAllowlist,
  mutualTls,
  notificationEvents,
  oauthBearer,
  type PaymentConfirmed,
  type Peer,
  sharedSecret,
} from '../../src/webhooks/index.ts';
import { serve } from '../support/serve.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';

const secret = 'a-shared-secret';
const confirmed = { id: 'evt_1', type: 'payment.confirmed', payment_id: 'pay_1', amount: 120.5 };

interface ReceiverSetup {
  readonly authentication?: readonly Authentication[];
  readonly mayConfirm?: boolean;
  readonly peer?: Peer;
}

/** A receiver behind a real server, and what it handled. */
const start = async ({ authentication, mayConfirm = true, peer }: ReceiverSetup = {}) => {
  const handled: unknown[] = [];
  const receive = createWebhookReceiver({
    authentication: authentication ?? [hmac({ secrets: () => secret })],
    events: { 'payment.confirmed': z.looseObject({ payment_id: z.string(), amount: z.number() }) },
    on: { 'payment.confirmed': ({ payload }) => void handled.push(payload.payment_id) },
    checks: {
      'payment.confirmed': { timestamps: ['confirmed_at'], amounts: ['amount'], records: { payment_id: 'payment' } },
    },
    recordExists: ({ id }) => id === 'pay_1',
    rules: { 'payment.confirmed': [() => (mayConfirm ? undefined : 'this sender may not confirm payments')] },
    store: createMemoryIdempotencyStore(),
    informational: authentication !== undefined,
  });
  const server = await serve((request) => receive(request, peer));
  return {
    handled,
    receive: (request: Request) => receive(request, peer),
    deliver: async (body: object, headers?: Readonly<Record<string, string>>) =>
      (await server.post(JSON.stringify(body), { headers: headers ?? signed(body) })).status,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

/** As the interface document writes it. */
const signed = (body: object, key = secret) => ({
  'x-signature': `sha256=${createHmac('sha256', key).update(JSON.stringify(body)).digest('hex')}`,
});

it('takes a body whose X-Signature is sha256= and the HMAC-SHA256 of the body, and refuses every other', async () => {
  await using receiver = await start();

  const refused = [
    await receiver.deliver(confirmed, {}),
    await receiver.deliver(confirmed, signed(confirmed, 'another')),
    await receiver.deliver({ ...confirmed, amount: 1 }, signed(confirmed)),
  ];
  const taken = await receiver.deliver(confirmed);

  expect([refused, taken, receiver.handled]).toEqual([[401, 401, 401], 204, ['pay_1']]);
});

it('takes the same signature in upper-case hex and in base64, and a body without a content type', async () => {
  await using receiver = await start();
  const mac = createHmac('sha256', secret).update(JSON.stringify(confirmed)).digest();
  const untyped = await serve((request) => {
    const headers = new Headers(request.headers);
    headers.delete('content-type');
    return receiver.receive(new Request(request, { headers }));
  });

  const statuses = [
    await receiver.deliver(confirmed, { 'x-signature': `sha256=${mac.toString('hex').toUpperCase()}` }),
    await receiver.deliver(confirmed, { 'x-signature': `sha256=${mac.toString('base64')}` }),
    (await untyped.post(JSON.stringify(confirmed), { headers: signed(confirmed) })).status,
  ];
  await untyped[Symbol.asyncDispose]();

  expect([statuses, receiver.handled]).toEqual([[204, 204, 204], ['pay_1']]);
});

it('accepts only known sender addresses', async () => {
  const authentication = [ipAllowlist({ allow: ['203.0.113.0/24'] })];
  await using known = await start({ authentication, peer: { address: '203.0.113.7' } });
  await using stranger = await start({ authentication, peer: { address: '198.51.100.1' } });

  expect([await known.deliver(confirmed), await stranger.deliver(confirmed)]).toEqual([204, 403]);
});

it('takes a shared secret in a header, and refuses another', async () => {
  await using receiver = await start({
    authentication: [sharedSecret({ header: 'X-Hook-Secret', secrets: () => secret })],
  });

  expect(await receiver.deliver(confirmed, { 'x-hook-secret': secret })).toBe(204);
  expect(await receiver.deliver(confirmed, { 'x-hook-secret': 'another' })).toBe(401);
});

it('takes a token of OAuth, and refuses a request without one', async () => {
  const { exportJWK, generateKeyPair, SignJWT } = await import('jose');
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' };
  const issuer = 'https://login.example.com';
  const token = await new SignJWT({ scope: 'hook' })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuer(issuer)
    .setAudience('hook')
    .setSubject('billing')
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey);
  await using receiver = await start({
    authentication: [oauthBearer({ issuer, audience: 'hook', jwks: { keys: [key] } })],
  });

  expect(await receiver.deliver(confirmed, { authorization: `Bearer ${token}` })).toBe(204);
  expect(await receiver.deliver(confirmed, {})).toBe(401);
});

it('takes a client certificate that was verified, and refuses a request without one', async () => {
  const authentication = [mutualTls({ allow: { commonNames: ['billing.example.com'] } })];
  const certificate = { commonName: 'billing.example.com', fingerprint256: 'ab'.repeat(32) };
  await using known = await start({ authentication, peer: { certificate } });
  await using stranger = await start({ authentication, peer: {} });

  expect([await known.deliver(confirmed), await stranger.deliver(confirmed)]).toEqual([204, 401]);
});

it.each<[string, object, number]>([
  ['validates the schema', { ...confirmed, amount: 'a lot' }, 422],
  ['refuses a time in the future', { ...confirmed, confirmed_at: '2999-01-01T00:00:00Z' }, 422],
  ['refuses a negative amount', { ...confirmed, amount: -1 }, 422],
  ['refuses the id of a record that does not exist', { ...confirmed, payment_id: 'pay_9' }, 422],
])('%s', async (_name, body, status) => {
  await using receiver = await start();

  expect([await receiver.deliver(body), receiver.handled]).toEqual([status, []]);
});

it('refuses an operation that is not allowed for this sender', async () => {
  await using receiver = await start({ mayConfirm: false });

  expect([await receiver.deliver(confirmed), receiver.handled]).toEqual([403, []]);
});

it('handles an event once, however often it is replayed', async () => {
  await using receiver = await start();

  const statuses = [await receiver.deliver(confirmed), await receiver.deliver(confirmed)];

  expect([statuses, receiver.handled]).toEqual([[204, 204], ['pay_1']]);
});

it('lets a phone call wait for the callback of a payment, and go on with what it says', async () => {
  const payments = createEventWaits<PaymentConfirmed>();
  const receive = createWebhookReceiver({
    authentication: [hmac({ secrets: () => secret })],
    events: { 'payment.confirmed': notificationEvents['payment.confirmed'] },
    on: { 'payment.confirmed': ({ payload }) => payments.arrived(payload.payment_id, payload) },
    store: createMemoryIdempotencyStore(),
  });
  await using server = await serve(receive);
  const waiting = payments.waitForEvent({ key: 'pay_1', deadline: 5000 });

  await server.post(JSON.stringify(confirmed), { headers: signed(confirmed) });

  expect(await waiting).toMatchObject({ payment_id: 'pay_1', amount: 120.5 });
});
