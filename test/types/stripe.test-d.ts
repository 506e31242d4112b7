import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { type BillingOptions, type Invoice } from '../../src/billing/index.ts';
import {
  stripe,
  stripeEvents,
  type StripePaymentEvent,
  type StripePreset,
  stripeSignature,
} from '../../src/billing/stripe/index.ts';
import type { Credential } from '../../src/http/credential.ts';
import { createIntegration } from '../../src/integration.ts';
import { createFakePlatform } from '../../src/dev/testing/index.ts';
import { messageTemplate, paymentPage } from '../../src/tools/index.ts';
import { createWebhookReceiver, hmac, type IdempotencyStore } from '../../src/webhooks/index.ts';

declare const authenticate: Credential;
declare const store: IdempotencyStore;

test('the preset is options of a billing client, and what comes after it wins', () => {
  expectTypeOf(stripe({ currency: 'EUR' })).toEqualTypeOf<StripePreset>();
  const options = { ...stripe({ currency: 'EUR', account: 'acct_1' }), authenticate };
  expectTypeOf(options).toExtend<BillingOptions>();
  createIntegration({ billing: { ...options, attempts: 2 } });
  // @ts-expect-error: the currency of payments is not known
  stripe({});
  // @ts-expect-error: what may be paid is next to billing
  createIntegration({ billing: { ...options, payments: { below: 2000 } } });
});

test('the page of an invoice is sent by a function of yours', () => {
  paymentPage(({ url, invoiceId }) => {
    expectTypeOf(url).toEqualTypeOf<string>();
    expectTypeOf(invoiceId).toEqualTypeOf<string>();
    return url;
  });
  messageTemplate({
    fields: z.object({ day: z.iso.date(), seats: z.number().optional() }),
    text: ({ day, seats }) => {
      expectTypeOf(day).toEqualTypeOf<string>();
      expectTypeOf(seats).toEqualTypeOf<number | undefined>();
      return day;
    },
  });
  // @ts-expect-error: its text is what says something
  messageTemplate({ fields: z.object({}) });
});

test('an event has what its name says', () => {
  createWebhookReceiver({
    ...stripeEvents(['invoice.paid', 'payment_intent.succeeded']),
    authentication: [hmac({ scheme: stripeSignature, secrets: () => 'whsec_1' })],
    store,
    on: {
      'invoice.paid': ({ payload }) => expectTypeOf(payload.invoice).toEqualTypeOf<Invoice>(),
      'payment_intent.succeeded': ({ payload }) => expectTypeOf(payload).toEqualTypeOf<StripePaymentEvent>(),
    },
  });
  // @ts-expect-error: there is no such event
  stripeEvents(['invoice.payed']);
});

test('the fake platform can be an account of Stripe', () => {
  createFakePlatform({ billing: 'stripe' });
  createFakePlatform({ billing: { dialect: 'stripe', searchDelayMs: 0, account: 'acct_1' } });
  // @ts-expect-error: Stripe's account decides by test payment methods
  createFakePlatform({ billing: { dialect: 'stripe', paymentRule: () => 'completed' } });
});
