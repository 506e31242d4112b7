import { describe, expect, it } from 'vitest';
import { type PaymentResult, paymentKey, takePayment } from '../../../src/phone-call/steps/take-payment.ts';
import { CircuitOpenError, InvalidArgumentError } from '../../../src/core/errors.ts';
import { createBillingClient } from '../../../src/billing/index.ts';
import { type FakePlatformOptions } from '../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { connectPlatform, keysOf } from '../../support/connected-platform.ts';

const withInvoice = async (options: FakePlatformOptions = {}) => {
  const connected = await connectPlatform(options);
  const customer = connected.platform.billing.addCustomer({ phone: '+14155550100' });
  const invoice = connected.platform.billing.addInvoice({ customer_id: customer.id, amount: 49.5 });
  const input = {
    callId: 'CA1',
    customerId: customer.id,
    invoiceId: invoice.id,
    amount: 49.5,
    paymentMethodId: 'pm_card',
  };
  return { ...connected, input, [Symbol.asyncDispose]: connected[Symbol.asyncDispose] };
};

describe('takePayment', () => {
  it('says success and the confirmation number', async () => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;

    const result = await takePayment(clients, input);

    const [payment] = platform.billing.payments;
    expect(result).toEqual({
      success: true,
      confirmationNumber: payment?.confirmation_number,
      payment: expect.objectContaining({ status: 'completed' }),
      idempotencyKey: paymentKey(input),
    });
    expect(keysOf(platform, 'billing.payments.create')).toEqual([paymentKey(input)]);
  });

  it('charges once when the same payment is asked for twice in a phone call', async () => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;

    const first = await takePayment(clients, input);
    const second = await takePayment(clients, input);

    expect(second).toEqual(first);
    expect(platform.effects('billing.payments.create')).toBe(1);
  });

  it('charges once when the answer was lost', async () => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;
    platform.fault('billing.payments.create', [{ executeThenDrop: true }]);

    const result = await takePayment(clients, input);

    expect(result.success).toBe(true);
    expect(platform.effects('billing.payments.create')).toBe(1);
    expect(platform.billing.payments).toHaveLength(1);
  });

  it('takes the key of the caller as it is', async () => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;

    await takePayment(clients, { ...input, idempotencyKey: 'order-7' });

    expect(keysOf(platform, 'billing.payments.create')).toEqual(['order-7']);
  });

  it('makes another key for another phone call, invoice, amount, method or try', () => {
    const input = { callId: 'CA1', customerId: 'c', invoiceId: 'i', amount: 1, paymentMethodId: 'p' };
    const keys = [
      input,
      { ...input, callId: 'CA2' },
      { ...input, customerId: 'd' },
      { ...input, invoiceId: 'j' },
      { ...input, amount: 2 },
      { ...input, paymentMethodId: 'q' },
      { ...input, ordinal: 2 },
    ].map(paymentKey);
    expect(new Set(keys).size).toBe(keys.length);
    expect(paymentKey({ ...input, amount: 1.0, ordinal: 1 })).toBe(paymentKey(input));
    expect(paymentKey(input)).toMatch(/^CA1:payment:[0-9a-f]{32}$/);
  });

  it.each([['1'], [null], [0], [-1], [1.5], [Number.NaN], [''], [true]])('takes no ordinal that is %j', (ordinal) => {
    const input = { callId: 'CA1', customerId: 'c', invoiceId: 'i', amount: 1, paymentMethodId: 'p' };
    // As 1 and as "1" it would be paid under two keys.
    expect(() => paymentKey({ ...input, ordinal: ordinal as number })).toThrow(
      'ordinal must be a whole number, 1 or more',
    );
  });

  it('gives the words of the API when the payment was declined', async () => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;
    platform.billing.nextPayment({ declined: 'Insufficient funds' });

    const result = await takePayment(clients, input);

    expect(result).toMatchObject({ success: false, outcome: 'rejected', error: 'Insufficient funds' });
  });

  it('never gives an empty error', async () => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;
    platform.fault('billing.payments.create', [{ status: 200, body: { status: 'declined', error_message: ' ' } }]);

    const result = await takePayment(clients, input);

    expect(result).toMatchObject({ success: false, outcome: 'rejected', error: 'The payment was not accepted.' });
  });

  it.each(['pending', 'processing', 'under_review'])('does not call a payment that is %s failed', async (status) => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;
    const error_message = 'payment failed?';
    platform.fault('billing.payments.create', [{ status: 200, body: { status, error_message } }]);

    const result = await takePayment(clients, input);

    expect(result).toEqual({
      success: false,
      outcome: 'unknown',
      error: 'It is not known yet whether the payment went through.',
      payment: { status, error_message },
      idempotencyKey: paymentKey(input),
    });
  });

  it.each(['insufficient_funds', 'NOT COMPLETED'])(
    'reads the unknown word %s as a refusal when the API says why',
    async (status) => {
      await using connected = await withInvoice();
      const { platform, clients, input } = connected;
      const error_message = 'Card blocked by the bank';
      platform.fault('billing.payments.create', [{ status: 200, body: { status, error_message } }]);

      expect(await takePayment(clients, input)).toEqual({
        success: false,
        outcome: 'rejected',
        error: error_message,
        payment: { status, error_message },
        idempotencyKey: paymentKey(input),
      });
    },
  );

  it.each(['', null])('keeps an unknown word open when the reason is %j', async (error_message) => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;
    platform.fault('billing.payments.create', [{ status: 200, body: { status: 'whatever', error_message } }]);

    expect(await takePayment(clients, input)).toMatchObject({ success: false, outcome: 'unknown' });
  });

  it('takes the words for pending and refused from the options of the client', async () => {
    await using connected = await withInvoice();
    const { platform, clientOptions, input } = connected;
    const paymentStatuses = { pending: ['Awaiting Bank'], refused: ['nope'] };
    await using billing = createBillingClient({ ...clientOptions.billing, payments: { below: 5000 }, paymentStatuses });
    platform.fault('billing.payments.create', [
      { status: 200, body: { status: 'awaiting-bank', error_message: 'not yet' } },
      { status: 200, body: { status: 'nope' } },
      { status: 200, body: { status: 'declined' } },
    ]);

    expect(await takePayment({ billing }, input)).toMatchObject({ outcome: 'unknown' });
    expect(await takePayment({ billing }, input)).toMatchObject({ outcome: 'rejected' });
    expect(await takePayment({ billing }, input)).toMatchObject({ outcome: 'unknown' });
  });

  it.each([
    ['a word for pending that is usual for refusals', 'expired'],
    ['a word for pending that is built in, next to words of your own', 'pending'],
  ])('takes %s for pending', async (_what, status) => {
    await using connected = await withInvoice();
    const { platform, clientOptions, input } = connected;
    const paymentStatuses = { pending: ['expired'] };
    await using billing = createBillingClient({ ...clientOptions.billing, payments: { below: 5000 }, paymentStatuses });
    platform.fault('billing.payments.create', [{ status: 200, body: { status, error_message: 'not yet' } }]);

    expect(await takePayment({ billing }, input)).toMatchObject({ success: false, outcome: 'unknown' });
  });

  it.each([{ invoice_id: 'other' }, { amount: 9999 }])('does not believe an answer about %j', async (other) => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;
    platform.fault('billing.payments.create', [{ status: 200, body: { status: 'completed', ...other } }]);

    expect(await takePayment(clients, input)).toMatchObject({ success: false, outcome: 'unknown' });
  });

  it('does not take a 408 for a refusal', async () => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;
    platform.fault('billing.payments.create', [{ status: 408, times: 3 }]);

    expect(await takePayment(clients, input)).toMatchObject({ success: false, outcome: 'unknown' });
  });

  it('says that it is not known when every answer was lost, with the key to find out', async () => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;
    platform.fault('billing.payments.create', [{ executeThenDrop: true, times: 3 }]);

    const result = await takePayment(clients, input);

    expect(result).toMatchObject({
      success: false,
      outcome: 'unknown',
      error: 'It is not known yet whether the payment went through.',
      cause: { code: 'max_retries_exceeded', outcome: 'unknown' },
      idempotencyKey: paymentKey(input),
    });
    expect((await takePayment(clients, input)).success).toBe(true);
    expect(platform.billing.payments).toHaveLength(1);
  });

  it.each([0, 5000, 1.005])('refuses the amount %s and sends nothing', async (amount) => {
    await using connected = await withInvoice();
    const { platform, clients, input } = connected;

    await expect(takePayment(clients, { ...input, amount })).rejects.toBeInstanceOf(InvalidArgumentError);
    expect(platform.requests).toEqual([]);
  });

  it('throws what certainly moved no money', async () => {
    await using connected = await withInvoice();
    const { platform, clientOptions, input } = connected;
    const billing = createBillingClient({
      ...clientOptions.billing,
      payments: { below: 5000 },
      circuit: { minimumVolume: 1 },
    });
    platform.fault('billing.customers.get', [{ status: 500, times: 3 }]);
    const look = { operation: 'billing.payments.look', method: 'GET', path: 'customers/cus_1' } as const;
    await billing.request({ ...look, returns: (json) => json }).catch(() => undefined);

    await expect(takePayment({ billing }, input)).rejects.toBeInstanceOf(CircuitOpenError);
    await expect(takePayment(connected.clients, { ...input, customerId: 'unknown' })).rejects.toMatchObject({
      code: 'client_error',
      outcome: 'rejected',
    });
    expect(platform.billing.payments).toEqual([]);
  });

  it('reports how it ended after the caller hung up', async () => {
    const clock = createVirtualClock();
    await using connected = await withInvoice({});
    const { platform, clients, input } = connected;
    platform.fault('billing.payments.create', [{ latencyMs: 1000 }]);
    const hangUp = new AbortController();
    const { promise: settled, resolve } = Promise.withResolvers<PaymentResult>();

    const taken = takePayment(clients, input, { signal: hangUp.signal, onSettled: resolve });
    await expect.poll(() => platform.requests.length).toBe(1);
    hangUp.abort();

    expect(await taken).toMatchObject({ success: false, outcome: 'unknown', cause: { code: 'aborted' } });
    await clock.advance(1000);
    expect(await settled).toMatchObject({ success: true, idempotencyKey: paymentKey(input) });
  });
});
