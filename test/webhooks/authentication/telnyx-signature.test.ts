import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { createWebhookReceiver, telnyxSignature, type TelnyxSignatureOptions } from '../../../src/webhooks/index.ts';

const keys = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    privateKey,
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64'),
  };
};
const account = keys();
const other = keys();

const delivered = z.object({
  data: z.object({ event_type: z.string(), id: z.string(), occurred_at: z.string(), payload: z.unknown() }),
});

const receiver = (options: TelnyxSignatureOptions = { publicKey: account.publicKey }) => {
  const seen: unknown[] = [];
  const receive = createWebhookReceiver({
    authentication: [telnyxSignature(options)],
    store: createMemoryIdempotencyStore(),
    envelope: (json) => {
      const { data } = delivered.parse(json);
      return { type: data.event_type, id: data.id, occurredAt: Date.parse(data.occurred_at), payload: data.payload };
    },
    events: { 'call.hangup': z.object({ call: z.string() }) },
    on: { 'call.hangup': ({ payload }) => void seen.push(payload.call) },
  });
  return { receive, seen };
};

const body = JSON.stringify({
  data: {
    record_type: 'event',
    event_type: 'call.hangup',
    id: '0ccc7b54-4df3-4bca-a65a-3da1ecc777f0',
    occurred_at: new Date().toISOString(),
    payload: { call: 'Zoë' },
  },
});

const deliver = ({
  at = String(Math.floor(Date.now() / 1000)),
  key = account.privateKey,
  sent = body,
  signed = `${at}|${body}`,
  ...headers
}: { at?: string; key?: KeyObject; sent?: string; signed?: string } & Record<string, unknown> = {}) =>
  new Request('https://agent.example/telnyx', {
    method: 'POST',
    body: sent,
    headers: {
      'content-type': 'application/json',
      'telnyx-timestamp': at,
      'telnyx-signature-ed25519': sign(null, Buffer.from(signed), key).toString('base64'),
      ...(headers as Record<string, string>),
    },
  });

test('a delivery that Telnyx signed is handled once', async () => {
  const { receive, seen } = receiver();
  expect((await receive(deliver())).status).toBeLessThan(300);
  expect((await receive(deliver())).status).toBeLessThan(300);
  expect(seen).toEqual(['Zoë']);
});

const seconds = (offset: number) => String(Math.floor(Date.now() / 1000) + offset);

test.each<[string, () => Request]>([
  ['is signed by another key', () => deliver({ key: other.privateKey })],
  ['has another body', () => deliver({ sent: body.replace('Zoë', 'Bob') })],
  ['has another time', () => deliver({ 'telnyx-timestamp': seconds(-1) })],
  ['was signed six minutes ago', () => deliver({ at: seconds(-360) })],
  ['was signed in six minutes', () => deliver({ at: seconds(360) })],
  ['has a time that is none', () => deliver({ at: '1e9' })],
  ['has no time', () => deliver({ 'telnyx-timestamp': '' })],
  ['has a signature in hex', () => deliver({ 'telnyx-signature-ed25519': 'ab'.repeat(64) })],
  ['has a short signature', () => deliver({ 'telnyx-signature-ed25519': 'AAAA' })],
  ['has an empty signature', () => deliver({ 'telnyx-signature-ed25519': '' })],
  ['is signed without its time', () => deliver({ signed: body })],
])('a delivery that %s is refused', async (_what, request) => {
  const { receive, seen } = receiver();
  expect((await receive(request())).status).toBe(401);
  expect(seen).toEqual([]);
});

test('a signature without its padding is refused', async () => {
  const request = deliver();
  const signature = request.headers.get('telnyx-signature-ed25519') ?? '';
  request.headers.set('telnyx-signature-ed25519', signature.replaceAll('=', ''));

  expect((await receiver().receive(request)).status).toBe(401);
});

test('the tolerance counts whole seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Number(`${seconds(0)}999`) });
  const answers = [seconds(-300), seconds(-301)].map((at) => receiver().receive(deliver({ at })));
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  vi.useRealTimers();

  expect(statuses).toEqual([204, 401]);
});

test('a key may be read for each delivery, and rotated', async () => {
  const { receive, seen } = receiver({ publicKey: () => [other.publicKey, account.publicKey] });
  expect((await receive(deliver())).status).toBeLessThan(300);
  expect(seen).toEqual(['Zoë']);
});

test('a longer tolerance takes an older delivery', async () => {
  const { receive } = receiver({ publicKey: account.publicKey, toleranceMs: 600_000 });
  expect((await receive(deliver({ at: seconds(-360) }))).status).toBeLessThan(300);
});

test.each([
  [{ publicKey: 'not a key' }, 'publicKey'],
  [{ publicKey: Buffer.alloc(31).toString('base64') }, 'publicKey'],
  [{ publicKey: undefined }, 'publicKey'],
  [{ publicKey: 7 }, 'publicKey'],
  [{ publicKey: account.publicKey, toleranceMs: 0 }, 'toleranceMs'],
  [{ publickey: account.publicKey }, 'publickey'],
])('options %j are refused', (options, field) => {
  expect(() => telnyxSignature(options as never)).toThrow(field);
});
