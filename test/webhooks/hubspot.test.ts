import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createWebhookReceiver, hubspotSignature, readHubSpotEvents } from '../../src/webhooks/index.ts';

const secret = 'a-client-secret-of-hubspot';
const event = { eventId: 7, subscriptionId: 3, objectId: 102, subscriptionType: 'contact.creation' };

const receiver = (publicOrigin?: string) => {
  const seen: unknown[] = [];
  const receive = createWebhookReceiver({
    authentication: [
      hubspotSignature({ secrets: () => secret, ...(publicOrigin === undefined ? {} : { publicOrigin }) }),
    ],
    store: createMemoryIdempotencyStore(),
    envelope: readHubSpotEvents,
    events: { 'hubspot.events': z.array(z.looseObject({ objectId: z.number() })) },
    on: { 'hubspot.events': ({ payload }) => void seen.push(...payload.map(({ objectId }) => objectId)) },
  });
  return { receive, seen };
};

const delivery = (
  body: string,
  {
    url = 'https://agent.example/hubspot',
    signs = url,
    at = Date.now(),
  }: { url?: string; signs?: string; at?: number },
) =>
  new Request(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-hubspot-request-timestamp': String(at),
      'x-hubspot-signature-v3': createHmac('sha256', secret).update(`POST${signs}${body}${at}`).digest('base64'),
    },
  });
const body = (attemptNumber = 0) =>
  JSON.stringify([
    { ...event, attemptNumber, occurredAt: Date.now() - 1000 },
    { ...event, eventId: 8, objectId: 103, attemptNumber, occurredAt: Date.now() - 1000 },
  ]);

test('all events of a delivery are handled, and a repetition of it is not', async () => {
  const { receive, seen } = receiver();
  const first = body();

  expect((await receive(delivery(first, {}))).status).toBe(204);
  expect((await receive(delivery(first.replaceAll('"attemptNumber":0', '"attemptNumber":1'), {}))).status).toBe(204);
  expect(seen).toEqual([102, 103]);
});

test('the address is signed decoded, and as HubSpot calls it', async () => {
  const { receive } = receiver('https://agent.example');
  const url = 'http://10.0.0.7:8080/hook%40a?to=b%2Fc%20d';

  const status = (await receive(delivery(body(), { url, signs: 'https://agent.example/hook@a?to=b/c%20d' }))).status;

  expect(status).toBe(204);
});

test.each([
  ['another address', { signs: 'https://agent.example/other' }],
  ['more than five minutes ago', { at: Date.now() - 301_000 }],
  ['a pattern in the address', { url: 'https://agent.example/hubspot?a={body}' }],
])('what was signed for %s is refused', async (_, how) => {
  const { receive, seen } = receiver();

  expect((await receive(delivery(body(), how))).status).toBe(401);
  expect(seen).toEqual([]);
});

test('an origin that is none is refused', () => {
  expect(() => hubspotSignature({ secrets: () => secret, publicOrigin: 'agent.example' })).toThrow('publicOrigin');
});
