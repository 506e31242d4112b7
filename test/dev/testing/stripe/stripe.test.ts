import { describe, expect, test } from 'vitest';
import {
  assertOn,
  createFakePlatform,
  type FakeStripeOptions,
  testCredentials,
} from '../../../../src/dev/testing/index.ts';

const open = (options: Omit<FakeStripeOptions, 'dialect'> = {}) => {
  const platform = createFakePlatform({ billing: { dialect: 'stripe', ...options } });
  platform.billing.addCustomer({ id: 'cus_1', email: 'ada@example.com', phone: '+14155550100' });
  platform.billing.addCustomer({ id: 'cus_2', default_payment_method: 'pm_2' });
  platform.billing.addInvoice({ id: 'in_isk', customer_id: 'cus_1', amount: 500.5, currency: 'ISK' });
  platform.billing.addInvoice({ id: 'in_1', customer_id: 'cus_1', amount: 120.5 });
  platform.billing.addInvoice({ id: 'in_paid', customer_id: 'cus_1', amount: 80, status: 'paid' });
  const send = (line: string, body = '', headers: Readonly<Record<string, string>> = {}) => {
    const [method = '', url = ''] = line.split(' ');
    const answer = platform.handle('billing', {
      method,
      url,
      body,
      headers: {
        authorization: `Bearer ${testCredentials.billing}`,
        'stripe-version': '2026-10-28.endive',
        ...(body && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
    });
    return { ...answer, json: JSON.parse(answer.body) as { error?: object; data?: object[] } & object };
  };
  return { platform, send };
};

const refundOfPaid = 'POST /v1/refunds';
const pay = 'POST /v1/invoices/in_1/pay';
const card = 'payment_method=pm_card_visa';

describe('the fake account of Stripe', () => {
  test.each<
    [what: string, line: string, body: string, headers: Readonly<Record<string, string>>, status: number, error: object]
  >([
    ['no key', 'GET /v1/customers', '', { authorization: '' }, 401, { type: 'invalid_request_error' }],
    [
      'no version',
      'GET /v1/customers',
      '',
      { 'stripe-version': '' },
      400,
      { message: expect.stringContaining('version') },
    ],
    [
      'JSON',
      pay,
      '{}',
      { 'content-type': 'application/json' },
      400,
      { message: expect.stringContaining('form-urlencoded') },
    ],
    ['a parameter that it does not know', pay, 'amount=1', {}, 400, { code: 'parameter_unknown', param: 'amount' }],
    ['a parameter with brackets that it does not know', pay, 'a[b]=1', {}, 400, { param: 'a' }],
    [
      'a parameter that is missing',
      'GET /v1/customers/search',
      '',
      {},
      400,
      { code: 'parameter_missing', param: 'query' },
    ],
    ['an object for a text', pay, 'payment_method[id]=pm_1', {}, 400, { param: 'payment_method' }],
    ['an invoice that is not there', 'GET /v1/invoices/in_9', '', {}, 404, { code: 'resource_missing' }],
    ['a payment method that is none', pay, 'payment_method=4242', {}, 400, { code: 'resource_missing' }],
    ['a payment method that is not there', pay, 'payment_method=pm_9', {}, 400, { code: 'resource_missing' }],
    [
      "another customer's payment method",
      pay,
      'payment_method=pm_2',
      {},
      400,
      { code: 'resource_missing', message: expect.stringContaining('must be attached to the customer') },
    ],
    ['no boolean', pay, 'off_session=maybe', {}, 400, { param: 'off_session', message: 'Invalid boolean: maybe' }],
    ['what cannot be expanded', 'GET /v1/invoices/in_1?expand[]=owner', '', {}, 400, { param: 'expand' }],
    ['part of a krona', 'POST /v1/invoices/in_isk/pay', card, {}, 400, { code: 'invalid_charge_amount' }],
    ['another path', 'GET /v1/payouts', '', {}, 404, { message: 'Unrecognized request URL (GET: /v1/payouts).' }],
    ['a refund of nothing', 'POST /v1/refunds', '', {}, 400, { code: 'parameter_missing' }],
    ['a refund of what is not paid', 'POST /v1/refunds', 'payment_intent=pi_in_1_0', {}, 400, {}],
    ['a reason that is none', refundOfPaid, 'payment_intent=pi_in_paid_0&reason=angry', {}, 400, { param: 'reason' }],
    [
      'a refund above the payment',
      refundOfPaid,
      'payment_intent=pi_in_paid_0&amount=999999',
      {},
      400,
      { param: 'amount' },
    ],
    [
      'an account that is not connected',
      'GET /v1/customers',
      '',
      { 'stripe-account': 'acct_9' },
      403,
      { code: 'account_invalid' },
    ],
    [
      'AND with OR',
      "GET /v1/customers/search?query=email:'a'+AND+phone:'b'+OR+name:'c'",
      '',
      {},
      400,
      { param: 'query' },
    ],
    ['a field that cannot be searched', "GET /v1/customers/search?query=balance:'1'", '', {}, 400, { param: 'query' }],
  ])('refuses %s', (_, line, body, headers, status, error) => {
    const { platform, send } = open();
    const answer = send(line, body, headers);

    expect([answer.status, answer.json.error]).toMatchObject([status, error]);
    expect(answer.headers['request-id']).toMatch(/^req_/);
    assertOn(platform).paidNothing();
  });

  test('keeps the first answer under a key for 24 hours, and refuses other parameters', () => {
    const { platform, send } = open();
    const key = { 'idempotency-key': 'one' };

    const first = send(pay, card, key);
    const second = send(pay, card, key);
    const other = send(pay, 'payment_method=pm_card_mastercard', key);

    expect([second.status, second.body, second.headers['idempotent-replayed']]).toEqual([200, first.body, 'true']);
    expect([other.status, other.json.error]).toMatchObject([400, { type: 'idempotency_error' }]);
    assertOn(platform).paidOnce('one');
    assertOn(platform).didOnce('billing.payments.create', { idempotencyKey: 'one' });
  });

  test('keeps its own failures too, but not what it refused before it began', () => {
    const { platform, send } = open();
    const statusOf = (body: string, key: string) => send(pay, body, { 'idempotency-key': key }).status;

    expect([statusOf('nonsense=1', 'one'), statusOf('payment_method=pm_card_chargeDeclined', 'one')]).toEqual([
      400, 402,
    ]);
    platform.fault('billing.payments.create', [{ status: 500, executed: true }]);
    expect([statusOf(card, 'two'), statusOf(card, 'two'), statusOf(card, 'three')]).toEqual([500, 500, 400]);
    expect(send('GET /v1/invoices/in_1').json).toMatchObject({ status: 'paid', amount_paid: 12_050 });
  });

  test('does not find a new customer by a search, and finds them in the list', () => {
    const { platform, send } = open();
    const created = Math.floor(Date.now() / 1_000);
    platform.billing.addCustomer({ id: 'cus_3', email: 'bob@example.com', created });

    expect(send("GET /v1/customers/search?query=email:'bob@example.com'").json.data).toEqual([]);
    expect(send("GET /v1/customers/search?query=email:'ada@example.com'").json.data).toMatchObject([{ id: 'cus_1' }]);
    expect(send('GET /v1/customers?email=bob%40example.com').json.data).toMatchObject([{ id: 'cus_3', created }]);
    expect(send('GET /v1/customers?email=Bob%40example.com').json.data).toEqual([]);
  });

  test("charges a customer's own payment method, where none is named", () => {
    const { platform, send } = open();
    platform.billing.addInvoice({ id: 'in_2', customer_id: 'cus_2', amount: 5 });

    expect(send('GET /v1/customers/cus_2').json).toMatchObject({
      invoice_settings: { default_payment_method: 'pm_2' },
    });
    expect(send('POST /v1/invoices/in_2/pay').status).toBe(200);
    expect(platform.billing.payments).toMatchObject([{ payment_method_id: 'pm_2' }]);
  });

  test('answers 429 over 20 searches a second', () => {
    const { send } = open();
    const search = () => send("GET /v1/customers/search?query=name:'Ada'").status;

    expect(Array.from({ length: 21 }, search)).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
    expect(send('GET /v1/customers').status).toBe(200);
  });

  test('answers 429 over its rate limit', () => {
    const { send } = open({ rateLimit: { limit: 1, perMs: 60_000 } });

    expect(send('GET /v1/customers').status).toBe(200);
    expect(send('GET /v1/customers')).toMatchObject({ status: 429, json: { error: { code: 'rate_limit' } } });
  });
});
