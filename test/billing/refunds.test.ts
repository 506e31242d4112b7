import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { apiKey, bearer } from '../../src/auth/index.ts';
import {
  type BillingClient,
  type BillingConnection,
  billingFrom,
  createBillingClient,
  type OwnRefund,
} from '../../src/billing/index.ts';
import { stripe } from '../../src/billing/stripe/index.ts';
import { InvalidArgumentError, UnexpectedResponseError } from '../../src/core/errors.ts';
import { createFakePlatform, type FakePlatform, testCredentials } from '../../src/dev/testing/index.ts';
import { createApiClient } from '../../src/index.ts';

/** Gives what a promise rejects with. */
const answerOf = <T>(promise: Promise<T>): Promise<unknown> => promise.catch((error: unknown) => error);

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

interface Shop {
  readonly platform: FakePlatform;
  readonly billing: BillingClient;
  /** The id of the payment of `inv_1`, over 120.50. */
  readonly paymentId: string;
  /** A second process of the same application. */
  readonly other: BillingClient;
}

const limits = { payments: { below: 500, refund: { below: 300 } } } as const;
const quick = { backoff: { minimumMs: 0, maximumMs: 0 }, retryBudget: false, circuit: false } as const;

const seed = ({ billing }: FakePlatform): void => {
  billing.addCustomer({ id: 'cus_1', phone: '+14155550100' });
  billing.addCustomer({ id: 'cus_2', phone: '+14155550199' });
  billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 120.5, currency: 'EUR' });
  billing.addInvoice({ id: 'inv_2', customer_id: 'cus_2', amount: 900, currency: 'EUR' });
};

const overDefault = async (own: Partial<BillingConnection> = {}): Promise<Shop> => {
  const platform = createFakePlatform();
  seed(platform);
  const { id } = platform.billing.addPayment({ id: 'pay_1', invoice_id: 'inv_1' });
  platform.billing.addPayment({ id: 'pay_2', invoice_id: 'inv_2' });
  const { billing: url } = await platform.listen();
  open.push(platform);
  const make = () =>
    createBillingClient({
      baseUrl: url,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
      currency: 'EUR',
      ...quick,
      ...limits,
      ...own,
    });
  return { platform, billing: make(), other: make(), paymentId: id };
};

const overStripe = async (): Promise<Shop> => {
  const platform = createFakePlatform({ billing: { dialect: 'stripe', searchDelayMs: 0 } });
  seed(platform);
  platform.billing.addPayment({ invoice_id: 'inv_1' });
  platform.billing.addPayment({ invoice_id: 'inv_2' });
  const { billing: url } = await platform.listen();
  open.push(platform);
  const make = () =>
    createBillingClient({
      ...stripe({ currency: 'EUR' }),
      baseUrl: `${url}/v1`,
      authenticate: bearer(() => testCredentials.billing),
      ...quick,
      ...limits,
    });
  return { platform, billing: make(), other: make(), paymentId: 'pi_inv_1_0' };
};

/** `failed` and `canceled` are `declined` there. */
const toOwn = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (name, one) =>
    name === 'status' && /^(failed|canceled)$/.test(one) ? 'declined' : one,
  );

/** The default fake through functions, as a billing API of one's own. */
const overFunctions = async (refund?: (status: OwnRefund['status']) => OwnRefund): Promise<Shop> => {
  const shop = await overDefault();
  const { billing: url } = await shop.platform.listen();
  const make = () => {
    const shopApi = createApiClient({
      name: 'shop',
      baseUrl: url,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
      idempotency: 'key',
      ...quick,
      endpoints: {
        payments: {
          method: 'GET',
          path: '/payments',
          query: z.object({ customer_id: z.string(), invoice_id: z.string().optional() }),
          returns: (json: unknown) => toOwn(Object(json).data),
        },
        sendRefund: {
          method: 'POST',
          path: '/refunds',
          effect: 'payment',
          body: z.looseObject({ payment_id: z.string(), amount: z.number() }),
          returns: (json: unknown): { readonly status: OwnRefund['status'] } => Object(json),
        },
      },
    });
    return createBillingClient({
      ...billingFrom(shopApi, {
        currency: 'EUR',
        findByPhone: async () => [],
        listOpen: async () => [],
        listPayments: async (by, api) => api.payments({ ...by }),
        refund: async ({ minor_amount: _minor, ...order }, api) => {
          const { status } = await api.sendRefund({ body: order });
          return refund?.(status) ?? { status };
        },
      }),
      ...limits,
    });
  };
  return { ...shop, billing: make(), other: make() };
};

const asked = ({ paymentId }: Shop, amount = 20) => ({
  customer_id: 'cus_1',
  invoice_id: 'inv_1',
  payment_id: paymentId,
  amount,
});

describe.each([
  ['the default API', overDefault],
  ['Stripe', overStripe],
  ['functions', overFunctions],
] as const)('payments of %s', (name, start) => {
  test('are listed with their refunds, the customer’s own alone', async () => {
    const shop = await start();
    shop.platform.billing.addRefund({ payment_id: shop.paymentId, amount: 10 });
    shop.platform.billing.addRefund({ payment_id: shop.paymentId, amount: 5, status: 'failed' });
    const { data, total } = await shop.billing.payments.list({ customer_id: 'cus_1' });

    expect(total).toBe(1);
    expect(data).toMatchObject([{ id: shop.paymentId, invoice_id: 'inv_1', amount: 120.5, status: 'completed' }]);
    expect(data[0]?.created_at).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(data[0]?.refunds?.map(({ amount }) => amount).toSorted()).toEqual([10, 5]);
    expect((await shop.billing.payments.list({ customer_id: 'cus_1', invoice_id: 'inv_1' })).data).toHaveLength(1);
    const strange = await answerOf(shop.billing.payments.list({ customer_id: 'cus_1', invoice_id: 'inv_2' }));
    expect(strange).toMatchObject({ data: [] });
  });

  test('are given back in parts, up to what was paid', async () => {
    const shop = await start();
    const { refund } = shop.billing.payments;

    expect(await refund(asked(shop, 20))).toMatchObject({ amount: 20, status: 'completed' });
    expect(await refund(asked(shop, 100.5))).toMatchObject({ amount: 100.5, status: 'completed' });
    await expect(refund(asked(shop, 0.01))).rejects.toMatchObject({ field: 'amount', outcome: 'not_sent' });
    expect(shop.platform.billing.refunds.map(({ amount }) => amount)).toEqual([20, 100.5]);
  });

  test('count refunds that a colleague made there, pending ones too, and not those that failed', async () => {
    const shop = await start();
    const { billing } = shop.platform;
    billing.addRefund({ payment_id: shop.paymentId, amount: 60, status: 'pending' });
    billing.addRefund({ payment_id: shop.paymentId, amount: 60, status: 'canceled' });

    await expect(shop.billing.payments.refund(asked(shop, 60.51))).rejects.toMatchObject({ field: 'amount' });
    expect(await shop.billing.payments.refund(asked(shop, 60.5))).toMatchObject({ status: 'completed' });
  });

  test.each([
    ['above the limit', { amount: 300 }, 'amount'],
    ['of nothing', { amount: 0 }, 'amount'],
    ['of a fraction of a cent', { amount: 0.001 }, 'amount'],
    ['of a payment that is not there', { payment_id: 'pay_9' }, 'payment_id'],
  ])('a refund %s is refused before anything is sent', async (_what, change, field) => {
    const shop = await start();
    const refusal = shop.billing.payments.refund({ ...asked(shop), ...change });

    await expect(refusal).rejects.toMatchObject({ field, outcome: 'not_sent' });
    expect(shop.platform.billing.refunds).toEqual([]);
  });

  test('of another customer are not given back', async () => {
    const shop = await start();
    const strange = {
      customer_id: 'cus_1',
      invoice_id: 'inv_2',
      payment_id: name === 'Stripe' ? 'pi_inv_2_0' : 'pay_2',
    };

    await expect(shop.billing.payments.refund({ ...strange, amount: 5 })).rejects.toMatchObject({
      field: 'payment_id',
    });
    expect(shop.platform.billing.refunds).toEqual([]);
  });

  test('one whose answer was lost is looked up, by another process and in another state too', async () => {
    const shop = await start();
    shop.platform.fault('billing.payments.refund', [{ executeThenDrop: true, times: 4 }]);
    shop.platform.billing.nextRefund('pending');
    const call = { idempotencyKey: 'key-1' };
    await expect(shop.billing.payments.refund(asked(shop, 100), call)).rejects.toMatchObject({ outcome: 'unknown' });

    const writes = () => shop.platform.requests.filter(({ method }) => method === 'POST').length;
    const sent = writes();
    expect(await shop.billing.payments.refund(asked(shop, 100), call)).toMatchObject({
      status: 'pending',
      amount: 100,
    });
    const [made] = shop.platform.billing.refunds;
    shop.platform.billing.settleRefund(made?.id ?? '', 'completed');
    expect(await shop.other.payments.refund(asked(shop, 100), call)).toMatchObject({ status: 'completed' });
    expect(writes()).toBe(sent);
    expect(shop.platform.billing.refunds).toHaveLength(1);
  });

  test('two processes at once do not give back more than was paid', async () => {
    const shop = await start();
    const ends = await Promise.all([
      answerOf(shop.billing.payments.refund(asked(shop, 100))),
      answerOf(shop.other.payments.refund(asked(shop, 90))),
    ]);

    expect(shop.platform.billing.refunds).toHaveLength(1);
    expect(ends.filter((end) => end instanceof Error)).toHaveLength(1);
  });

  test('one key is one refund, five times at once', async () => {
    const shop = await start();
    const call = { idempotencyKey: 'key-5' };
    const clients = [shop.billing, shop.other, shop.billing, shop.other, shop.billing];
    await Promise.all(clients.map((client) => answerOf(client.payments.refund(asked(shop, 30), call))));

    expect(await shop.billing.payments.refund(asked(shop, 30), call)).toMatchObject({ amount: 30 });
    expect(shop.platform.billing.refunds).toHaveLength(1);
  });

  test('a payment that has not arrived has nothing to give back', async () => {
    const shop = await start();
    shop.platform.billing.addInvoice({ id: 'inv_3', customer_id: 'cus_1', amount: 40, currency: 'EUR' });
    const { id } = shop.platform.billing.addPayment({ id: 'pay_3', invoice_id: 'inv_3', status: 'pending' });
    const payment_id = name === 'Stripe' ? 'pi_inv_3_0' : id;
    const pending = { customer_id: 'cus_1', invoice_id: 'inv_3', payment_id, amount: 5 };

    const { data } = await shop.billing.payments.list({ customer_id: 'cus_1', invoice_id: 'inv_3' });
    expect(data).toMatchObject([{ id: payment_id, amount: 40 }]);
    await expect(shop.billing.payments.refund(pending)).rejects.toThrow('has not arrived');
  });

  test('nothing is given back without a limit', async () => {
    const shop = await start();
    const { billing: url } = await shop.platform.listen();
    const client = createBillingClient({
      baseUrl: url,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      payments: { below: 500 },
    });
    await expect(client.payments.refund(asked(shop))).rejects.toMatchObject({ field: 'payments.refund' });
  });
});

describe('Stripe', () => {
  test('gets the customer’s request as its reason, never fraud', async () => {
    const shop = await overStripe();
    await shop.billing.payments.refund(asked(shop), { idempotencyKey: 'key-1' });

    expect(shop.platform.billing.refunds).toMatchObject([
      { reason: 'requested_by_customer', amount: 20, idempotency_key: 'key-1' },
    ]);
    const bodies = JSON.stringify(shop.platform.requests.map(({ body }) => body));
    expect(bodies).not.toContain('fraudulent');
  });

  test('yen have no decimals, and dinars two', async () => {
    for (const [currency, amount, units] of [
      ['JPY', 120, 120],
      ['KWD', 1.5, 1500],
    ] as const) {
      const platform = createFakePlatform({ billing: { dialect: 'stripe' } });
      platform.billing.addCustomer({ id: 'cus_1' });
      platform.billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 200, currency });
      platform.billing.addPayment({ invoice_id: 'inv_1' });
      const { billing: url } = await platform.listen();
      open.push(platform);
      const billing = createBillingClient({
        ...stripe({ currency, baseUrl: `${url}/v1`, key: () => testCredentials.billing }),
        ...limits,
      });
      const refund = { customer_id: 'cus_1', invoice_id: 'inv_1', payment_id: 'pi_inv_1_0', amount };
      expect(await billing.payments.refund(refund)).toMatchObject({ amount, currency });
      expect(platform.requests.at(-1)?.body).toMatchObject({ amount: String(units) });
    }
  });

  test('its refusals are refusals', async () => {
    const shop = await overStripe();
    shop.platform.fault('billing.payments.refund', [{ status: 400 }]);
    await expect(shop.billing.payments.refund(asked(shop))).rejects.toMatchObject({ outcome: 'rejected' });
  });

  test('an invoice in another currency is not given back', async () => {
    const shop = await overStripe();
    shop.platform.billing.addInvoice({ id: 'inv_4', customer_id: 'cus_1', amount: 40, currency: 'USD' });
    shop.platform.billing.addPayment({ invoice_id: 'inv_4' });
    const dollars = { customer_id: 'cus_1', invoice_id: 'inv_4', payment_id: 'pi_inv_4_0', amount: 5 };
    await expect(shop.billing.payments.refund(dollars)).rejects.toThrow('is in USD, and refunds are in EUR');
  });
});

describe('an API that lies', () => {
  /** Answers whatever the test says. */
  const startLiar = async (payment: object, answer: object) => {
    const sent: string[] = [];
    const server = createServer((request, response) => {
      if (request.method === 'POST') sent.push(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.method === 'GET' ? { payments: [payment] } : answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ [Symbol.asyncDispose]: async () => void server.close() });
    const billing = createBillingClient({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      authenticate: apiKey('X-Api-Key', () => 'key'),
      currency: 'EUR',
      ...quick,
      ...limits,
    });
    const refund = () =>
      billing.payments.refund({ customer_id: 'cus_1', invoice_id: 'inv_1', payment_id: 'pay_1', amount: 20 });
    return { sent, refund, billing };
  };
  const payment = {
    id: 'pay_1',
    customer_id: 'cus_1',
    invoice_id: 'inv_1',
    amount: 100,
    status: 'paid',
    amount_refunded: 0,
  };

  test.each([
    ['another amount', { id: 're_1', amount: 200, status: 'succeeded' }],
    ['another payment', { id: 're_1', amount: 20, status: 'succeeded', payment_id: 'pay_2' }],
    ['another currency', { id: 're_1', amount: 20, status: 'succeeded', currency: 'USD' }],
    ['no amount', { id: 're_1', status: 'succeeded' }],
  ])('an answer with %s leaves the refund unknown', async (_what, answer) => {
    const { refund } = await startLiar(payment, answer);
    const error = await refund().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error).toMatchObject({ outcome: 'unknown', idempotencyKey: expect.any(String) });
  });

  test.each([
    ['a payment of someone else', { customer_id: 'cus_2' }, InvalidArgumentError],
    ['a payment of another invoice', { invoice_id: 'inv_2' }, InvalidArgumentError],
    ['a payment without its customer', { customer_id: undefined }, UnexpectedResponseError],
    ['a payment that says nothing of refunds', { amount_refunded: undefined }, UnexpectedResponseError],
    ['a refunded sum that is a word', { amount_refunded: 'none' }, UnexpectedResponseError],
    ['refunds that can’t be read', { refunds: [{ id: 're_1' }] }, UnexpectedResponseError],
    [
      'less in one figure than in the other',
      { refunds: [{ id: 're_1', amount: 90, status: 'pending' }] },
      InvalidArgumentError,
    ],
    ['a word for its state that no one knows', { status: 'zorched' }, InvalidArgumentError],
  ])('%s is not given back', async (_what, change, kind) => {
    const { refund, sent } = await startLiar(
      { ...payment, ...change },
      { id: 're_1', amount: 20, status: 'succeeded' },
    );
    const error = await refund().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ outcome: 'not_sent' });
    expect(sent).toEqual([]);
  });

  test('a list that ignores its conditions shows no one else’s payments', async () => {
    const platform = createFakePlatform({ billing: { invoiceFilter: 'ignored' } });
    seed(platform);
    platform.billing.addPayment({ invoice_id: 'inv_1' });
    platform.billing.addPayment({ invoice_id: 'inv_2' });
    const { billing: url } = await platform.listen();
    open.push(platform);
    const billing = createBillingClient({
      baseUrl: url,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
      ...limits,
    });
    const { data } = await billing.payments.list({ customer_id: 'cus_1' });
    expect(data.map(({ invoice_id }) => invoice_id)).toEqual(['inv_1']);
  });
});

test('a limit that can’t work is refused', () => {
  const connection = { baseUrl: 'https://b.example', authenticate: apiKey('X-Api-Key', () => 'key') };
  const make = (refund: unknown) => () =>
    createBillingClient({ ...connection, payments: { below: 5, refund: refund as { below: number } } });
  for (const refund of [{}, { below: 0 }, { below: Number.NaN }, { below: '5' }, { below: 5, confirm: false }, 5, null])
    expect(make(refund)).toThrow(/payments\.refund/);
  const api = createApiClient({
    ...connection,
    name: 'shop',
    version: 'in-base-url',
    endpoints: { get: { method: 'GET', path: '/x' } },
  });
  const functions = { currency: 'EUR', findByPhone: async () => [], listOpen: async () => [] };
  expect(() =>
    createBillingClient({ ...billingFrom(api, functions), payments: { below: 5, refund: { below: 5 } } }),
  ).toThrow('payments.refund needs listPayments and refund of billingFrom');
  expect(() => billingFrom(api, { ...functions, refund: async () => ({ status: 'completed' }) })).toThrow(
    'refund needs listPayments',
  );
});

describe('a word that functions don’t have', () => {
  const own = (payment: object, refund: object) => {
    const api = createApiClient({
      name: 'shop',
      baseUrl: 'https://shop.example',
      authenticate: bearer(() => 'x'),
      version: 'in-base-url',
      idempotency: 'key',
      transport: async () => ({ status: 200, headers: new Map(), text: '{}' }),
      endpoints: { send: { method: 'POST', path: '/refunds', effect: 'payment' } },
    });
    return createBillingClient({
      ...billingFrom(api, {
        currency: 'EUR',
        findByPhone: async () => [],
        listOpen: async () => [],
        listPayments: async () => [
          { id: 'p', invoice_id: 'i', amount: 50, status: 'completed', refunds: [], ...payment },
        ],
        refund: async (_order, bound) => {
          await bound.send();
          return refund as OwnRefund;
        },
      }),
      ...limits,
    }).payments.refund({ customer_id: 'c', invoice_id: 'i', payment_id: 'p', amount: 5 });
  };

  test.each(['no-such-word', 'Completed', '', null, 0])('%j is refused', async (status) => {
    await expect(own({ status }, { status: 'completed' })).rejects.toThrow('listPayments');
    const refunds = [{ id: 'r', amount: 5, status }];
    await expect(own({ refunds }, { status: 'completed' })).rejects.toThrow('listPayments');
    await expect(own({}, { status })).rejects.toMatchObject({ outcome: 'unknown' });
  });

  test('one that they have is taken', async () => {
    expect(await own({}, { status: 'pending' })).toMatchObject({ status: 'pending', amount: 5 });
  });
});
