import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import Telnyx from 'telnyx';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { telnyx } from '../../src/tools/providers/http.ts';
import { createWebhookReceiver, telnyxSignature } from '../../src/webhooks/index.ts';
import { createPaymentTools } from '../support/payment-tools.ts';

const keys = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return { privateKey, publicKey: raw.toString('base64') };
};
const account = keys();
const other = keys();

const body = JSON.stringify({
  data: {
    record_type: 'event',
    event_type: 'call.hangup',
    id: '0ccc7b54-4df3-4bca-a65a-3da1ecc777f0',
    occurred_at: '2026-11-27T09:00:00.999Z',
    payload: { call_control_id: 'Zoë' },
  },
});

const now = Date.parse('2026-11-27T09:00:00.999Z');
const at = (offset: number) => String(Math.floor(now / 1000) + offset);

interface Delivery {
  readonly body: string;
  readonly headers: Record<string, string>;
}

const delivery = ({ time = at(0), key = account.privateKey }: { time?: string; key?: KeyObject } = {}): Delivery => ({
  body,
  headers: {
    'telnyx-timestamp': time,
    'telnyx-signature-ed25519': sign(null, Buffer.from(`${time}|${body}`), key).toString('base64'),
  },
});

const changed = (headers: Record<string, string>): Delivery => ({
  body,
  headers: { ...delivery().headers, ...headers },
});

const { 'telnyx-signature-ed25519': signature = '' } = delivery().headers;
const signatureOf = (bytes: Buffer) => changed({ 'telnyx-signature-ed25519': bytes.toString('base64') });
const inOtherCase = (toCase: (name: string) => string): Delivery => ({
  body,
  headers: Object.fromEntries(Object.entries(delivery().headers).map(([name, value]) => [toCase(name), value])),
});

const client = new Telnyx({ apiKey: 'KEY_1', publicKey: account.publicKey });
const isAcceptedByTelnyx = async ({ body: sent, headers }: Delivery) => {
  try {
    await client.webhooks.unwrap(sent, { headers });
    return true;
  } catch (error) {
    expect(error).toHaveProperty('name', 'TelnyxWebhookVerificationError');
    return false;
  }
};

const isAccepted = async ({ body: sent, headers }: Delivery) => {
  const receive = createWebhookReceiver({
    authentication: [telnyxSignature({ publicKey: account.publicKey })],
    store: createMemoryIdempotencyStore(),
    envelope: (json) => {
      const { data } = delivered.parse(json);
      return { type: data.event_type, id: data.id, occurredAt: now, payload: data.payload };
    },
    events: { 'call.hangup': z.unknown() },
    on: { 'call.hangup': () => {} },
  });
  const request = { method: 'POST', body: sent, headers: { 'content-type': 'application/json', ...headers } };
  const { status } = await receive(new Request('https://agent.example/telnyx', request));
  expect([204, 401]).toContain(status);
  return status === 204;
};
const delivered = z.object({ data: z.object({ event_type: z.string(), id: z.string(), payload: z.unknown() }) });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each<[string, Delivery, boolean]>([
  ['is as Telnyx signs it', delivery(), true],
  ['is 300 seconds old', delivery({ time: at(-300) }), true],
  ['is 301 seconds old', delivery({ time: at(-301) }), false],
  ['is 300 seconds early', delivery({ time: at(300) }), true],
  ['is 301 seconds early', delivery({ time: at(301) }), false],
  ['has its time in milliseconds', delivery({ time: String(now) }), false],
  ['has a time that is none', delivery({ time: '1e9' }), false],
  ['has another body', { ...delivery(), body: body.replace('Zoë', 'Bob') }, false],
  ['has one space more', { ...delivery(), body: `${body} ` }, false],
  ['has another time', changed({ 'telnyx-timestamp': at(-1) }), false],
  ['has an empty time', changed({ 'telnyx-timestamp': '' }), false],
  ['is signed by another key', delivery({ key: other.privateKey }), false],
  ['has an empty signature', changed({ 'telnyx-signature-ed25519': '' }), false],
  ['has a signature of 63 bytes', signatureOf(Buffer.from(signature, 'base64').subarray(1)), false],
  ['has a signature of 65 bytes', signatureOf(Buffer.concat([Buffer.from(signature, 'base64'), Buffer.of(0)])), false],
  ['has a signature without padding', changed({ 'telnyx-signature-ed25519': signature.replaceAll('=', '') }), false],
  ['has a signature in hex', changed({ 'telnyx-signature-ed25519': 'ab'.repeat(64) }), false],
  ['has its headers in capitals', inOtherCase((name) => name.toUpperCase()), true],
  [
    'has its headers as Telnyx writes them',
    inOtherCase((name) => name.replaceAll(/\b[a-z]/g, (one) => one.toUpperCase())),
    true,
  ],
])('a delivery that %s is the same to the package of Telnyx and to the receiver', async (_, sent, accepted) => {
  expect(await isAcceptedByTelnyx(sent)).toBe(accepted);
  expect(await isAccepted(sent)).toBe(accepted);
});

test('an assistant of Telnyx takes the tools', () => {
  const tools: NonNullable<Telnyx.AI.AssistantCreateParams['tools']> = telnyx.tools(createPaymentTools().toolbox, {
    url: 'https://agent.example/tools',
    secretName: 'tools-token',
  });

  expect(tools).toHaveLength(3);
});
