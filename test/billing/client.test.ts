import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bearer } from '../../src/auth/index.ts';
import { type BillingClient, type BillingConnection, createBillingClient } from '../../src/billing/index.ts';
import { AmbiguousError, InvalidArgumentError } from '../../src/core/errors.ts';
import type { Settled } from '../../src/http/operation.ts';
import type { HttpResponse, Transport } from '../../src/http/request.ts';
import type { IntegrationEvent } from '../../src/observability/events.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { startMswServer } from '../support/msw-server.ts';
import type { RecordingServer } from '../support/recording-server.ts';
import { refusedArgument } from '../support/refused-argument.ts';
import fc from '../support/fast-check.ts';

let server: RecordingServer;
let sentBefore: number;

beforeAll(async () => {
  server = await startMswServer();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.answer({});
  sentBefore = server.requests.length;
});

const connect = (options: Partial<Parameters<typeof createBillingClient>[0]> = {}): BillingClient =>
  createBillingClient({
    baseUrl: server.baseUrl,
    authenticate: bearer(() => 'token'),
    version: { path: 'v1' },
    payments: { below: 5000 },
    ...options,
  });

/** Method, target and body of what was sent since the test began. */
const sent = () =>
  server.requests.slice(sentBefore).map(({ line, body }) => (body === undefined ? [line] : [line, body]));

const payment = { customer_id: 'cus_1', invoice_id: 'inv_1', amount: 120.5, payment_method_id: 'pm_1' };

describe('requests are what the interface document says', () => {
  test('a customer is searched by phone, by e-mail, or by both', async () => {
    server.answer({ json: { id: 'cus_1', name: 'Ada Lovelace' } });
    const { customers } = connect();

    expect(await customers.find({ phone: '+14155550100' })).toEqual({ id: 'cus_1', name: 'Ada Lovelace' });
    await customers.find({ email: 'ada+b@example.com' });
    await customers.find({ phone: '+14155550100', email: 'ada@example.com' });
    expect(sent()).toEqual([
      ['GET /v1/customers/search?phone=%2B14155550100'],
      ['GET /v1/customers/search?email=ada%2Bb%40example.com'],
      ['GET /v1/customers/search?phone=%2B14155550100&email=ada%40example.com'],
    ]);
  });

  test('a payment carries its idempotency key in the body and in the header', async () => {
    server.answer({ json: { status: 'completed', confirmation_number: 'C-1' } });

    const result = await connect().payments.create(payment, { idempotencyKey: 'call-1:pay' });

    expect(result).toEqual({ status: 'completed', confirmation_number: 'C-1' });
    expect(sent()).toEqual([['POST /v1/payments', { ...payment, idempotency_key: 'call-1:pay' }]]);
    expect(server.requests.at(-1)?.headers['idempotency-key']).toBe('call-1:pay');
  });

  test('without a key one is made, the same in both places and in every attempt', async () => {
    server.answer({ status: 503 }, { json: { status: 'completed' } });

    await connect({ backoff: { minimumMs: 1, maximumMs: 1 } }).payments.create(payment);

    const keys = server.requests
      .slice(sentBefore)
      .flatMap(({ headers, body }) => [
        headers['idempotency-key'],
        (body as { idempotency_key: string }).idempotency_key,
      ]);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
  });

  test('an API that knows no keys gets none of ours, and no payment twice', async () => {
    server.answer({ status: 503 });
    const { payments } = connect({ idempotency: 'none' });

    await expect(payments.create(payment)).rejects.toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(sent()).toEqual([['POST /v1/payments', payment]]);
  });

  test('a payment goes on when its caller hangs up after it was sent, and onSettled gets its end', async () => {
    const hungUp = new AbortController();
    const wasSent = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<HttpResponse>();
    const settled = Promise.withResolvers<Settled>();
    const transport: Transport = () => {
      wasSent.resolve();
      return answer.promise;
    };

    const call = connect({ transport }).payments.create(payment, {
      idempotencyKey: 'k',
      signal: hungUp.signal,
      onSettled: settled.resolve,
    });
    await wasSent.promise;
    hungUp.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted', outcome: 'unknown', idempotencyKey: 'k' });

    answer.resolve({ status: 200, headers: new Map(), text: '{"status":"completed"}' });
    expect(await settled.promise).toEqual({
      operation: 'billing.payments.create',
      idempotencyKey: 'k',
      ok: true,
      result: { status: 'completed' },
    });
  });

  test('one attempt at a payment may take all the time there is, one at a look-up five seconds', async () => {
    const clock = createVirtualClock();
    const inSevenSeconds: Transport = ({ signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        setTimeout(() => resolve({ status: 200, headers: new Map(), text: '{"id":"c","status":"completed"}' }), 7000);
      });
    const events: IntegrationEvent[] = [];
    const billing = connect({
      transport: inSevenSeconds,
      onEvent: (event) => events.push(event),
    });

    const paid = billing.payments.create(payment);
    const looked = billing.customers.get('c').catch((error: unknown) => error);
    await clock.advance(8000);

    expect(await paid).toMatchObject({ status: 'completed' });
    expect(await looked).toMatchObject({ code: 'max_retries_exceeded' });
    expect(events.filter(({ type }) => type === 'attempt').map(({ operation }) => operation)).toEqual([
      'billing.customers.get',
      'billing.payments.create',
      'billing.customers.get',
    ]);
  });

  test('a declined payment is an answer, not an error', async () => {
    server.answer({ json: { status: 'declined', confirmation_number: null, error_message: 'card expired' } });

    expect(await connect().payments.create(payment)).toEqual({
      status: 'declined',
      confirmation_number: null,
      error_message: 'card expired',
    });
  });

  test('a JavaScript caller cannot add a field to a payment', async () => {
    server.answer({ json: { status: 'completed' } });
    const smuggled = { ...payment, idempotency_key: 'mine', refund: true };

    await connect().payments.create(smuggled, { idempotencyKey: 'ours' });

    expect(sent()).toEqual([['POST /v1/payments', { ...payment, idempotency_key: 'ours' }]]);
  });
});

describe('the version', () => {
  test('is in a header', async () => {
    server.answer({ json: { id: 'cus_1' } });
    await connect({ version: { header: { name: 'Billing-Version', value: '2026-01' } } }).customers.get('cus_1');

    expect(sent()).toEqual([['GET /customers/cus_1']]);
    expect(server.requests.at(-1)?.headers['billing-version']).toBe('2026-01');
  });

  test('is in the base address', async () => {
    server.answer({ json: { id: 'cus_1' } });
    await connect({ baseUrl: `${server.baseUrl}/v7`, version: 'in-base-url' }).customers.get('cus_1');

    expect(sent()).toEqual([['GET /v7/customers/cus_1']]);
  });

  test.each([null, { path: '..' }, { header: { name: 'X' } }])('is pinned: %o is refused', (version) => {
    expect(() => connect({ version: version as BillingConnection['version'] })).toThrow(
      "version must be { path: 'v1' }, { header: { name, value } } or 'in-base-url': the version is always pinned",
    );
  });
});

describe('options that cannot work are refused at once', () => {
  test.each([undefined, 0, Number.NaN, Number.POSITIVE_INFINITY])('payments below %s', (below) => {
    expect(() => connect({ payments: { below: below as number } })).toThrow(
      'payments.below must be a number above 0: every payment stays below it',
    );
  });

  test.each([-1, 1.5, 9])('minorUnits %s', (minorUnits) => {
    expect(() => connect({ minorUnits })).toThrow('minorUnits must be an integer from 0 to 8');
  });
});

describe('an absent customer is undefined', () => {
  test.each([
    ['404', { status: 404, json: { error: 'unknown' } }],
    ['204', { status: 204 }],
    ['null', { json: 'null' }],
    ['[]', { json: [] }],
    ['an empty envelope', { json: { data: [] } }],
  ])('for %s', async (_name, answer) => {
    server.answer(answer);
    expect(await connect().customers.find({ phone: '+14155550100' })).toBeUndefined();
  });

  test('also for a 404 on its id', async () => {
    server.answer({ status: 404 });
    expect(await connect().customers.get('cus_1')).toBeUndefined();
  });

  test('a list of one is that customer, a list of several is refused', async () => {
    server.answer({ json: [{ id: 'a' }] }, { json: [{ id: 'a' }, { id: 'b' }] });
    const { customers } = connect();

    expect(await customers.find({ phone: '+14155550100' })).toEqual({ id: 'a' });
    await expect(customers.find({ phone: '+14155550100' })).rejects.toMatchObject({ code: 'ambiguous' });
  });
});

describe('a customer who shows another number or address is no match', () => {
  const phone = '+14155550100';
  const ada = { id: 'cus_1', name: 'Ada', phone: '(415) 555-0100', email: 'ada@example.com' };
  const bob = { id: 'cus_9', name: 'Bob', phone: '+19995550000', email: 'bob@example.com' };

  test.each([
    ['alone', bob],
    ['in a list of one', [bob]],
    ['in an envelope', { data: [bob] }],
    ['with a number that ends alike', { id: 'cus_9', phone: '+444155550100' }],
  ])('%s', async (_name, json) => {
    server.answer({ json });
    expect(await connect().customers.find({ phone })).toBeUndefined();
  });

  test('also by e-mail', async () => {
    server.answer({ json: bob }, { json: { ...bob, email: 'ADA@example.com' } });
    const { customers } = connect();

    expect(await customers.find({ email: 'ada@example.com' })).toBeUndefined();
    expect(await customers.find({ email: 'ada@example.com' })).toMatchObject({ id: 'cus_9' });
  });

  test('and in a list of several, the one who shows it is taken', async () => {
    server.answer({ json: [bob, ada, ada] });
    expect(await connect().customers.find({ phone })).toEqual(ada);
  });

  test('several who show it are ambiguous, with their count', async () => {
    server.answer({ json: [bob, ada, { ...ada, id: 'cus_2' }, { id: 'cus_3' }] });
    await expect(connect().customers.find({ phone })).rejects.toMatchObject({
      code: 'ambiguous',
      count: 3,
      outcome: 'rejected',
      message: 'billing.customers.find: 3 records match where one is meant',
    });
  });

  describe('choose decides', () => {
    const found = [ada, { ...ada, id: 'cus_2', metadata: { main: true } }];

    test.each<[string, BillingConnection['choose']]>([
      ['by itself', (customers) => customers[1]],
      ['later', async (customers) => customers.find(({ metadata }) => metadata)],
      ['with a copy', (customers) => ({ ...customers[1], id: 'cus_2' })],
    ])('%s', async (_name, choose) => {
      server.answer({ json: found });
      expect(await connect({ choose }).customers.find({ phone })).toEqual(found[1]);
    });

    test('with what was searched for, and each customer once', async () => {
      const asked: unknown[] = [];
      server.answer({ json: [...found, ada] }, { json: [ada] }, { json: [] });
      const { customers } = connect({ choose: (...given) => void asked.push(given) });
      await expect(customers.find({ phone })).rejects.toMatchObject({ code: 'ambiguous', count: 2 });

      // One is certain, and none is none.
      expect(await customers.find({ phone })).toEqual(ada);
      expect(await customers.find({ phone })).toBeUndefined();
      expect(asked).toEqual([[found, { phone }]]);
    });

    test.each<[string, () => unknown, unknown]>([
      ['of another customer', () => ({ id: 'cus_9' }), expect.objectContaining({ field: 'choose' })],
      ['of no customer', () => 'cus_2', expect.objectContaining({ field: 'choose' })],
      ['of true', () => true, expect.objectContaining({ field: 'choose' })],
      ['of a list', () => found, expect.objectContaining({ field: 'choose' })],
      ['of nothing', () => null, undefined],
      ['of an error', () => Promise.reject(new Error('database')), new Error('database')],
      [
        'that is thrown',
        () => {
          throw new Error('a bug');
        },
        new Error('a bug'),
      ],
      ['that never comes', () => new Promise(() => {}), expect.objectContaining({ name: 'TimeoutError' })],
    ])('not by an answer %s', async (_name, answer, original) => {
      server.answer({ json: found });
      const { customers } = connect({ choose: answer as BillingConnection['choose'] });
      const error = await customers.find({ phone }, { deadline: 250 }).catch((thrown: unknown) => thrown);

      expect(error).toBeInstanceOf(AmbiguousError);
      expect(error).toMatchObject({ count: 2 });
      const { original: shown } = error as AmbiguousError;
      expect(shown).toEqual(original);
    });

    test('not after its caller has gone', async () => {
      const gone = new AbortController();
      server.answer({ json: found });
      const { customers } = connect({
        choose: () => {
          gone.abort();
          return new Promise(() => {});
        },
      });
      await expect(customers.find({ phone }, { signal: gone.signal })).rejects.toMatchObject({ code: 'aborted' });
    });

    test('as a function alone', () => {
      expect(() => connect({ choose: 'newest' as never })).toThrow(/^billing\.choose must be a function/);
    });
  });
});

describe('nothing is sent', () => {
  test.each([
    [-1, 'must be greater than 0'],
    [5000, 'must be below 5000'],
    [1.005, 'must have at most 2 decimals'],
    [0.1 + 0.2, 'must have at most 2 decimals'],
    [1e-7, 'must have at most 2 decimals'],
    ['10.00', 'must be a number'],
    [Number.NaN, 'must be a number'],
    [Number.POSITIVE_INFINITY, 'must be a number'],
    [[10], 'must be a number'],
  ])('for an amount of %s', async (amount, problem) => {
    const call = () => connect().payments.create({ ...payment, amount: amount as number });
    expect(await refusedArgument(call)).toEqual({ field: 'amount', problem });
    expect(sent()).toEqual([]);
  });

  test('but an amount that has its cents is, as it was written', async () => {
    for (const amount of [0.01, 0.29, 1.1, 19.99, 1234.56, 4999.99]) {
      server.answer({ json: { status: 'completed' } });
      await connect().payments.create({ ...payment, amount });
      expect(server.requests.at(-1)?.body).toMatchObject({ amount });
    }
  });

  test.each(['customer_id', 'invoice_id', 'payment_method_id'])('for a payment without %s', async (field) => {
    expect((await refusedArgument(() => connect().payments.create({ ...payment, [field]: '' }))).field).toBe(field);
    expect((await refusedArgument(() => connect().payments.create({ ...payment, [field]: undefined }))).field).toBe(
      field,
    );
    expect((await refusedArgument(() => connect().payments.create({ ...payment, [field]: 7 }))).field).toBe(field);
    expect(sent()).toEqual([]);
  });

  test('for a payment with less time left than it needs', async () => {
    await expect(connect().payments.create(payment, { deadline: 2999 })).rejects.toMatchObject({
      code: 'deadline_exceeded',
      outcome: 'not_sent',
    });
    expect(sent()).toEqual([]);

    server.answer({ json: { status: 'completed' } });
    await connect({ minimumBudgetMs: 1000 }).payments.create(payment, { deadline: 2999 });
    expect(sent()).toHaveLength(1);
  });

  test.each<[name: string, by: object, field: string, problem: string]>([
    ['neither phone nor e-mail', {}, 'phone', 'or email must be given'],
    [
      'a national number',
      { phone: '4155550100' },
      'phone',
      'must be a phone number in E.164 format, such as +14155550100',
    ],
    ['a number as a number', { phone: 14155550100 }, 'phone', 'must be a string'],
    ['no address', { email: 'ada@' }, 'email', 'must be an e-mail address'],
  ])('for a search with %s', async (_name, by, field, problem) => {
    expect(await refusedArgument(() => connect().customers.find(by))).toEqual({ field, problem });
    expect(sent()).toEqual([]);
  });

  test.each(['..', 7])('for the id %j', async (id) => {
    expect((await refusedArgument(() => connect().customers.get(id as string))).field).toBe('id');
    expect((await refusedArgument(() => connect().invoices.listOpen(id as string))).field).toBe('customerId');
    expect(sent()).toEqual([]);
  });
});

describe('answers are read leniently, but never guessed', () => {
  test('an amount in whole units when the API has no smaller ones', async () => {
    expect(
      await refusedArgument(() => connect({ minorUnits: 0 }).payments.create({ ...payment, amount: 1.5 })),
    ).toEqual({
      field: 'amount',
      problem: 'must be a whole number',
    });
  });

  test('a field of another type is left out and told to the observer', async () => {
    const events: IntegrationEvent[] = [];
    server.answer({
      json: [
        { id: 7, amount: 1, due_date: 20261201, note: 'kept' },
        { id: 'b', amount: 2, status: {} },
      ],
    });

    const open = await connect({ onEvent: (event) => events.push(event) }).invoices.listOpen('cus_1');

    expect(open).toEqual({
      data: [
        { id: '7', amount: 1, note: 'kept' },
        { id: 'b', amount: 2 },
      ],
      total: 2,
    });
    expect(events.filter(({ type }) => type === 'schema-drift')).toEqual([
      expect.objectContaining({ operation: 'billing.invoices.listOpen', fields: ['due_date', 'status'] }),
    ]);
  });

  test.each([
    ['an invoice whose amount is a text', [{ id: 'a', amount: '12.50' }], '0.amount must be a number'],
    ['an invoice without an id', [{ amount: 1 }], '0.id is not valid'],
    ['no list', { invoices: 3 }, 'the answer must be a list'],
  ])('%s is an unexpected response', async (_name, json, problem) => {
    server.answer({ json });
    await expect(connect().invoices.listOpen('cus_1')).rejects.toMatchObject({
      code: 'unexpected_response',
      message: `billing.invoices.listOpen: ${problem}`,
    });
  });

  test('a payment without a status may have happened', async () => {
    server.answer({ json: { confirmation_number: 'C-1' } });
    await expect(connect().payments.create(payment, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'unexpected_response',
      outcome: 'unknown',
      idempotencyKey: 'k',
    });
  });
});

test('no id changes the route', async () => {
  server.answer({ json: { id: 'x' } });
  const { customers } = connect();
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1 }), async (id) => {
      const before = server.requests.length;
      const result = await customers.get(id).catch((error: unknown) => error);
      if (result instanceof InvalidArgumentError) return server.requests.length === before;
      return server.requests.at(-1)?.line === `GET /v1/customers/${encodeURIComponent(id)}`;
    }),
    { numRuns: 100 },
  );
});

test('an endpoint that the client lacks can be asked, under the pinned version', async () => {
  server.answer({ json: { open: true } });
  const json = await connect().request({
    operation: 'billing.status',
    method: 'GET',
    path: 'status',
    returns: (json) => json,
  });

  expect(json).toEqual({ open: true });
  expect(sent()).toEqual([['GET /v1/status']]);
});

test('the client shows its status and can be closed', async () => {
  await using billing = connect();

  expect(billing.status().circuit).toBe('closed');
  await billing.close();
});
