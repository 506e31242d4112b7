import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { stripeEvents, type StripeEventName, stripeSignature } from '../../../src/billing/stripe/index.ts';
import { forgedWebhooks, signedWebhook } from '../../../src/dev/testing/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { createWebhookReceiver, hmac } from '../../../src/webhooks/index.ts';

const invoice = {
  id: 'in_1',
  object: 'invoice',
  customer: 'cus_1',
  status: 'paid',
  currency: 'eur',
  amount_remaining: 0,
  amount_paid: 12_050,
};
const intent = { id: 'pi_1', amount: 500, currency: 'jpy', status: 'succeeded', customer: { id: 'cus_1' } };

const event = (type: string, object: object, more: object = {}) => ({
  id: 'evt_1',
  object: 'event',
  type,
  created: Math.floor(Date.now() / 1000),
  livemode: true,
  data: { object },
  ...more,
});

const secret = 'whsec_current';
const names: readonly StripeEventName[] = ['invoice.paid', 'payment_intent.succeeded', 'payment_intent.payment_failed'];

const startReceiver = () => {
  const handled: object[] = [];
  const handler = ({ id, payload }: { id: string; payload: object }) => void handled.push({ id, ...payload });
  const receive = createWebhookReceiver({
    ...stripeEvents(names),
    authentication: [hmac({ scheme: stripeSignature, secrets: [() => secret, () => 'whsec_previous'] })],
    store: createMemoryIdempotencyStore(),
    on: Object.fromEntries(names.map((name) => [name, handler])) as Record<StripeEventName, typeof handler>,
  });
  const deliver = async ({ body, headers }: { body: string; headers: Readonly<Record<string, string>> }) =>
    (await receive(new Request('https://agent.test/stripe', { method: 'POST', body, headers }))).status;
  return {
    handled,
    deliver,
    sign: (body: object, as = secret) => signedWebhook({ body, secret: as, scheme: stripeSignature }),
  };
};

describe('a webhook of Stripe', () => {
  test('is handled once, with amounts in the main unit', async () => {
    const { handled, deliver, sign } = startReceiver();
    const paid = sign(event('invoice.paid', invoice, { account: 'acct_7' }));

    expect([await deliver(paid), await deliver(paid)]).toEqual([204, 204]);
    expect(handled).toMatchObject([
      {
        id: 'evt_1',
        account: 'acct_7',
        livemode: true,
        invoice: { id: 'in_1', amount: 0, currency: 'EUR', customer_id: 'cus_1' },
      },
    ]);
  });

  test('says on which day an invoice is due where the business is', () => {
    const { events } = stripeEvents(['invoice.paid'], { timeZone: 'America/Los_Angeles' });
    const due = event('invoice.paid', { ...invoice, due_date: 1_801_468_799 });

    expect(events['invoice.paid']['~standard'].validate(due)).toMatchObject({
      value: { invoice: { due_date: '2027-01-31' } },
    });
    expect(() => stripeEvents(['invoice.paid'], { timeZone: 'Mars/Olympus' })).toThrow(/^timeZone must be/);
  });

  test.each([
    [{ message: 'Your card was declined.', decline_code: null }, { error_message: 'Your card was declined.' }],
    [{ message: null, decline_code: 'lost_card' }, { decline_code: 'lost_card' }],
    [{ message: null, decline_code: null }, {}],
    [{}, {}],
    [null, {}],
  ])('says of a failure what it knows: %j', (last_payment_error, known) => {
    const { events } = stripeEvents(['payment_intent.payment_failed']);
    const failed = event('payment_intent.payment_failed', { ...intent, last_payment_error });

    expect(events['payment_intent.payment_failed']['~standard'].validate(failed)).toEqual({
      value: {
        account: undefined,
        livemode: true,
        payment: {
          id: 'pi_1',
          amount: 500,
          currency: 'JPY',
          status: 'succeeded',
          customer_id: 'cus_1',
          error_message: undefined,
          decline_code: undefined,
          ...known,
        },
      },
    });
  });

  test('reports payments, and why one failed', async () => {
    const { handled, deliver, sign } = startReceiver();
    const failed = {
      ...intent,
      status: 'requires_payment_method',
      last_payment_error: { message: 'Your card was declined.', decline_code: 'lost_card' },
    };

    await deliver(sign(event('payment_intent.succeeded', intent)));
    await deliver(sign(event('payment_intent.payment_failed', failed, { id: 'evt_2' })));

    const payment = { id: 'pi_1', amount: 500, currency: 'JPY', customer_id: 'cus_1' };
    expect(handled).toMatchObject([
      { payment: { ...payment, status: 'succeeded' } },
      { payment: { ...payment, error_message: 'Your card was declined.', decline_code: 'lost_card' } },
    ]);
  });

  test('that is not wanted is acknowledged, and one that cannot be read is refused', async () => {
    const { handled, deliver, sign } = startReceiver();

    expect(await deliver(sign(event('customer.created', { id: 'cus_1' })))).toBe(204);
    expect(await deliver(sign(event('invoice.paid', { id: 'in_1' })))).toBe(422);
    expect(await deliver(sign({ object: 'list' }))).toBe(422);
    expect(handled).toEqual([]);
  });

  test.each(forgedWebhooks({ secret, scheme: stripeSignature, body: event('invoice.paid', invoice) }))(
    'is refused when it is $forgery',
    async (webhook) => {
      const { handled, deliver } = startReceiver();

      expect(await deliver(webhook)).toBe(401);
      expect(handled).toEqual([]);
    },
  );

  test('is taken while a secret is rolled, when one of several signatures fits', async () => {
    const { handled, deliver } = startReceiver();
    const body = JSON.stringify(event('invoice.paid', invoice));
    const at = Math.floor(Date.now() / 1000);
    const v1 = (key: string) => `v1=${createHmac('sha256', key).update(`${at}.${body}`).digest('hex')}`;
    const header = (...entries: readonly string[]) => ({
      'content-type': 'application/json',
      'stripe-signature': [`t=${at}`, ...entries].join(','),
    });

    expect(await deliver({ body, headers: header(v1('whsec_other'), 'v0=6ffbb59b', v1('whsec_previous')) })).toBe(204);
    expect(await deliver({ body, headers: header(v1('whsec_other'), v1(secret).replace('v1', 'v0')) })).toBe(401);
    expect(handled).toHaveLength(1);
  });
});
