import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { standardWebhooks, xSignature } from '../../src/signature/scheme.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { webhook } from '../../src/webhooks/adapters/node.ts';
import { hmac } from '../../src/webhooks/authentication/hmac.ts';
import { readDataEnvelope } from '../../src/webhooks/envelope.ts';
import { createWebhookReceiver } from '../../src/webhooks/receiver.ts';
import { callCompleted, openOutbox } from '../support/open-outbox.ts';
import { listening } from './adapters/mounted.ts';

it.each([
  ['the spec’s signature', xSignature],
  ['Standard Webhooks', standardWebhooks],
])('what an outbox delivers with %s is taken by a receiver', async (_, scheme) => {
  const secret = 'c2hhcmVkLXNlY3JldA==';
  const handled: unknown[] = [];
  const receive = createWebhookReceiver({
    authentication: [hmac({ scheme, secrets: () => secret })],
    store: createMemoryIdempotencyStore(),
    envelope: readDataEnvelope,
    events: { 'call.completed': { 1: z.object({ callId: z.string() }) } },
    on: {
      'call.completed': ({ id, version, payload }) => {
        handled.push([id, version, payload]);
      },
    },
  });
  await using server = await listening(createServer(webhook(receive)));
  // The receiver holds signed times against the machine's clock.
  const destination = { name: 'receiver', url: `${server.url}/hook/voice-events/v1`, version: 1 };
  await using under = openOutbox({
    destinations: [{ ...destination, signing: { secrets: () => [secret], scheme } }],
  });

  const published = await under.outbox.publish({
    event: callCompleted,
    payload: { callId: 'CA1' },
    idempotencyKey: 'CA1:completed',
    confirmWithinMs: 5_000,
  });

  expect(published).toEqual({ status: 'delivered', destinations: { receiver: 'delivered' } });
  expect(handled).toEqual([['CA1:completed', '1', { callId: 'CA1' }]]);
});
