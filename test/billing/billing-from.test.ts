import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type BillingClient,
  type BillingFunctions,
  billingFrom,
  createBillingClient,
  type OwnBilling,
  type OwnPayment,
} from '../../src/billing/index.ts';
import { ClientError, createApiClient, IntegrationError, UnexpectedResponseError } from '../../src/index.ts';
import { takePayment } from '../../src/phone-call/steps/take-payment.ts';
import { type Ledger, ledgerBilling, type LedgerClient, ledgerClient, startLedger } from '../support/ledger.ts';

let ledger: Ledger;
beforeEach(async () => {
  ledger = await startLedger();
});
afterEach(() => ledger[Symbol.asyncDispose]());

const clientOf = (own: OwnBilling): BillingClient => createBillingClient({ ...own, payments: { below: 500 } });
const connect = (
  other: Partial<BillingFunctions<LedgerClient>> = {},
  options: Parameters<typeof ledgerClient>[1] = {},
): BillingClient => clientOf(ledgerBilling(ledgerClient(ledger.origin, options), other));

const payment = { customer_id: 'A-1', invoice_id: 'B-1', amount: 120.5, payment_method_id: 'card_1' };
const key = { idempotencyKey: 'CA1:pay' };
const charged = () => ledger.charges.map(({ bill, cents }) => `${bill} ${cents}`);
const failure = (work: Promise<unknown>) =>
  work.then(
    (value) => expect.fail(`it gave ${JSON.stringify(value)}`),
    (error: unknown) => {
      if (!(error instanceof IntegrationError)) throw error;
      return error;
    },
  );

describe('look-ups', () => {
  test('a customer by number and by address, and what they owe', async () => {
    const billing = connect();

    expect(await billing.customers.find({ phone: '+14155550100' })).toMatchObject({ id: 'A-1', card: 'card_1' });
    expect(await billing.customers.find({ email: 'jane@example.com' })).toMatchObject({ id: 'A-1' });
    expect(await billing.customers.find({ phone: '+14155550199' })).toBeUndefined();
    expect(await billing.invoices.listOpen('A-1')).toEqual({
      data: [
        { id: 'B-1', amount: 120.5, due_date: '2026-10-01' },
        { id: 'B-2', amount: 9, due_date: '2026-10-02' },
      ],
      total: 2,
      hasMore: undefined,
    });
  });

  test('a customer by id, and never another one', async () => {
    const { accounts } = ledger;
    const byId = (found: (id: string) => unknown) =>
      connect({ findById: async (id) => found(id) as never }).customers.get('A-1');

    expect(
      await byId((id) => accounts.filter((one) => one.acct_no === id).map((one) => ({ id, card: one.card }))[0]),
    ).toEqual({
      id: 'A-1',
      card: 'card_1',
    });
    expect([await byId(() => undefined), await byId(() => null)]).toEqual([undefined, undefined]);
    expect((await failure(byId(() => ({ id: 'A-2' })))).message).toBe(
      'billingFrom: findById.id must be the one that was asked for',
    );
    expect((await failure(byId(() => []))).message).toBe('billingFrom: findById must be an object');
    expect(await failure(connect().customers.get('A-1'))).toMatchObject({ field: 'findById', outcome: 'not_sent' });
  });

  test('one without that function finds no one by it, and asks nothing', async () => {
    const billing = connect({ findByPhone: undefined });

    expect(await billing.customers.find({ phone: '+14155550100' })).toBeUndefined();
    expect(ledger.requests).toEqual([]);
    expect(await billing.customers.find({ phone: '+14155550100', email: 'jane@example.com' })).toMatchObject({
      id: 'A-1',
    });
  });

  test('a record with another number or address is left out, and several are ambiguous', async () => {
    const found = (phones: readonly string[]) =>
      connect({ findByPhone: async () => phones.map((phone, index) => ({ id: `A-${index}`, phone })) }).customers.find({
        phone: '+14155550100',
      });

    expect(await found(['+14155550199'])).toBeUndefined();
    expect(await found(['+14155550199', '(415) 555-0100'])).toMatchObject({ id: 'A-1' });
    await expect(found(['+14155550100', '4155550100'])).rejects.toMatchObject({ code: 'ambiguous', count: 2 });
    const other = connect({ findByEmail: async () => [{ id: 'A-9', email: 'joe@example.com' }] });
    expect(await other.customers.find({ email: 'jane@example.com' })).toBeUndefined();
  });

  test('a part of a list says so', async () => {
    const data = [{ id: 'B-1', amount: 5 }];
    const listed = (total: number, hasMore?: boolean) =>
      connect({ listOpen: async () => ({ data, total, hasMore }) }).invoices.listOpen('A-1');

    expect(await listed(9)).toMatchObject({ total: 9, data });
    expect(await listed(1, true)).toMatchObject({ total: 1, hasMore: true });
    expect(await listed(0)).toMatchObject({ total: 1 });
  });

  test('what is left to pay is the amount, whatever else the record has', async () => {
    const invoice = { id: 'B-1', amount: 5, amount_due: 500, customer_id: 'A-1', status: 'open' };

    const { data } = await connect({ listOpen: async () => [invoice] }).invoices.listOpen('A-1');

    expect(data).toEqual([{ id: 'B-1', amount: 5, customer_id: 'A-1', status: 'open' }]);
  });

  test('an error of the API is passed on as it is', async () => {
    ledger.fail('/accounts', { status: 404 });

    const error = await failure(connect().customers.find({ phone: '+14155550100' }));

    expect(error).toBeInstanceOf(ClientError);
    expect(error.operation).toBe('ledger.accounts');
  });
});

describe('what a function returns', () => {
  const cases: readonly (readonly [keyof BillingFunctions<unknown>, unknown, string])[] = [
    ['findByPhone', undefined, 'findByPhone must return a list: [] where there is no one'],
    ['findByPhone', { id: 'A-1' }, 'findByPhone must return a list: [] where there is no one'],
    ['findByPhone', [undefined], 'findByPhone[0] must be an object'],
    ['findByPhone', [{ id: 'A-1' }, {}], 'findByPhone[1].id must be a text that is not empty'],
    ['findByPhone', [{ id: '' }], 'findByPhone[0].id must not be empty'],
    ['findByPhone', [{ id: 'A-1', name: 7 }], 'findByPhone[0].name must be a string'],
    ['findByPhone', [{ id: 'A-1', phone: 14155550100 }], 'findByPhone[0].phone must be a string'],
    ['findByPhone', [{ id: 'A-1', debt: 5n }], 'findByPhone[0] must be something that JSON can hold'],
    ['listOpen', undefined, 'listOpen must return a list, or { data, total } of one'],
    ['listOpen', { bills: [] }, 'listOpen must return a list, or { data, total } of one'],
    ['listOpen', { data: [] }, 'listOpen.total must be a whole number'],
    ['listOpen', { data: [], total: 1.5 }, 'listOpen.total must be a whole number'],
    ['listOpen', { data: [], total: 1, hasMore: 'no' }, 'listOpen.hasMore must be true or false'],
    ['listOpen', [null], 'listOpen[0] must be an object'],
    ['listOpen', [{ amount: 5 }], 'listOpen[0].id must be a text that is not empty'],
    ['listOpen', [{ id: 'B-1', amount: Number.NaN }], 'listOpen[0].amount must be a number'],
    ['listOpen', [{ id: 'B-1', amount: Infinity }], 'listOpen[0].amount must be a number'],
    ['listOpen', [{ id: 'B-1', amount: -5 }], 'listOpen[0].amount must be at least 0'],
    ['listOpen', [{ id: 'B-1', amount: '120.50' }], 'listOpen[0].amount must be a number'],
    ['listOpen', [{ id: 'B-1', amount: 120n }], 'listOpen[0].amount must be a number'],
    ['listOpen', [{ id: 'B-1', amount: 1.234 }], 'listOpen[0].amount must have at most 2 decimals'],
    ['listOpen', [{ id: 'B-1', amount: 1.5, currency: 'JPY' }], 'listOpen[0].amount must be a whole number'],
    ['listOpen', [{ id: 'B-1', amount: 1, currency: '€' }], 'listOpen[0].currency must be a code of three letters'],
    ['listOpen', [{ id: 'B-1', amount: 5, due_date: new Date() }], 'listOpen[0].due_date must be a string'],
  ];

  test.each(cases)('of %s, %o is an error that names it', async (name, returned, message) => {
    const billing = connect({ [name]: async () => returned });

    const error = await failure(
      name === 'listOpen' ? billing.invoices.listOpen('A-1') : billing.customers.find({ phone: '+14155550100' }),
    );

    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain(`billingFrom: ${message}`);
  });

  const payments: readonly (readonly [unknown, string])[] = [
    [undefined, "pay must return an object with a status, such as { status: 'completed' }"],
    ['completed', "pay must return an object with a status, such as { status: 'completed' }"],
    [{}, "pay.status must be 'completed', 'already_paid', 'declined' or 'pending'"],
    [
      { status: 'complete' },
      "pay.status must be 'completed', 'already_paid', 'declined' or 'pending': did you mean 'completed'?",
    ],
    [{ status: true }, "pay.status must be 'completed', 'already_paid', 'declined' or 'pending'"],
    [{ status: 'completed', confirmation_number: {} }, 'pay.confirmation_number must be a text that is not empty'],
    [{ status: 'declined', error_message: 7 }, 'pay.error_message must be a string'],
  ];

  test.each(payments)('of pay, %j leaves the payment unknown, never paid', async (returned, message) => {
    const billing = connect({
      pay: async ({ minor_amount: cents }, api) => {
        await api.charge({ body: { bill: 'B-1', cents, card: 'card_1' } });
        return returned as OwnPayment;
      },
    });

    const error = await failure(billing.payments.create(payment, key));

    expect(error).toMatchObject({ message: `billingFrom: ${message}`, outcome: 'unknown', ...key });
  });

  test('noise of floating point is no decimal', async () => {
    const billing = connect({ listOpen: async () => [{ id: 'B-1', amount: 0.1 + 0.2 }] });

    expect((await billing.invoices.listOpen('A-1')).data).toEqual([{ id: 'B-1', amount: 0.3 }]);
  });

  test('ids that are numbers are texts, and what was returned stays as it is', async () => {
    const found = Object.freeze({ id: 7 });
    const billing = connect({ findByPhone: async () => [found as never] });

    expect(await billing.customers.find({ phone: '+14155550100' })).toEqual({ id: '7' });
    expect(found).toEqual({ id: 7 });
  });
});

describe('what a function throws', () => {
  const slip = () => {
    throw new TypeError('card 4242 of +14155550100');
  };

  test('names function, class, file and line, and keeps its message to itself', async () => {
    const billing = connect({ findByPhone: async () => slip() });

    const error = await failure(billing.customers.find({ phone: '+14155550100' }));

    expect(error.message).toMatch(/^billingFrom: findByPhone threw a TypeError at billing-from\.test\.ts:\d+:\d+$/);
    expect(JSON.stringify(error)).not.toContain('4242');
    expect(Object.keys(error)).not.toContain('original');
    expect((error as UnexpectedResponseError).original).toBeInstanceOf(TypeError);
  });

  test.each<[string, () => never, RegExp]>([
    ['before it returns a promise', slip, /threw a TypeError at/],
    [
      'that is an Error',
      () => {
        throw new Error('x');
      },
      /threw an Error at/,
    ],
    [
      'that is no error',
      () => {
        throw 'no';
      },
      /threw a value that is no error$/,
    ],
    [
      'that is nothing',
      () => {
        throw undefined;
      },
      /threw a value that is no error$/,
    ],
  ])('%s', async (_how, thrown, words) => {
    const billing = connect({ listOpen: thrown });

    expect((await failure(billing.invoices.listOpen('A-1'))).message).toMatch(words);
  });

  test('what throws while it is read', async () => {
    const trap = new Proxy({}, { get: slip, ownKeys: slip });
    const billing = connect({ findByPhone: async () => [trap as never] });

    expect((await failure(billing.customers.find({ phone: '+14155550100' }))).message).toMatch(
      /^billingFrom: findByPhone threw a TypeError/,
    );
  });
});

describe('time', () => {
  const never = () => new Promise<never>(() => {});

  test.each(['findByPhone', 'listOpen', 'pay'] as const)('%s that never ends is late, by name', async (name) => {
    const billing = connect({ [name]: never });
    const deadline = 60;
    const work = {
      findByPhone: () => billing.customers.find({ phone: '+14155550100' }, { deadline }),
      listOpen: () => billing.invoices.listOpen('A-1', { deadline }),
      pay: () => billing.payments.create(payment, { deadline }),
    }[name];

    const error = await failure(work());

    expect(error.message).toBe(`billingFrom: ${name} did not end within its 60 ms`);
    expect(error.outcome).toBe(name === 'pay' ? 'unknown' : 'not_sent');
  });

  test('the requests of one function share its deadline, and their own error is said', async () => {
    ledger.fail('/accounts', 'hang');

    const error = await failure(connect().customers.find({ phone: '+14155550100' }, { deadline: 80 }));

    expect(error).toMatchObject({ operation: 'ledger.accounts', code: 'max_retries_exceeded' });
  });

  test('a signal ends a look-up, whether the function listens or not', async () => {
    const stop = new AbortController();
    const billing = connect({ listOpen: never });
    ledger.fail('/accounts', 'hang');
    const [found, listed] = [
      failure(billing.customers.find({ phone: '+14155550100' }, { signal: stop.signal })),
      failure(billing.invoices.listOpen('A-1', { signal: stop.signal })),
    ];
    await ledger.hanging('/accounts');
    stop.abort();

    expect([(await found).code, (await listed).code]).toEqual(['aborted', 'aborted']);
  });

  test('a deadline of a request of its own may be shorter, never longer', async () => {
    ledger.fail('/accounts', 'hang', 'hang');
    const find = (deadline: number) =>
      connect({
        findByPhone: async (phone, api) => {
          await api.accounts({ msisdn: phone }, { deadline });
          return [];
        },
      }).customers.find({ phone: '+14155550100' }, { deadline: 300 });

    const started = performance.now();
    for (const deadline of [40, 9_000]) {
      expect(await failure(find(deadline))).toMatchObject({
        operation: 'ledger.accounts',
        code: 'max_retries_exceeded',
      });
    }
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  test('no payment is sent with too little time left', async () => {
    const error = await failure(connect().payments.create(payment, { deadline: 500 }));

    expect(error).toMatchObject({ code: 'deadline_exceeded', outcome: 'not_sent' });
    expect(ledger.requests).toEqual([]);
  });
});

describe('payments', () => {
  test('one is made with its key, in cents, and answered in the words of the tool', async () => {
    const billing = connect();

    expect(await billing.payments.create(payment, key)).toEqual({ status: 'completed', confirmation_number: 'R-1' });
    expect(ledger.charges).toEqual([{ bill: 'B-1', cents: 12050, key: 'CA1:pay' }]);
    expect(await billing.payments.create(payment, key)).toMatchObject({ confirmation_number: 'R-1' });
    expect(charged()).toEqual(['B-1 12050']);
  });

  test.each([
    ['card_poor', 'declined', { outcome: 'rejected' }],
    ['card_slow', 'pending', { outcome: 'unknown' }],
  ])('%s is %s', async (payment_method_id, status, result) => {
    const billing = connect();

    expect(await billing.payments.create({ ...payment, payment_method_id })).toMatchObject({ status });
    const input = { callId: 'CA1', customerId: 'A-1', invoiceId: 'B-1', amount: 1, paymentMethodId: payment_method_id };
    expect(await takePayment({ billing }, input)).toMatchObject({ success: false, ...result });
  });

  test.each([
    ['EUR', 'major', 19.99, 1999],
    ['JPY', 'major', 1999, 1999],
    ['KWD', 'major', 1.999, 1999],
    ['EUR', 'minor', 401, 401],
    ['EUR', 'major', 1.1, 110],
    ['EUR', 'major', 64.1, 6410],
  ] as const)('%s in %s units: %d is %d', async (currency, unit, amount, minor) => {
    let asked: unknown;
    const billing = createBillingClient({
      ...ledgerBilling(ledgerClient(ledger.origin), {
        currency,
        unit,
        pay: async (order, api) => {
          asked = order;
          await api.charge({ body: { bill: 'B-1', cents: order.minor_amount, card: 'card_1' } });
          return { status: 'completed' };
        },
      }),
      payments: { below: 5000 },
    });

    await billing.payments.create({ ...payment, amount }, key);

    expect(asked).toEqual({ ...payment, amount, minor_amount: minor, idempotency_key: 'CA1:pay' });
    expect(ledger.charges[0]?.cents).toBe(minor);
  });

  test.each([
    ['JPY', 'major', 1.5],
    ['KWD', 'major', 1.2345],
    ['EUR', 'minor', 1.5],
    ['EUR', 'major', 0],
    ['EUR', 'major', -1],
    ['EUR', 'major', 500],
    ['EUR', 'major', Number.NaN],
  ] as const)('%s in %s units: %d is refused, and nothing is asked', async (currency, unit, amount) => {
    const pay = vi.fn();
    const billing = clientOf(ledgerBilling(ledgerClient(ledger.origin), { currency, unit, pay }));

    const error = await failure(billing.payments.create({ ...payment, amount }));

    expect(error).toMatchObject({ code: 'invalid_argument', field: 'amount' });
    expect(pay).not.toHaveBeenCalled();
  });

  test('without pay, nothing is paid', async () => {
    const error = await failure(connect({ pay: undefined }).payments.create(payment));

    expect(error).toMatchObject({ code: 'invalid_argument', field: 'pay', outcome: 'not_sent' });
  });

  test('a lost answer is asked for again under the same key', async () => {
    ledger.fail('/charges', 'lose');

    expect(await connect().payments.create(payment, key)).toMatchObject({ status: 'completed' });
    expect(ledger.requests.map(({ key }) => key)).toEqual(['CA1:pay', 'CA1:pay']);
    expect(charged()).toEqual(['B-1 12050']);
  });

  test('what the API refuses is refused, and what it may have done is unknown', async () => {
    ledger.fail(
      '/charges',
      { status: 422 },
      { status: 409, body: { reason: 'a charge is in progress' } },
      { status: 409 },
    );
    const billing = connect({}, { attempts: 1 });

    expect(await failure(billing.payments.create(payment))).toMatchObject({ status: 422, outcome: 'rejected' });
    expect((await failure(billing.payments.create(payment, key))).outcome).toBe('unknown');
    expect((await failure(billing.payments.create(payment, key))).outcome).toBe('unknown');
    expect(await billing.payments.create(payment, key)).toMatchObject({ status: 'completed' });
    expect(charged()).toHaveLength(1);
  });

  test('a repetition that fails before its request says nothing about the first try', async () => {
    let isGone = false;
    const billing = connect(
      {
        pay: async (order, api) => {
          if (isGone) await api.bills({ id: 'A-1' });
          await api.charge({ body: { bill: 'B-1', cents: order.minor_amount, card: 'card_1' } });
          return { status: 'completed' };
        },
      },
      { attempts: 1 },
    );
    ledger.fail('/charges', 'lose');
    expect((await failure(billing.payments.create(payment, key))).outcome).toBe('unknown');
    isGone = true;
    ledger.fail('/accounts', { status: 404 });

    expect((await failure(billing.payments.create(payment, key))).outcome).toBe('unknown');
  });

  test('one key is one payment', async () => {
    const billing = connect({
      pay: async (_order, api) => {
        await api.charge({ body: { bill: 'B-1', cents: 1, card: 'card_1' } });
        return { status: 'completed' };
      },
    });
    await billing.payments.create(payment, key);

    const error = await failure(billing.payments.create({ ...payment, amount: 7 }, key));

    expect(error).toMatchObject({ code: 'invalid_argument', field: 'idempotencyKey' });
  });

  test('five at the same moment are one', async () => {
    const billing = connect();

    const paid = await Promise.all(Array.from({ length: 5 }, () => billing.payments.create(payment, key)));

    expect(new Set(paid.map(({ confirmation_number }) => confirmation_number))).toEqual(new Set(['R-1']));
    expect(charged()).toHaveLength(1);
  });

  test('who hangs up learns that it is unknown, and the end comes later', async () => {
    const stop = new AbortController();
    const settled = vi.fn();
    ledger.fail('/charges', 'hang');
    const paying = failure(connect().payments.create(payment, { ...key, signal: stop.signal, onSettled: settled }));
    await ledger.hanging('/charges');
    stop.abort(new Error('gone'));

    expect(await paying).toMatchObject({ code: 'aborted', outcome: 'unknown', ...key });
    ledger.release();
    await vi.waitFor(() => expect(settled).toHaveBeenCalledOnce());
    expect(settled).toHaveBeenCalledWith({
      operation: 'billing.payments.create',
      ...key,
      ok: true,
      result: { status: 'completed', confirmation_number: 'R-1' },
    });
  });

  test('who hangs up before anything was sent has paid nothing, and nothing is sent then', async () => {
    const stop = new AbortController();
    const pay: BillingFunctions<LedgerClient>['pay'] = async (order, api) => {
      await api.bills({ id: order.customer_id }).catch(() => {});
      await api.charge({ body: { bill: 'B-1', cents: order.minor_amount, card: 'card_1' } });
      return { status: 'completed' };
    };
    ledger.fail('/accounts', 'hang');
    const paying = failure(connect({ pay }).payments.create(payment, { signal: stop.signal }));
    await ledger.hanging('/accounts/A-1/bills');
    stop.abort(new IntegrationErrorLookalike());

    expect(await paying).toMatchObject({ code: 'aborted', outcome: 'not_sent' });
    expect(await failure(connect().payments.create(payment, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
      outcome: 'not_sent',
    });
    expect(ledger.charges).toEqual([]);
  });
});

/** A reason that an application gives its signals. */
class IntegrationErrorLookalike extends Error {}

describe('a payment that bypasses its client', () => {
  const message =
    'billingFrom: pay sent nothing through its second argument, so the payment has no idempotency key: call ' +
    'api.charge(…) of that argument';
  const body = { bill: 'B-1', cents: 12050, card: 'card_1' };
  const bypassing = (outer: LedgerClient): Record<string, BillingFunctions<LedgerClient>['pay']> => ({
    'with the client outside': async () => {
      await outer.charge({ body });
      return { status: 'completed' };
    },
    'with fetch': async () => {
      await fetch(`${ledger.origin}/charges`, {
        method: 'POST',
        headers: { 'x-key': 'ledger-key' },
        body: JSON.stringify(body),
      });
      return { status: 'declined' };
    },
    'after a look-up with its client': async (_order, api) => {
      await api.bills({ id: 'A-1' });
      await outer.charge({ body });
      return { status: 'completed' };
    },
  });

  test.each(['with the client outside', 'with fetch', 'after a look-up with its client'])(
    '%s is unknown, and is never made again',
    async (how) => {
      const outer = ledgerClient(ledger.origin);
      const billing = clientOf(ledgerBilling(outer, { pay: bypassing(outer)[how] }));

      expect(await failure(billing.payments.create(payment, key))).toMatchObject({ message, outcome: 'unknown' });
      expect(await failure(billing.payments.create(payment, key))).toMatchObject({
        reason: 'may_be_done',
        outcome: 'unknown',
      });
      expect(charged()).toHaveLength(1);
    },
  );

  test('and then throws is unknown too', async () => {
    const pay: BillingFunctions<LedgerClient>['pay'] = async () => {
      const answer = await fetch(`${ledger.origin}/charges`, {
        method: 'POST',
        headers: { 'x-key': 'ledger-key' },
        body: JSON.stringify(body),
      });
      throw new SyntaxError(await answer.text());
    };
    const billing = connect({ pay });

    expect(await failure(billing.payments.create(payment, key))).toMatchObject({
      message: expect.stringMatching(/^billingFrom: pay threw a SyntaxError at/),
      outcome: 'unknown',
    });
    await failure(billing.payments.create(payment, key));
    expect(charged()).toHaveLength(1);
  });

  test('an error of the client outside is one too', async () => {
    const outer = ledgerClient(ledger.origin, { attempts: 1 });
    ledger.fail('/charges', 'lose');
    const pay = async () => {
      await outer.charge({ body });
      return { status: 'completed' } as const;
    };
    const billing = clientOf(ledgerBilling(outer, { pay }));

    expect(await failure(billing.payments.create(payment, key))).toMatchObject({ message, outcome: 'unknown' });
    await failure(billing.payments.create(payment, key));
    expect(charged()).toHaveLength(1);
  });
});

describe('an end that its requests speak against', () => {
  const paying = (
    end: (charge: () => Promise<{ state: string }>, api: LedgerClient) => Promise<OwnPayment>,
    attempts = 1,
  ) => {
    const pay: BillingFunctions<LedgerClient>['pay'] = async (order, api) =>
      end(() => api.charge({ body: { bill: 'B-1', cents: order.minor_amount, card: 'card_1' } }), api);
    return connect({ pay }, { attempts }).payments.create(payment, key);
  };
  const ignored = (status: OwnPayment['status']) =>
    paying(async (charge) => {
      await charge().catch(() => {});
      return { status };
    });

  test.each(['completed', 'already_paid', 'declined', 'pending'] as const)(
    'a lost answer that pay takes for %s stays unknown',
    async (status) => {
      ledger.fail('/charges', 'lose');

      expect(await failure(ignored(status))).toMatchObject({
        message: `billingFrom: pay returned ${status}, but api.charge(…) failed: let its error through`,
        outcome: 'unknown',
      });
    },
  );

  test('a refusal may mean declined or paid before, and never completed', async () => {
    ledger.fail('/charges', { status: 422 }, { status: 422 }, { status: 422 });

    expect(await failure(ignored('declined'))).toMatchObject({
      status: 422,
      outcome: 'rejected',
      details: { reason: 'no' },
    });
    expect(await ignored('already_paid')).toEqual({ status: 'already_paid' });
    expect((await failure(ignored('completed'))).outcome).toBe('unknown');
  });

  test('a refusal is said in the words of pay', async () => {
    ledger.fail('/charges', { status: 402 });

    const error = await failure(
      paying(async (charge) => {
        await charge().catch(() => {});
        return { status: 'declined', error_message: 'No funds.' };
      }),
    );

    expect(error).toMatchObject({ code: 'client_error', status: 402, details: 'No funds.', ...key });
  });

  test('what was not sent was not made, whatever pay says', async () => {
    const error = await failure(
      connect({
        pay: async (_order, api) => {
          await api.charge({ body: { bill: 'B-1', cents: 1.5, card: 'card_1' } }).catch(() => {});
          return { status: 'declined' };
        },
      }).payments.create(payment),
    );

    expect(error.outcome).toBe('not_sent');
  });

  test('a look-up after a lost answer may say how it ended', async () => {
    ledger.fail('/charges', 'lose');

    const paid = await paying(async (charge, api) => {
      try {
        await charge();
      } catch {
        const { bills } = await api.bills({ id: 'A-1' });
        if (bills.some(({ bill_no }) => bill_no === 'B-1')) throw new Error('still open');
      }
      return { status: 'completed' };
    });

    expect(paid).toEqual({ status: 'completed' });
  });

  test('one that is not awaited is unknown', async () => {
    ledger.fail('/charges', 'hang');

    const error = await failure(
      paying(async (charge) => {
        void charge();
        return { status: 'completed' };
      }),
    );

    expect(error).toMatchObject({
      message: 'billingFrom: pay ended before api.charge(…) did: await it',
      outcome: 'unknown',
    });
  });

  test.each<[string, (charge: () => Promise<unknown>) => Promise<void>, string]>([
    ['after its request', async (charge) => void (await charge()), 'unknown'],
    [
      'after a lost answer',
      async (charge) => (ledger.fail('/charges', 'lose'), void (await charge().catch(() => {}))),
      'unknown',
    ],
    [
      'after a refusal',
      async (charge) => (ledger.fail('/charges', { status: 422 }), void (await charge().catch(() => {}))),
      'rejected',
    ],
    ['after it has waited for nothing that can be seen', async () => await Promise.resolve(), 'unknown'],
  ])('what pay throws %s has that outcome', async (_when, before, outcome) => {
    const error = await failure(
      paying(async (charge) => {
        await before(charge);
        throw new RangeError('x');
      }),
    );

    expect(error.message).toMatch(/^billingFrom: pay threw a RangeError at billing-from\.test\.ts:\d+:\d+$/);
    expect(error.outcome).toBe(outcome);
  });

  test.each([
    ['as it is', (error: unknown) => error],
    ['within another', (cause: unknown) => new Error('the bills are not there', { cause })],
  ])('what a request before the payment throws, %s, shows that nothing was sent', async (_how, wrap) => {
    ledger.fail('/accounts', { status: 404 });

    const error = await failure(
      paying(async (charge, api) => {
        await api.bills({ id: 'A-1' }).catch((error: unknown) => {
          throw wrap(error);
        });
        await charge();
        return { status: 'completed' };
      }),
    );

    expect(error.outcome).toBe('not_sent');
    expect(ledger.charges).toEqual([]);
  });

  test('what pay throws before it has waited for anything was not sent', async () => {
    const slip: BillingFunctions<LedgerClient>['pay'] = async ({ payment_method_id }, api) => {
      const body = { bill: 'B-1', cents: 1, card: payment_method_id.slice(Symbol('x') as never) };
      await api.charge({ body });
      return { status: 'completed' };
    };
    const billing = connect({ pay: slip });

    for (let time = 1; time <= 2; time++)
      expect(await failure(billing.payments.create(payment, key))).toMatchObject({
        message: expect.stringMatching(/^billingFrom: pay threw a TypeError at/),
        outcome: 'not_sent',
      });
  });

  test('what can not even be read is unknown', async () => {
    const trap = () => {
      throw new Error('trap');
    };

    const error = await failure(
      paying(async (charge) => {
        await charge();
        throw new Proxy(new Error('x'), { get: trap, getPrototypeOf: trap });
      }),
    );

    expect(error).toMatchObject({ message: 'billingFrom: pay threw an error', outcome: 'unknown' });
  });

  test('what another request throws after the payment leaves it unknown', async () => {
    ledger.fail('/accounts', { status: 404 });

    const error = await failure(
      paying(async (charge, api) => {
        await charge();
        await api.bills({ id: 'A-1' });
        return { status: 'completed' };
      }),
    );

    expect(error).toMatchObject({ code: 'client_error', outcome: 'unknown', ...key });
  });
});

describe('the client of a function', () => {
  test('gives a write besides the payment a key of its own, the same each time', async () => {
    const billing = connect({
      pay: async (order, api) => {
        await api.note({ body: { text: 'paying' } });
        await api.charge({ body: { bill: 'B-1', cents: order.minor_amount, card: 'card_1' } });
        return { status: 'completed' };
      },
    });
    await billing.payments.create(payment, key);
    await billing.payments.create(payment, key);

    const [note, charge, noteAgain, chargeAgain] = ledger.requests.map((one) => one.key);
    expect([charge, chargeAgain]).toEqual(['CA1:pay', 'CA1:pay']);
    expect(note).toBe(noteAgain);
    expect(note).not.toBe(charge);
  });

  test('takes no other key for the payment, and no payment in a look-up', async () => {
    const body = { bill: 'B-1', cents: 1, card: 'card_1' };
    const own = connect({
      pay: async (_order, api) => {
        await api.charge({ body }, { idempotencyKey: crypto.randomUUID() });
        return { status: 'completed' };
      },
      listOpen: async (_id, api) => {
        await api.charge({ body });
        return [];
      },
    });

    expect(await failure(own.payments.create(payment))).toMatchObject({ field: 'idempotencyKey', outcome: 'not_sent' });
    expect(await failure(own.invoices.listOpen('A-1'))).toMatchObject({ field: 'effect' });
    expect(ledger.requests).toEqual([]);
  });

  test('has request too, and the response', async () => {
    const billing = connect({
      pay: async (order, api) => {
        const { data, response } = await api
          .charge({ body: { bill: 'B-1', cents: order.minor_amount, card: 'card_1' } })
          .withResponse();
        return { status: 'completed', confirmation_number: `${data.receipt} ${response.status}` };
      },
      findByEmail: async (mail, api) =>
        api.request({
          operation: 'ledger.search',
          method: 'GET',
          path: 'accounts',
          query: { mail },
          returns: (json) => (json as { accounts: { acct_no: string }[] }).accounts.map((one) => ({ id: one.acct_no })),
        }),
    });

    expect(await billing.payments.create(payment)).toMatchObject({ confirmation_number: 'R-1 200' });
    expect(await billing.customers.find({ email: 'jane@example.com' })).toEqual({ id: 'A-1' });
  });

  test('has the phone call on its events, and functions may be methods', async () => {
    const events: unknown[] = [];
    class Functions {
      currency = 'EUR';
      readonly #card = 'card_1';
      findByPhone = async () => [{ id: 'A-1', card: this.#card }];
      async listOpen(id: string, api: LedgerClient) {
        return (await api.bills({ id })).bills.map((one) => ({ id: one.bill_no, amount: one.cents_open / 100 }));
      }
      async pay({ minor_amount: cents }: { minor_amount: number }, api: LedgerClient) {
        await api.charge({ body: { bill: 'B-1', cents, card: this.#card } });
        return { status: 'completed' } as const;
      }
    }
    const client = ledgerClient(ledger.origin, {
      onEvent: (event) => void (event.type === 'call' && events.push([event.operation, event.callId])),
    });
    const billing = clientOf(billingFrom(client, new Functions()));

    await billing.invoices.listOpen('A-1', { callId: 'CA1' });
    await billing.payments.create(payment, { callId: 'CA1' });
    expect(events).toEqual([
      ['ledger.bills', 'CA1'],
      ['ledger.charge', 'CA1'],
    ]);
  });

  test('knows no misspelt option, as no other does', async () => {
    const misspelt = { dedline: 100, deadlin: 100 } as object;

    expect(await failure(connect().customers.find({ phone: '+14155550100' }, misspelt))).toMatchObject({
      code: 'invalid_argument',
    });
  });
});

describe('what cannot work is refused when it is made', () => {
  const api = createApiClient({
    name: 'ledger',
    baseUrl: 'http://127.0.0.1:1',
    authenticate: { read: async () => ({ headers: {}, secrets: [] }), renew: async () => undefined },
    endpoints: { post: { method: 'POST', path: '/charges' } },
  });
  const functions = { currency: 'EUR', findByPhone: async () => [], listOpen: async () => [] };

  test.each<[string, unknown, string]>([
    ['currency', { currency: 'euros' }, 'billingFrom.currency must be a code of three letters, such as EUR'],
    ['currency', { currency: undefined }, 'billingFrom.currency must be'],
    ['unit', { unit: 'cents' }, "billingFrom.unit must be 'major' or 'minor'"],
    ['find', { find: async () => [] }, 'billingFrom.find is not an option: did you mean findByPhone or findByEmail?'],
    ['no search', { findByPhone: undefined }, 'billingFrom.findByPhone or findByEmail must be given'],
    ['findById', { findById: {} }, 'billingFrom.findById must be a function'],
    ['listOpen', { listOpen: undefined }, 'billingFrom.listOpen must be a function'],
    ['findByEmail', { findByEmail: 'x' }, 'billingFrom.findByEmail must be a function'],
    ['pay', { pay: async () => {} }, "billingFrom.pay needs an endpoint of the client with effect: 'payment'"],
  ])('%s', (_name, change, message) => {
    expect(() => billingFrom(api, { ...functions, ...(change as object) } as never)).toThrow(message);
  });

  test('a client of another kind, and an own that is none', () => {
    const { billing } = { billing: createBillingClient({ ...billingFrom(api, functions), payments: { below: 5 } }) };

    expect(() => billingFrom(billing as never, functions)).toThrow(
      'billingFrom.api must be a client of createApiClient',
    );
    expect(() => billingFrom(undefined as never, functions)).toThrow('billingFrom.api must be');
    expect(() => createBillingClient({ own: {}, payments: { below: 5 } })).toThrow('own must be made by billingFrom');
    const tooMuch = { ...billingFrom(api, functions), payments: { below: 5 }, deadlineMs: 5 } as never;
    expect(() => createBillingClient(tooMuch)).toThrow('did you mean deadlineMs of createApiClient?');
  });
});
