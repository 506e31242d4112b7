import { AssertionError } from 'node:assert';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { apiKey } from '../../../src/auth/index.ts';
import {
  checksOfBilling,
  createFakePlatform,
  type FakePlatformOptions,
  type FakeRequest,
  testCredentials,
} from '../../../src/dev/testing/index.ts';
import type { Handled } from '../../../src/dev/testing/fake-request.ts';
import { serve } from '../../support/serve.ts';
import * as timers from '../../../src/core/timers.ts';

type Answer = (request: FakeRequest) => Handled;
type FlawedAnswer = (request: FakeRequest) => Handled | Promise<Handled>;

/** A billing API that keeps the contract but for one thing, and what the checks say of it. */
const checkApi = async (
  flaw: (answer: Answer, running: () => string) => FlawedAnswer = (answer) => answer,
  {
    isCounted = true,
    refunds,
    ...options
  }: FakePlatformOptions & {
    readonly isCounted?: boolean;
    /** Refunds are checked; `more` is what the API gave back without the fake. */
    readonly refunds?: { readonly more?: (paymentId: string) => number };
  } = {},
) => {
  const platform = createFakePlatform(options);
  const customer = platform.billing.addCustomer({ phone: '+14155550100', email: 'ada@example.com' });
  let running = '';
  const answer = flaw(
    (request) => platform.handle('billing', request),
    () => running,
  );
  await using server = await serve(async (request) => {
    const { pathname, search } = new URL(request.url);
    const { status, headers, body } = await answer({
      method: request.method,
      url: `${pathname}${search}`,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    });
    return new Response(status === 204 ? null : body, { status, headers });
  });
  const sleep = vi.spyOn(timers, 'sleep').mockImplementation((ms) => wait(Math.min(ms, 2)));
  onTestFinished(() => sleep.mockRestore());
  const checks = checksOfBilling({
    billing: {
      baseUrl: server.url,
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
      backoff: { minimumMs: 0, maximumMs: 0 },
    },
    customer: { id: customer.id, phone: '+14155550100', email: 'ada@example.com' },
    openInvoice: async () => platform.billing.addInvoice({ customer_id: customer.id, amount: 120.25 }),
    paymentMethodId: 'pm_1',
    declinedPaymentMethodId: 'pm_declined',
    refunds: refunds && {
      makeNextPending: () => platform.billing.nextRefund('pending'),
      refundedOf: (paymentId) =>
        platform.billing.refunds
          .filter(({ payment_id }) => payment_id === paymentId)
          .reduce((sum, { amount }) => sum + amount, refunds.more?.(paymentId) ?? 0),
    },
    ...(isCounted
      ? {
          paymentsOf: async (invoiceId: string) =>
            platform.billing.payments.filter(
              ({ invoice_id, status }) => invoice_id === invoiceId && status === 'completed',
            ).length,
        }
      : {}),
  });
  const failed: Record<string, unknown> = {};
  for (const { name, run } of checks) {
    running = name;
    await run().catch((error: unknown) => {
      failed[name] = error instanceof AssertionError ? error.message.split('\n')[0] : error;
    });
  }
  return { names: checks.map(({ name }) => name), failed };
};

const once = {
  repeated: 'takes a payment once that is repeated under its key, and gives the first answer again',
  atOnce: 'takes a payment once that is sent five times at the same moment',
  inProgress: 'says that a payment is in progress to a repetition, and then how it ended',
  lost: 'takes a payment once whose answer is lost on the way',
  hungUp: 'takes a payment once whose caller hangs up while it is being worked on',
  otherAmount: 'does not take another amount under a key that was used',
};

const refund = {
  whole: 'gives a payment back',
  parts: 'gives a part of a payment back, and then the rest',
  tooMuch: 'never gives back more than was paid',
  tooMuchAtOnce: 'never gives back more than was paid, if two ask at the same moment',
  repeated: 'gives a payment back once that is asked for again under its key',
  lost: 'gives a payment back once whose answer is lost on the way',
  otherAmount: 'gives no other amount back under a key that was used',
  pending: 'says that a refund is pending, and counts it',
};

const parsed = ({ body }: Handled): Record<string, unknown> => JSON.parse(body);
const told = (handled: Handled, body: unknown): Handled => ({ ...handled, status: 200, body: JSON.stringify(body) });
const isSearch = ({ url }: FakeRequest) => url.startsWith('/v1/customers/search');
const amountOf = ({ body }: FakeRequest): unknown => JSON.parse(body).amount;
const keyOf = ({ headers }: FakeRequest) => headers['idempotency-key'] ?? '';
const underKey = (request: FakeRequest, key: string): FakeRequest => ({
  ...request,
  headers: { ...request.headers, 'idempotency-key': key },
  body: request.body.replace(keyOf(request), key),
});
const isPayment = ({ method }: FakeRequest) => method === 'POST';

describe('an API that keeps the contract', () => {
  it.each<[string, FakePlatformOptions & { readonly isCounted?: boolean }]>([
    ['as documented', {}],
    ['with bare lists', { envelope: 'array' }],
    ['with the documented endpoints alone', { billing: { endpoints: 'documented' } }],
    ['that formats phone numbers', { billing: { phones: 'formatted' } }],
    ['whose payments cannot be counted', { isCounted: false }],
  ])('%s passes every check', async (_case, options) => {
    expect(await checkApi(undefined, options)).toEqual({
      names: [
        'refuses another credential with 401 or 403',
        'gives a customer by id',
        'refuses the id of a customer that does not exist',
        'finds a customer by phone',
        'finds no one by an unknown phone',
        'finds a customer by e-mail',
        'finds no one by an unknown e-mail',
        'lists a new invoice as open, with its amount as a number',
        'lists open invoices of this customer only',
        'takes a payment, confirms it and closes the invoice',
        once.repeated,
        once.atOnce,
        once.inProgress,
        once.lost,
        once.hungUp,
        once.otherAmount,
        'says that a payment was declined, and leaves the invoice open',
        ...Object.values(refund).map((name) => `${name} (skipped: give refunds)`),
      ],
      failed: {},
    });
  });

  it.each<[string, FakePlatformOptions & { readonly isCounted?: boolean }]>([
    ['as documented', {}],
    ['with bare lists', { envelope: 'array' }],
    ['that ignores conditions', { billing: { invoiceFilter: 'ignored' } }],
  ])('and gives money back, %s, passes every check of refunds', async (_case, options) => {
    const { names, failed } = await checkApi(undefined, { ...options, refunds: {} });

    expect(names.slice(-Object.values(refund).length)).toEqual(Object.values(refund));
    expect(Object.keys(failed).filter((name) => Object.values(refund).includes(name))).toEqual([]);
  });
});

/** The second request under a key comes while the first is worked on. */
const whileInProgress =
  (status: number, body: object): ((answer: Answer) => FlawedAnswer) =>
  (answer) => {
    const seen = new Map<string, number>();
    return (request) => {
      if (!isPayment(request)) return answer(request);
      const times = (seen.get(keyOf(request)) ?? 0) + 1;
      seen.set(keyOf(request), times);
      return times === 2 ? { ...told(answer(request), body), status } : answer(request);
    };
  };

describe('an API that works on a payment for a while', () => {
  it.each([
    [409, { error: 'A request with this key is in progress' }],
    [423, {}],
    [425, {}],
    [200, { status: 'pending' }],
  ])('keeps the contract if it answers a repetition meanwhile with %i and %j', async (status, body) => {
    const { failed } = await checkApi(whileInProgress(status, body));
    expect(failed).not.toHaveProperty([once.inProgress]);
  });

  it.each([[400], [409], [422]])('is found out if it refuses a repetition meanwhile with %i', async (status) => {
    const { failed } = await checkApi(whileInProgress(status, { error: 'no' }));
    expect(failed).toMatchObject({ [once.inProgress]: expect.stringMatching(/must be answered with 423, 425/) });
  });
});

describe('an API that breaks the contract', () => {
  it('is found out when it knows no keys and takes parts of an invoice twice', async () => {
    // Twice as much is due as was said, so that nothing but the key can stop a second payment.
    const { failed } = await checkApi(
      (answer) => (request) =>
        isPayment(request)
          ? answer({ ...request, body: request.body.replace('"amount":120.25', '"amount":60.12') })
          : answer(request),
      { billing: { idempotency: 'none' } },
    );

    expect(Object.keys(failed)).toEqual(expect.arrayContaining(Object.values(once)));
  });

  it('is found out when it refuses the repeated request instead of giving the first answer', async () => {
    const { failed } = await checkApi(undefined, { billing: { idempotency: 'none' } });

    // A client that hangs up may do so before the request has come.
    expect(Object.keys(failed).filter((name) => name !== once.hungUp)).toEqual([
      once.repeated,
      once.atOnce,
      once.inProgress,
      once.lost,
      once.otherAmount,
    ]);
  });

  it.each<[string, (answer: Answer, running: () => string) => FlawedAnswer, failed: Readonly<Record<string, unknown>>]>(
    [
      [
        'lets everyone in',
        (answer) => (request) =>
          answer({ ...request, headers: { ...request.headers, 'x-api-key': testCredentials.billing } }),
        {
          'refuses another credential with 401 or 403':
            'Missing expected rejection: A request with another credential must be refused with 401 or 403',
        },
      ],
      [
        'finds a customer for every search',
        (answer) => (request) =>
          isSearch(request)
            ? answer({ ...request, url: '/v1/customers/search?phone=%2B14155550100' })
            : answer(request),
        {
          'finds no one by an unknown phone': expect.stringMatching(/must be answered with 404, 204, null/),
          'finds no one by an unknown e-mail': expect.stringMatching(/must be answered with 404, 204, null/),
        },
      ],
      [
        'finds no customer by e-mail',
        (answer) => (request) =>
          isSearch(request) && request.url.includes('email') ? told(answer(request), null) : answer(request),
        { 'finds a customer by e-mail': expect.stringMatching(/^The e-mail must find the customer/) },
      ],
      [
        'finds no customer by phone',
        (answer) => (request) =>
          isSearch(request) && request.url.includes('phone') ? told(answer(request), null) : answer(request),
        { 'finds a customer by phone': expect.stringMatching(/^The phone must find the customer/) },
      ],
      [
        'gives another customer for an id',
        (answer) => (request) => {
          const handled = answer(request);
          const isKnown = handled.status === 200 && /^\/v1\/customers\/(?!search)/.test(request.url);
          return isKnown ? told(handled, { ...parsed(handled), id: 'cus_9' }) : handled;
        },
        { 'gives a customer by id': 'Expected values to be strictly equal:' },
      ],
      [
        'lists the invoices of all customers',
        (answer) => (request) => {
          const handled = answer(request);
          if (!request.url.startsWith('/v1/invoices')) return handled;
          const { data } = parsed(handled);
          const foreign = { id: 'inv_9', amount: 1, customer_id: 'cus_9', status: 'open' };
          return told(handled, { data: [...Array.from(Object(data)), foreign] });
        },
        {
          'lists open invoices of this customer only': expect.stringMatching(
            /^Each must be open, and of the customer that was asked for/,
          ),
        },
      ],
      [
        'forgets a payment whose answer is lost',
        (answer, running) => {
          const seen = new Set<string>();
          return (request) => {
            const key = keyOf(request);
            const isAgain = running() === once.lost && isPayment(request) && seen.has(key);
            seen.add(key);
            return isAgain ? { ...told(answer(request), { error: 'closed' }), status: 422 } : answer(request);
          };
        },
        { [once.lost]: expect.objectContaining({ status: 422 }) },
      ],
      [
        'makes up customers',
        (answer) => (request) =>
          request.url === '/v1/customers/no-such-customer'
            ? told(answer(request), { id: 'no-such-customer' })
            : answer(request),
        {
          'refuses the id of a customer that does not exist':
            'GET /customers/no-such-customer must be answered with 404, or another 4xx that refuses the id',
        },
      ],
      [
        'lists what is paid as open, and that of others',
        (answer) => (request) =>
          answer({ ...request, url: request.url.replace('&status=open', '').replace('status=open&', '') }),
        {
          'takes a payment, confirms it and closes the invoice': expect.stringMatching(/must not be listed as open/),
          [once.repeated]: expect.stringMatching(/must not be listed as open/),
          [once.atOnce]: expect.stringMatching(/must not be listed as open/),
          [once.inProgress]: expect.stringMatching(/must not be listed as open/),
          [once.lost]: expect.stringMatching(/must not be listed as open/),
          [once.hungUp]: expect.stringMatching(/must not be listed as open/),
        },
      ],
      [
        'knows a key only together with the amount',
        (answer) => (request) =>
          isPayment(request) ? answer(underKey(request, `${keyOf(request)}:${amountOf(request)}`)) : answer(request),
        { [once.otherAmount]: expect.stringMatching(/must be refused, or answered as the first one was/) },
      ],
      [
        'forgets a key that was used for something else',
        (answer) => {
          const forgotten = new Map<string, number>();
          return (request) => {
            if (!isPayment(request)) return answer(request);
            const key = keyOf(request);
            const handled = answer(underKey(request, `${key}:${forgotten.get(key) ?? 0}`));
            if (handled.status >= 400) forgotten.set(key, (forgotten.get(key) ?? 0) + 1);
            return handled;
          };
        },
        { [once.otherAmount]: expect.stringMatching(/must be answered as before/) },
      ],
      [
        'remembers a payment only when its answer could be given',
        (answer, running) => {
          const lost = new Set<string>();
          const hangUp = new AbortController();
          const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(hangUp.signal);
          onTestFinished(() => timeout.mockRestore());
          return (request) => {
            if (!isPayment(request)) return answer(request);
            const key = keyOf(request);
            const handled = answer(underKey(request, `${key}:${lost.has(key)}`));
            if (running() === once.hungUp && !hangUp.signal.aborted) {
              hangUp.abort();
              lost.add(key);
            }
            return handled;
          };
        },
        { [once.hungUp]: expect.objectContaining({ code: 'client_error' }) },
      ],
      [
        'confirms nothing',
        (answer) => (request) => {
          const handled = answer(request);
          return handled.status === 201 ? told(handled, { ...parsed(handled), confirmation_number: null }) : handled;
        },
        {
          'takes a payment, confirms it and closes the invoice': expect.stringMatching(
            /must have a confirmation_number/,
          ),
          [once.repeated]: expect.stringMatching(/must have a confirmation_number/),
          [once.atOnce]: expect.stringMatching(/must have a confirmation_number/),
          [once.inProgress]: expect.stringMatching(/must have a confirmation_number/),
          [once.lost]: expect.stringMatching(/must have a confirmation_number/),
          [once.hungUp]: expect.stringMatching(/must have a confirmation_number/),
        },
      ],
      [
        'answers a payment in cents',
        (answer) => (request) => {
          const handled = answer(request);
          return handled.status === 201 ? told(handled, { ...parsed(handled), amount: 12_025 }) : handled;
        },
        { 'takes a payment, confirms it and closes the invoice': expect.stringMatching(/in the same unit/) },
      ],
      [
        'says that a declined payment is completed',
        (answer) => (request) => {
          const handled = answer(request);
          return request.body.includes('pm_declined')
            ? told(handled, { ...parsed(handled), status: 'completed' })
            : handled;
        },
        {
          'says that a payment was declined, and leaves the invoice open': expect.stringMatching(
            /^A declined payment must have another status/,
          ),
        },
      ],
      [
        'has a word for declined that may mean pending',
        (answer) => (request) => {
          const handled = answer(request);
          return request.body.includes('pm_declined')
            ? told(handled, { ...parsed(handled), status: 'on hold' })
            : handled;
        },
        {
          'says that a payment was declined, and leaves the invoice open': expect.stringMatching(
            /^The status "on hold" must mean that the payment was refused: see paymentStatuses/,
          ),
        },
      ],
    ],
  )('%s', async (_flaw, flaw, failed) => {
    expect((await checkApi(flaw)).failed).toEqual(failed);
  });

  const isRefund = ({ method, url }: FakeRequest) => method === 'POST' && url.startsWith('/v1/refunds');
  const isPaymentList = ({ method, url }: FakeRequest) => method === 'GET' && url.startsWith('/v1/payments');
  /** The list of payments, with other refunds. */
  const withRefunds = (handled: Handled, change: (refund: Record<string, unknown>) => object | undefined): Handled => {
    const { data } = parsed(handled) as { data: readonly { refunds?: readonly Record<string, unknown>[] }[] };
    return told(handled, {
      data: data.map(({ refunds = [], ...payment }) => ({
        ...payment,
        amount_refunded: undefined,
        refunds: refunds.map(change).filter(Boolean),
      })),
    });
  };
  const withoutKey = (made: Record<string, unknown>) => ({ ...made, idempotency_key: undefined });
  /** A key of its own for each request, or for each that `newKey` names. */
  const forgetsKeys = (newKey: (request: FakeRequest, times: number) => string) => (answer: Answer) => {
    const seen = new Map<string, number>();
    return (request: FakeRequest) => {
      if (isPaymentList(request)) return withRefunds(answer(request), withoutKey);
      if (!isRefund(request)) return answer(request);
      const times = (seen.get(keyOf(request)) ?? 0) + 1;
      seen.set(keyOf(request), times);
      return answer(underKey(request, newKey(request, times)));
    };
  };

  it.each<[string, (answer: Answer, running: () => string) => FlawedAnswer, failed: Readonly<Record<string, unknown>>]>(
    [
      [
        'gives a refund again whose key it has forgotten',
        forgetsKeys((request, times) => `${keyOf(request)}:${times}`),
        {
          [refund.repeated]: expect.stringMatching(/must be answered with the first refund/),
          [refund.lost]: expect.stringMatching(/exactly once/),
          [refund.otherAmount]: expect.stringMatching(/refused, or answered with the first refund/),
        },
      ],
      [
        'knows the key of a refund only together with the amount',
        forgetsKeys((request) => `${keyOf(request)}:${amountOf(request)}`),
        { [refund.otherAmount]: expect.stringMatching(/refused, or answered with the first refund/) },
      ],
      [
        'forgets a refund whose answer is lost',
        (answer, running) =>
          forgetsKeys((request, times) => `${keyOf(request)}:${running() === refund.lost ? times : 1}`)(answer),
        { [refund.lost]: expect.stringMatching(/exactly once/) },
      ],
      [
        'answers a refund with another amount',
        (answer) => (request) => {
          const handled = answer(request);
          return isRefund(request) ? told(handled, { ...parsed(handled), amount: 1 }) : handled;
        },
        Object.fromEntries(
          Object.values(refund)
            // The key finds the refund in the list.
            .filter((name) => name !== refund.lost)
            .map((name) => [name, expect.anything()]),
        ),
      ],
      [
        'has a word for pending that may mean anything',
        (answer) => (request) => {
          const handled = answer(request);
          const isPending = isRefund(request) && handled.body.includes('"pending"');
          return isPending ? told(handled, { ...parsed(handled), status: 'noted' }) : handled;
        },
        { [refund.pending]: expect.stringMatching(/must have a status that means pending: see paymentStatuses/) },
      ],
      [
        'says that what is pending is done',
        (answer) => (request) => {
          const handled = answer(request);
          const isPending = isRefund(request) && handled.body.includes('"pending"');
          return isPending ? told(handled, { ...parsed(handled), status: 'completed' }) : handled;
        },
        { [refund.pending]: expect.stringMatching(/must have a status that means pending/) },
      ],
    ],
  )('%s', async (_flaw, flaw, failed) => {
    const found = (await checkApi(flaw, { refunds: {} })).failed;

    expect(onlyRefunds(found)).toMatchObject(failed);
    expect(Object.keys(onlyRefunds(found)).toSorted()).toEqual(Object.keys(failed).toSorted());
  });

  const onlyRefunds = (failed: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(failed).filter(([name]) => Object.values(refund).includes(name)));

  it('is found out when it gives back more than was paid', async () => {
    const more = new Map<string, number>();
    const { failed } = await checkApi(
      (answer) => (request) => {
        if (isPaymentList(request)) return withRefunds(answer(request), () => undefined);
        const handled = answer(request);
        if (!isRefund(request) || handled.status < 400) return handled;
        const { payment_id, amount } = JSON.parse(request.body) as { payment_id: string; amount: number };
        more.set(payment_id, (more.get(payment_id) ?? 0) + amount);
        return { ...told(handled, { id: `more_${more.size}`, payment_id, amount, status: 'completed' }), status: 201 };
      },
      { refunds: { more: (paymentId) => more.get(paymentId) ?? 0 } },
    );

    expect(onlyRefunds(failed)).toEqual({
      [refund.tooMuch]: expect.stringMatching(/nothing must be left/),
      [refund.tooMuchAtOnce]: expect.stringMatching(/One of them must be made/),
      [refund.otherAmount]: expect.stringMatching(/refused, or answered with the first refund/),
    });
  });

  it('is found out when its list leaves refunds out', async () => {
    const checks = checksOfBilling({ ...(await listedAlone()), refunds: {} });
    const failed = await Promise.all(
      checks
        .filter(({ name }) => name === refund.whole || name === refund.parts)
        .map(({ run }) => run().catch((error: unknown) => (error as Error).message.split('\n')[0])),
    );

    expect(failed).toEqual([
      expect.stringMatching(/^payments.list must count what was given back/),
      expect.stringMatching(/^payments.list must count what was given back/),
    ]);
  });

  /** An API whose list of payments has no refunds, and whose sums no one else can count. */
  const listedAlone = async () => {
    const platform = createFakePlatform();
    const { id } = platform.billing.addCustomer({ phone: '+14155550100' });
    const server = await serve(async (request) => {
      const { pathname, search } = new URL(request.url);
      const sent = {
        method: request.method,
        url: `${pathname}${search}`,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      };
      const handled = platform.handle('billing', sent);
      const { status, headers, body } = isPaymentList(sent) ? withRefunds(handled, () => undefined) : handled;
      return new Response(body, { status, headers });
    });
    onTestFinished(async () => server[Symbol.asyncDispose]());
    return {
      billing: {
        baseUrl: server.url,
        authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
        version: { path: 'v1' },
      },
      customer: { id },
      openInvoice: () => platform.billing.addInvoice({ customer_id: id, amount: 120.25 }),
      paymentMethodId: 'pm_1',
    };
  };

  it('is found out when amounts are texts', async () => {
    const { failed } = await checkApi((answer) => (request) => {
      const handled = answer(request);
      return request.url.startsWith('/v1/invoices')
        ? { ...handled, body: handled.body.replaceAll(/"amount":([\d.]+)/g, '"amount":"$1"') }
        : handled;
    });

    expect(failed['lists a new invoice as open, with its amount as a number']).toMatchObject({
      code: 'unexpected_response',
    });
  });
});

it('leaves out what needs something that was not given', () => {
  const checks = checksOfBilling({
    billing: {
      baseUrl: 'http://127.0.0.1:1',
      authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
      version: { path: 'v1' },
    },
    customer: { id: 'cus_1' },
    openInvoice: async () => ({ id: 'inv_1', amount: 10 }),
    paymentMethodId: 'pm_1',
  });

  expect(checks.filter(({ name }) => /phone|e-mail|declined/.test(name))).toEqual([]);
  expect(checks.filter(({ name }) => !name.includes('skipped'))).toHaveLength(12);
});
