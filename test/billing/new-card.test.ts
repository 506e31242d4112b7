/** The files of docs/new-card.md, against a fake Stripe and fakes of the pay tools. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { cardPage } from '../../examples/recipes/card-page.ts';
import { keepCard, newCardOrOnFile } from '../../examples/recipes/save-card.ts';
import * as telnyx from '../../examples/recipes/telnyx-pay.ts';
import * as twilio from '../../examples/recipes/twilio-pay.ts';
import { stripe } from '../../src/billing/stripe/index.ts';
import { assertOn, createFakePlatform, testCredentials } from '../../src/dev/testing/index.ts';
import { createIntegration } from '../../src/index.ts';

/** Ada has a card on file that is declined, and owes 80. */
const start = async () => {
  const platform = createFakePlatform({ billing: { dialect: 'stripe', searchDelayMs: 0 } });
  platform.billing.addCustomer({
    id: 'cus_ada',
    phone: '+14155550100',
    default_payment_method: 'pm_card_chargeDeclinedExpiredCard',
  });
  platform.billing.addCustomer({ id: 'cus_bob', phone: '+14155550199' });
  platform.billing.addInvoice({ id: 'in_1', customer_id: 'cus_ada', amount: 80 });
  const { billing: url } = await platform.listen();
  const integration = createIntegration({
    billing: stripe({ currency: 'EUR', baseUrl: `${url}/v1`, key: () => testCredentials.billing }),
    payments: { card: newCardOrOnFile, below: 500, confirm: false },
  });
  const pay = async (callId: string) => {
    const { tools } = integration.startPhoneCall({ callId, phone: '+14155550100' });
    await tools.run('lookup_customer_invoices', {});
    return tools.run('create_payment', { invoice_id: 'in_1', amount: 80 });
  };
  return { platform, billing: integration.billing, pay, [Symbol.asyncDispose]: () => platform.close() };
};

/** The form that Twilio posts to `action` once `<Pay>` is over. Source: twilio.com/docs/voice/twiml/pay. */
const afterPay = (twiml: string, fields: Readonly<Record<string, string>>): URLSearchParams => {
  // Any amount would charge the card instead of returning a method.
  expect(twiml).not.toMatch(/chargeAmount/);
  expect(/<Pay [^>]*tokenType="payment-method"/.test(twiml)).toBe(true);
  return new URLSearchParams({
    CallSid: 'CA7',
    PaymentCardNumber: 'xxxxxxxxxxxx4242',
    PaymentCardType: 'visa',
    ExpirationDate: '1230',
    PaymentMethod: 'credit-card',
    ...fields,
  });
};

const relay = { customer: 'cus_ada', relay: 'wss://agent.example.com' };

describe('Twilio’s <Pay>', () => {
  test('brings a card that pays, in this phone call alone', async () => {
    await using shop = await start();
    expect(await shop.pay('CA6')).toMatchObject({ status: 'refused' });
    const form = afterPay(twilio.askForCard('/card'), { Result: 'success', PaymentToken: 'pm_new' });
    expect(await twilio.cardTaken(form, shop.billing, relay)).toContain(
      '<ConversationRelay url="wss://agent.example.com"/>',
    );
    // The webhook comes twice.
    await twilio.cardTaken(form, shop.billing, relay);

    expect(await shop.pay('CA7')).toMatchObject({ status: 'done' });
    expect(assertOn(shop.platform).paidOnce({ invoiceId: 'in_1' }).payment_method_id).toBe('pm_new');
    expect(newCardOrOnFile({ id: 'cus_bob' }, { callId: 'CA7' })).toBeUndefined();
    expect(newCardOrOnFile({ id: 'cus_ada' }, { callId: 'CA8' })).toBeUndefined();
  });

  test.each([
    ['*', { Result: 'caller-interrupted-with-star' }],
    ['too many mistakes', { Result: 'too-many-failed-attempts' }],
    ['a connector that fails', { Result: 'payment-connector-error', PaymentError: 'no' }],
    ['a hang-up', { Result: 'caller-hung-up' }],
    ['a token of another kind', { Result: 'success', PaymentToken: 'tok_visa' }],
    ['a success without a token', { Result: 'success' }],
  ])('after %s nothing is attached, and the agent goes on', async (_what, fields) => {
    await using shop = await start();
    const form = afterPay(twilio.askForCard('/card'), fields as Record<string, string>);
    expect(await twilio.cardTaken(form, shop.billing, relay)).toContain('<ConversationRelay');
    expect(shop.platform.effects('billing.paymentMethods.attach')).toBe(0);
  });

  test('a method that isn’t attached is refused by Stripe, and another customer’s is not taken', async () => {
    await using shop = await start();
    const { payments } = shop.billing;
    const payment = { customer_id: 'cus_ada', invoice_id: 'in_1', amount: 80, payment_method_id: 'pm_loose' };
    await expect(payments.create(payment)).rejects.toMatchObject({ outcome: 'rejected' });
    await keepCard(shop.billing, 'CA9', 'cus_bob', 'pm_bob');
    await expect(keepCard(shop.billing, 'CA9', 'cus_ada', 'pm_bob')).rejects.toMatchObject({ status: 400 });
    expect(newCardOrOnFile({ id: 'cus_ada' }, { callId: 'CA9' })).toBeUndefined();
  });
});

describe('Telnyx’s pay', () => {
  const completed = (payload: object) => ({
    data: { event_type: 'call.payment.completed', payload: { call_control_id: 'v3:7', ...payload } },
  });

  test('asks for a token and no charge, and its card pays', async () => {
    await using shop = await start();
    const asked: unknown[] = [];
    const server = createServer(async (request, response) => {
      asked.push([request.method, request.url, request.headers.authorization, JSON.parse(await text(request))]);
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: { result: 'ok' } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await telnyx.askForCard('v3:7', 'KEY', api)).ok).toBe(true);
    server.close();
    expect(asked).toEqual([
      [
        'POST',
        '/v2/calls/v3%3A7/actions/pay',
        'Bearer KEY',
        { connector_name: 'mine', transaction_type: 'tokenize', command_id: 'card v3:7' },
      ],
    ]);
    expect(await telnyx.cardTaken(completed({ result: 'success', token_id: 'pm_t' }), shop.billing, 'cus_ada')).toBe(
      true,
    );
    expect(await shop.pay('v3:7')).toMatchObject({ status: 'done' });
  });

  test.each([
    completed({ result: 'cancelled' }),
    completed({ result: 'internal-error', token_id: 'pm_t' }),
    completed({ result: 'success' }),
    { data: { event_type: 'call.payment.progress', payload: { result: 'success', token_id: 'pm_t' } } },
    {},
    null,
  ])('%j brings no card', async (event) => {
    await using shop = await start();
    expect(await telnyx.cardTaken(event, shop.billing, 'cus_ada')).toBe(false);
    expect(shop.platform.effects('billing.paymentMethods.attach')).toBe(0);
  });
});

test('a page of Checkout saves a card for this customer, and charges nothing', async () => {
  await using shop = await start();
  expect(await cardPage(shop.billing, 'cus_ada', 'CA1')).toBe('https://checkout.stripe.com/c/pay/cs_test_cus_ada');
  expect(shop.platform.requests.at(-1)?.body).toMatchObject({ mode: 'setup', customer: 'cus_ada' });
  await expect(cardPage(shop.billing, 'cus_none', 'CA1')).rejects.toMatchObject({ status: 400 });
  assertOn(shop.platform).paidNothing();
});
