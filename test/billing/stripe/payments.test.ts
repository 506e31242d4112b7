import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ClientError } from '../../../src/core/errors.ts';
import { takePayment } from '../../../src/phone-call/steps/take-payment.ts';
import { assertOn, type Fault, type NewFakeInvoice } from '../../../src/dev/testing/index.ts';
import { connectDebtor, linesTo } from '../../support/connected-stripe.ts';

describe('an invoice is paid', () => {
  test('whole, with a saved payment method, under the key of the payment', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;

    const paid = await billing.payments.create(payment, { idempotencyKey: 'call_1:payment' });

    expect(paid).toEqual({ status: 'completed', confirmation_number: 'FAKE-in_1', invoice_id: 'in_1', amount: 120.5 });
    expect(linesTo(connected)).toEqual([
      'GET /v1/invoices/in_1',
      'GET /v1/invoice_payments?invoice=in_1&status=open&limit=100',
      'POST /v1/invoices/in_1/pay',
    ]);
    expect(platform.requests[2]).toMatchObject({
      idempotencyKey: 'call_1:payment',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'stripe-version': '2026-10-28.endive' },
      body: { payment_method: 'pm_card_visa' },
    });
    expect(platform.requests[0]?.idempotencyKey).toBeUndefined();
    assertOn(platform).paidOnce('call_1:payment');
  });

  test.each([
    ['JPY', 500, 500],
    ['KWD', 5.12, 5120],
    ['ISK', 500, 50_000],
    ['USD', 19.99, 1999],
    ['USD', 1.1, 110],
  ])('in %s, where %d are %d to Stripe', async (currency, amount, minor) => {
    await using connected = await connectDebtor({ preset: { currency }, amount, currency });
    const { billing, payment } = connected;
    const { data } = await billing.invoices.listOpen('cus_1');

    expect(data).toMatchObject([{ amount, amount_remaining: minor }]);
    expect(await billing.payments.create(payment)).toMatchObject({ status: 'completed', amount });
  });

  test('once, however often the same key is sent', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    platform.fault('billing.payments.create', [{ executeThenDrop: true }, { status: 500 }]);

    const call = { idempotencyKey: 'one' };
    const first = await billing.payments.create(payment, call);
    const second = await billing.payments.create(payment, call);

    expect([first.status, second.status]).toEqual(['completed', 'completed']);
    expect(platform.requests.at(-1)).toMatchObject({ replayed: true });
    assertOn(platform).paidOnce({ invoiceId: 'in_1' });
  });

  test('never under a second key', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    await billing.payments.create(payment);

    expect(await billing.payments.create(payment)).toEqual({
      status: 'already_paid',
      confirmation_number: 'FAKE-in_1',
      error_message: 'The invoice is already paid: nothing was charged now.',
      invoice_id: 'in_1',
    });
    assertOn(platform).paidOnce({ invoiceId: 'in_1' });
  });

  test('and a bank that is still working on it makes the payment pending', async () => {
    await using connected = await connectDebtor();
    const { billing, payment } = connected;

    const end = await takePayment(
      { billing },
      {
        callId: 'CA1',
        customerId: payment.customer_id,
        invoiceId: payment.invoice_id,
        amount: payment.amount,
        paymentMethodId: 'pm_usBankAccount_success',
      },
    );

    expect(end).toMatchObject({ success: false, outcome: 'unknown', payment: { status: 'processing' } });
  });
});

test('a pending payment is completed under its own key once the bank has paid', async () => {
  await using connected = await connectDebtor();
  const { billing, platform, payment } = connected;
  const byBank = { ...payment, payment_method_id: 'pm_usBankAccount_success' };
  const pay = async () => (await billing.payments.create(byBank, { idempotencyKey: 'one' })).status;

  const before = [await pay(), await pay()];
  platform.billing.settlePayment(platform.billing.payments[0]?.id ?? '', 'completed');

  expect([...before, await pay()]).toEqual(['processing', 'processing', 'completed']);
  assertOn(platform).paidOnce('one');
});

describe('a key that Stripe has forgotten after 24 hours', () => {
  const hourMs = 60 * 60_000;
  afterEach(() => void vi.useRealTimers());

  const askLater = async (paymentMethodId: string, firstAnswer: Fault[] = []) => {
    const connected = await connectDebtor({ client: { attempts: 1 } });
    const { billing, platform, payment } = connected;
    platform.fault('billing.payments.create', firstAnswer);
    const input = { callId: 'CA1', customerId: 'cus_1', invoiceId: 'in_1', amount: payment.amount, paymentMethodId };
    const take = () => takePayment({ billing }, input);
    vi.useFakeTimers({ toFake: ['Date'] });
    return {
      ...connected,
      first: await take(),
      afterHours: (hours: number) => {
        vi.setSystemTime(Date.now() + hours * hourMs);
        return take();
      },
    };
  };

  test('says that the invoice is paid, where the answer of the payment that paid it was lost', async () => {
    await using scene = await askLater('pm_card_visa', [{ executeThenDrop: true }]);

    const afterADay = [scene.first, await scene.afterHours(23), await scene.afterHours(2)];

    expect(afterADay).toMatchObject([
      { success: false, outcome: 'unknown' },
      { success: true, confirmationNumber: 'FAKE-in_1', payment: { status: 'completed' } },
      { success: true, confirmationNumber: 'FAKE-in_1', alreadyPaid: true, payment: { status: 'already_paid' } },
    ]);
    expect(afterADay[1]).not.toMatchObject({ alreadyPaid: true });
    assertOn(scene.platform).paidOnce({ invoiceId: 'in_1' });
  });

  test('says that it is processing while the bank works on it', async () => {
    await using scene = await askLater('pm_usBankAccount_success');
    const processing = { success: false, outcome: 'unknown', payment: { status: 'processing' } };

    expect([scene.first, await scene.afterHours(25)]).toMatchObject([processing, processing]);
    scene.platform.billing.settlePayment(scene.platform.billing.payments[0]?.id ?? '', 'completed');
    expect(await scene.afterHours(25)).toMatchObject({ success: true, alreadyPaid: true });
    assertOn(scene.platform).paidOnce({ invoiceId: 'in_1' });
  });

  test('never says rejected where the invoice is paid between its two requests', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    platform.fault('billing.payments.create', [
      { status: 400, body: { error: { type: 'invalid_request_error', message: 'Invoice is already paid' } } },
    ]);

    expect(await billing.payments.create(payment)).toMatchObject({ status: 'already_paid' });
  });
});

test.each([401, 403, 404, 422])('only a 400 says that an invoice is already paid, and no %i', async (status) => {
  await using connected = await connectDebtor();
  const { billing, platform, payment } = connected;
  const error = { type: 'invalid_request_error', message: 'Invoice is already paid' };
  platform.fault('billing.payments.create', [{ status, body: { error }, times: 2 }]);

  await expect(billing.payments.create(payment)).rejects.toMatchObject({ status });
});

describe('a PaymentIntent that cannot be paid again', () => {
  const payAgainst = async (status: string) => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    const error = { code: 'payment_intent_unexpected_state', message: 'Unexpected.', payment_intent: { status } };
    platform.fault('billing.payments.create', [{ status: 400, body: { error } }]);
    return await billing.payments.create(payment).then(
      (payment) => payment.status,
      (refused: ClientError) => refused.outcome,
    );
  };

  test.each(['processing', 'succeeded', 'requires_action', 'requires_capture', 'of another time'])(
    'may be a payment while it is %s',
    async (status) => {
      expect(await payAgainst(status)).toBe('processing');
    },
  );

  test.each(['canceled', 'requires_payment_method'])('has taken nothing when it is %s', async (status) => {
    expect(await payAgainst(status)).toBe('rejected');
  });
});

describe('nothing is charged', () => {
  test.each([
    ['for an amount below what is left', { amount: 100 }, 'amount', 'must be 120.5'],
    ['for an amount above it', { amount: 120.51 }, 'amount', 'must be 120.5'],
    ['for the invoice of another customer', { customer_id: 'cus_2' }, 'invoice_id', 'is not an invoice'],
  ])('%s', async (_, wrong, field, problem) => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;

    await expect(billing.payments.create({ ...payment, ...wrong })).rejects.toMatchObject({
      code: 'invalid_argument',
      outcome: 'not_sent',
      field,
      problem: expect.stringContaining(problem),
    });
    expect(linesTo(connected)).toEqual(['GET /v1/invoices/in_1']);
    assertOn(platform).paidNothing();
  });

  test('for an invoice in another currency', async () => {
    await using connected = await connectDebtor({ currency: 'USD' });

    await expect(connected.billing.payments.create(connected.payment)).rejects.toMatchObject({
      problem: 'is in USD, and payments are in EUR',
    });
  });

  test('for an invoice that was withdrawn', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    platform.billing.addInvoice({ id: 'in_2', customer_id: 'cus_1', amount: 5, status: 'void' });

    await expect(billing.payments.create({ ...payment, invoice_id: 'in_2', amount: 5 })).rejects.toMatchObject({
      field: 'invoice_id',
      problem: "is void: it can't be paid",
    });
  });

  test('when the invoice cannot be read, and the error says that nothing was sent', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    platform.fault('billing.invoices.get', [{ status: 503, times: 3 }]);

    await expect(billing.payments.create(payment)).rejects.toMatchObject({
      code: 'max_retries_exceeded',
      outcome: 'not_sent',
    });
    assertOn(platform).paidNothing();
  });
});

describe('a payment that was attached to the invoice', () => {
  const list = 'GET /v1/invoice_payments?invoice=in_2&status=open&limit=100';
  const connectAttached = async (attached: NonNullable<NewFakeInvoice['attached']>, amount = 100) => {
    const connected = await connectDebtor();
    connected.platform.billing.addInvoice({ id: 'in_2', customer_id: 'cus_1', amount: 100, attached });
    const payment = { ...connected.payment, invoice_id: 'in_2', amount };
    return { ...connected, pay: () => connected.billing.payments.create(payment) };
  };

  test.each(['processing', 'requires_capture', 'requires_action', 'requires_confirmation', 'succeeded_soon'])(
    'isn’t paid over while it is %s',
    async (status) => {
      await using connected = await connectAttached([
        { amount: 20, status: 'canceled' },
        { amount: 50, status },
      ]);

      expect(await connected.pay()).toEqual({
        status: 'processing',
        error_message: expect.stringMatching(/nothing more was charged/),
        invoice_id: 'in_2',
        hosted_invoice_url: expect.stringMatching(/^https:/),
      });
      expect(linesTo(connected)).toEqual(['GET /v1/invoices/in_2', list, 'GET /v1/payment_intents/pi_in_2_2']);
      assertOn(connected.platform).paidNothing();
    },
  );

  test.each(['requires_payment_method', 'canceled'])('takes nothing any more when it is %s', async (status) => {
    await using connected = await connectAttached([{ amount: 50, status }]);

    expect(await connected.pay()).toMatchObject({ status: 'completed', amount: 100 });
  });

  test('leaves a rest, which is charged and no more', async () => {
    await using connected = await connectAttached([{ amount: 40, status: 'succeeded' }], 60);

    expect(await connected.pay()).toMatchObject({ status: 'completed', amount: 60 });
    expect(connected.platform.billing.payments).toMatchObject([{ amount: 60 }]);
  });

  test.each([
    ['is old, and has no such list', 404, 0, true],
    ['may not be read, and nothing was paid', 403, 0, true],
    ['may not be read, and a part was paid', 403, 40, false],
    ['fails', 500, 0, false],
  ])('that %s (%d)', async (_, status, paid, isCharged) => {
    const attached = paid === 0 ? [] : [{ amount: paid, status: 'succeeded' }];
    await using connected = await connectAttached(attached, 100 - paid);
    // The first answer is the invoice.
    connected.platform.fault('billing.invoices.get', [{ latencyMs: 1 }, { status, times: 3 }]);
    const end = await connected.pay().catch((error: unknown) => error);

    expect(end).toMatchObject(isCharged ? { status: 'completed' } : { outcome: 'not_sent' });
    expect(connected.platform.billing.payments.length).toBe(isCharged ? 1 : 0);
  });

  test('isn’t looked for where another thing is wrong, or it is paid', async () => {
    await using connected = await connectAttached([], 99);

    await expect(connected.pay()).rejects.toMatchObject({ field: 'amount' });
    expect(linesTo(connected)).toEqual(['GET /v1/invoices/in_2']);
  });
});

test('an invoice of an Account is named as not covered', async () => {
  await using connected = await connectDebtor();
  const { billing, platform, payment } = connected;
  platform.billing.addInvoice({ id: 'in_2', customer_id: 'cus_1', amount: 5, customer_account: 'acct_1' });

  await expect(billing.payments.create({ ...payment, invoice_id: 'in_2', amount: 5 })).rejects.toMatchObject({
    field: 'invoice_id',
    problem: "is an Account's (customer_account): only invoices of Customers can be paid",
  });
  assertOn(platform).paidNothing();
});

describe("Stripe's own way of failing", () => {
  test.each([
    ['a key that is in use', 409, 'idempotency_key_in_use'],
    ['an object that is locked', 429, 'lock_timeout'],
  ])('%s is asked again', async (_, status, code) => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    platform.fault('billing.payments.create', [{ status, body: { error: { code } } }]);

    expect(await billing.payments.create(payment)).toMatchObject({ status: 'completed' });
  });

  test('is asked again where Stripe-Should-Retry says so, and is not where it says no', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    platform.fault('billing.payments.create', [
      { status: 400, headers: { 'Stripe-Should-Retry': 'true' } },
      { status: 500, headers: { 'stripe-should-retry': 'false' } },
    ]);

    await expect(billing.payments.create(payment)).rejects.toMatchObject({
      code: 'unexpected_response',
      outcome: 'unknown',
      attempts: 2,
    });
  });

  test('a failure that is kept under its key leaves the payment open, and never makes a second one', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    platform.fault('billing.payments.create', [{ status: 500, executed: true }]);

    await expect(billing.payments.create(payment, { idempotencyKey: 'one' })).rejects.toMatchObject({
      outcome: 'unknown',
      attempts: 3,
    });
    expect(platform.requests.at(-1)).toMatchObject({ replayed: true, status: 500 });
    assertOn(platform).paidOnce('one');
  });

  test('the rate limit is certain to have charged nothing', async () => {
    await using connected = await connectDebtor({ client: { attempts: 1 } });
    const { billing, platform, payment } = connected;
    platform.fault('billing.payments.create', [{ status: 429 }]);

    await expect(billing.payments.create(payment)).rejects.toMatchObject({
      reason: 'rate_limited',
      outcome: 'rejected',
      codes: ['rate_limit'],
    });
  });
});
