import { describe, expect, test } from 'vitest';
import { takePayment, type PaymentResult } from '../../../src/phone-call/steps/take-payment.ts';
import { assertOn } from '../../../src/dev/testing/index.ts';
import { billingTools, createToolbox, type ToolboxOptions } from '../../../src/tools/index.ts';
import { connectDebtor, linesTo } from '../../support/connected-stripe.ts';

const declines: readonly [method: string, status: string, decline_code: string, words: RegExp][] = [
  [
    'pm_card_chargeDeclined',
    'declined',
    'generic_decline',
    /^Your card was declined\. Offer to hand over to a colleague/,
  ],
  ['pm_card_chargeDeclinedInsufficientFunds', 'declined', 'insufficient_funds', /insufficient funds\. .*pay later/],
  ['pm_card_chargeDeclinedExpiredCard', 'declined', 'expired_card', /has expired\. The saved card cannot be used/],
  ['pm_card_chargeDeclinedProcessingError', 'declined', 'processing_error', /may work in a few minutes/],
  ['pm_card_authenticationRequired', 'requires_action', 'authentication_required', /offer to hand over to a colleague/],
];

describe('a decline', () => {
  test.each(declines)('of %s is %s: %s', async (payment_method_id, status, decline_code, words) => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;

    expect(await billing.payments.create({ ...payment, payment_method_id })).toMatchObject({
      status,
      decline_code,
      error_message: expect.stringMatching(words),
      hosted_invoice_url: expect.stringMatching(/^https:/),
    });
    assertOn(platform).paidNothing();
  });

  test('of a lost or stolen card sounds like any other', async () => {
    await using connected = await connectDebtor();
    const { billing, payment } = connected;
    const wordsOf = async (payment_method_id: string) =>
      (await billing.payments.create({ ...payment, payment_method_id })).error_message;

    const usual = await wordsOf('pm_card_chargeDeclined');
    expect([
      await wordsOf('pm_card_chargeDeclinedLostCard'),
      await wordsOf('pm_card_chargeDeclinedStolenCard'),
    ]).toEqual([usual, usual]);
  });

  test('under the same key is the same answer, and the card can be another one under the next', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    platform.billing.nextPayment({ declined: 'Your card has insufficient funds.', status: 'insufficient_funds' });
    platform.fault('billing.payments.create', [{ executeThenDrop: true }]);

    const declined = await billing.payments.create(payment, { idempotencyKey: 'one' });
    const again = await billing.payments.create(payment, { idempotencyKey: 'one' });
    const paid = await billing.payments.create(payment, { idempotencyKey: 'two' });

    expect([declined.status, again.status, paid.status]).toEqual(['declined', 'declined', 'completed']);
    assertOn(platform).paidOnce('two');
  });

  test('that comes after the caller has hung up is a refusal, not an unknown end', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    platform.fault('billing.payments.create', [{ latencyMs: 100 }]);
    const hungUp = new AbortController();
    const late = Promise.withResolvers<PaymentResult>();
    const input = {
      callId: 'CA1',
      customerId: payment.customer_id,
      invoiceId: payment.invoice_id,
      amount: payment.amount,
      paymentMethodId: 'pm_card_chargeDeclined',
    };

    const end = takePayment({ billing }, input, { signal: hungUp.signal, onSettled: late.resolve });
    while (platform.requests.length < 3) await new Promise(setImmediate);
    hungUp.abort();

    expect(await end).toMatchObject({ success: false, outcome: 'unknown' });
    expect(await late.promise).toMatchObject({ success: false, outcome: 'rejected', payment: { status: 'declined' } });
  });

  test('that says how developers go on is in words for people', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    const code = 'invoice_payment_intent_requires_action';
    const message = 'Payment for this invoice requires additional user action. See https://stripe.com/docs/billing';
    platform.fault('billing.payments.create', [
      { status: 402, body: { error: { type: 'card_error', code, message } } },
    ]);

    expect(await billing.payments.create(payment)).toMatchObject({
      status: 'requires_action',
      code,
      error_message: expect.stringMatching(/^The payment was declined\. Their bank wants them to confirm it/),
    });
  });

  test('is final, also where Stripe says that it may be sent again', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    const body = { error: { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' } };
    platform.fault('billing.payments.create', [
      { status: 402, body, headers: { 'stripe-should-retry': 'true' }, times: Infinity },
    ]);

    expect(await billing.payments.create(payment)).toMatchObject({ status: 'declined', code: 'card_declined' });
    expect(linesTo(connected).filter((line) => line.startsWith('POST'))).toEqual(['POST /v1/invoices/in_1/pay']);
  });

  test('in words of a proxy is none: a 402 without a code stays an error', async () => {
    await using connected = await connectDebtor();
    const { billing, platform, payment } = connected;
    platform.fault('billing.payments.create', [{ status: 402, body: 'Pay for your proxy' }]);

    await expect(billing.payments.create(payment)).rejects.toMatchObject({ code: 'client_error', outcome: 'rejected' });
  });
});

describe('a model that pays with Stripe', () => {
  const start = async (card: string, amount = 120.5) => {
    const connected = await connectDebtor();
    const toolbox = createToolbox({
      tools: billingTools({ billing: connected.billing, payments: { card: () => card, confirm: false } }),
      context: { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } },
    });
    const found = await toolbox.run('lookup_customer_invoices', {});
    const paid = await toolbox.run('create_payment', { invoice_id: 'in_1', amount });
    return { ...connected, toolbox, found, paid };
  };

  test('reads the amount that will be charged, in the main unit, and that it was', async () => {
    await using scene = await start('pm_card_visa');

    expect(scene.found.value).toMatchObject({
      total_outstanding: 120.5,
      currency: 'EUR',
      invoices: [{ id: 'in_1', amount: 120.5 }],
    });
    expect(scene.found.value).not.toHaveProperty('unit');
    expect(scene.paid.value).toEqual({ success: true, confirmation_number: 'FAKE-in_1' });
    assertOn(scene.platform).paidOnce({ invoiceId: 'in_1' });
  });

  test('reads why a card was declined, and what to offer', async () => {
    await using scene = await start('pm_card_authenticationRequired');

    expect(scene.paid).toMatchObject({
      status: 'refused',
      value: { success: false, error: expect.stringContaining('offer to hand over to a colleague') },
    });
  });

  test('reads that only the whole invoice can be paid', async () => {
    await using scene = await start('pm_card_visa', 100);

    expect(scene.paid).toMatchObject({
      status: 'refused',
      value: {
        error: 'invalid_arguments',
        fields: [{ field: 'amount', problem: expect.stringContaining('must be 120.5') }],
      },
    });
    assertOn(scene.platform).paidNothing();
  });

  test('reads that it is not known yet while a bank works on it', async () => {
    await using scene = await start('pm_usBankAccount_success');

    expect(scene.paid).toMatchObject({ status: 'unknown', value: { error: 'payment_status_unknown' } });
  });

  /** Another phone call, whose toolbox shares no store with the first one. */
  const startSecondCall = async (options: Partial<ToolboxOptions> = {}) => {
    const scene = await start('pm_usBankAccount_success');
    const toolbox = createToolbox({
      tools: billingTools({ billing: scene.billing, payments: { card: () => 'pm_card_visa', confirm: false } }),
      context: { callId: 'CA2', caller: { phone: '+14155550100', verified: 'caller-id' } },
      ...options,
    });
    await toolbox.run('lookup_customer_invoices', {});
    return { ...scene, toolbox };
  };
  const payInvoice = { invoice_id: 'in_1', amount: 120.5 };

  test('reads in a second phone call that a payment of the invoice is being processed', async () => {
    await using scene = await startSecondCall();

    expect(await scene.toolbox.run('create_payment', payInvoice)).toMatchObject({
      status: 'unknown',
      value: {
        error: 'payment_status_unknown',
        api_says_not_final:
          'A payment of this invoice is being processed: nothing more was charged. Offer no other card.',
      },
    });
    expect(scene.platform.billing.payments).toHaveLength(1);
  });

  test('reads in a second phone call that the invoice is paid, once the bank has paid it', async () => {
    await using scene = await startSecondCall();
    scene.platform.billing.settlePayment(scene.platform.billing.payments[0]?.id ?? '', 'completed');

    expect(await scene.toolbox.run('create_payment', payInvoice)).toMatchObject({
      status: 'done',
      value: {
        success: true,
        confirmation_number: 'FAKE-in_1',
        already_paid: true,
        message: 'Nothing was charged now: this payment was made before. Tell the caller so.',
      },
    });
    assertOn(scene.platform).paidOnce({ invoiceId: 'in_1' });
  });

  test('can still pay another invoice, since what was paid before uses no limit', async () => {
    await using scene = await startSecondCall({ payments: { perCall: 150.01 } });
    const { platform, toolbox } = scene;
    platform.billing.addInvoice({ id: 'in_2', customer_id: 'cus_1', amount: 100 });
    await toolbox.run('lookup_customer_invoices', {});
    platform.billing.settlePayment(platform.billing.payments[0]?.id ?? '', 'completed');
    const first = await toolbox.run('create_payment', payInvoice);
    const second = await toolbox.run('create_payment', { invoice_id: 'in_2', amount: 100 });

    expect([first.value, second.status]).toEqual([expect.objectContaining({ already_paid: true }), 'done']);
  });
});
