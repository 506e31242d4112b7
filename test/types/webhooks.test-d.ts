import { expectTypeOf, test } from 'vitest';
import { createMemoryIdempotencyStore } from 'voice-agent-integrations/stores/memory';
import {
  type AcceptedEvent,
  createWebhookReceiver,
  hmac,
  messagingEvents,
  notificationEvents,
  type PaymentConfirmed,
} from 'voice-agent-integrations/webhooks';
import * as z from 'zod';

const options = { authentication: [hmac({ secrets: () => 'secret' })], store: createMemoryIdempotencyStore() };

test('a handler is given what its schema makes', () => {
  createWebhookReceiver({
    ...options,
    events: {
      paid: z.object({ amount: z.coerce.number() }),
      'payment.confirmed': notificationEvents['payment.confirmed'],
    },
    on: {
      paid: ({ type, version, payload }) => {
        expectTypeOf(type).toEqualTypeOf<'paid'>();
        expectTypeOf(version).toEqualTypeOf<undefined>();
        expectTypeOf(payload).toEqualTypeOf<{ amount: number }>();
      },
      'payment.confirmed': ({ payload }) => {
        expectTypeOf(payload).toEqualTypeOf<PaymentConfirmed>();
      },
    },
    rules: { paid: [({ payload }) => (payload.amount > 5 ? 'too much' : undefined)] },
  });
});

test('an event of several versions is narrowed by its version', () => {
  createWebhookReceiver({
    ...options,
    events: { rated: { 1: z.object({ stars: z.number() }), 2: z.object({ score: z.number() }) } },
    on: {
      rated: (event) => {
        if (event.version === '1') expectTypeOf(event.payload).toEqualTypeOf<{ stars: number }>();
        else expectTypeOf(event.payload).toEqualTypeOf<{ score: number }>();
      },
    },
  });
});

test('every event has a handler, and no other has one', () => {
  createWebhookReceiver({
    ...options,
    events: { paid: z.object({}), due: z.object({}) },
    // @ts-expect-error no handler for `due`
    on: { paid: () => {} },
  });
  createWebhookReceiver({
    ...options,
    events: { paid: z.object({}) },
    // @ts-expect-error there is no event `due`
    on: { paid: () => {}, due: () => {} },
  });
});

test('messaging events are those that were asked for', () => {
  createWebhookReceiver({
    ...options,
    ...messagingEvents(['conversation.replied']),
    on: {
      'conversation.replied': ({ payload }) => {
        expectTypeOf(payload.actor).toEqualTypeOf<{ readonly type: string; readonly id: string } | undefined>();
        expectTypeOf(payload.contactIds).toEqualTypeOf<readonly string[]>();
      },
    },
  });
});

test('an engine of your own gets what its worker handles', () => {
  const receive = createWebhookReceiver({
    ...options,
    events: {},
    on: {},
    send: async (event) => {
      expectTypeOf(event).toEqualTypeOf<AcceptedEvent>();
      await receive.handle(event);
    },
  });
});
