import { afterEach, describe, expect, test, vi } from 'vitest';
import { apiKey, bearer } from '../../../src/auth/index.ts';
import { stripe } from '../../../src/billing/stripe/index.ts';
import { assertOn, createFakePlatform, type FakePlatform, testCredentials } from '../../../src/dev/testing/index.ts';
import { createIntegration, type PhoneCallOptions } from '../../../src/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import { billingTools, type Payments, type Toolbox } from '../../../src/tools/index.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

const ada = '+14155550100';
const refund = { below: 300 } as const;
const quick = { backoff: { minimumMs: 0, maximumMs: 0 }, retryBudget: false, circuit: false } as const;

interface Options {
  readonly dialect?: 'stripe' | undefined;
  readonly rules?: { readonly [Rule in keyof Payments]?: Payments[Rule] | undefined };
  readonly filter?: 'ignored' | undefined;
  readonly timeZone?: string | undefined;
  readonly approve?: (summary: string) => boolean | Promise<boolean>;
}

/** Ada has paid inv_1 over 120.50 on 1 March, and another customer inv_9 over 900. */
const start = async ({ dialect, rules, filter, approve = () => true, timeZone }: Options = {}) => {
  const platform = createFakePlatform({
    billing: dialect ? { dialect, searchDelayMs: 0 } : { invoiceFilter: filter ?? 'honoured' },
  });
  const { billing } = platform;
  billing.addCustomer({ id: 'cus_ada', name: 'Ada', phone: ada });
  billing.addCustomer({ id: 'cus_bob', name: 'Bob', phone: '+14155550199' });
  billing.addInvoice({ id: 'inv_1', customer_id: 'cus_ada', amount: 120.5, currency: 'EUR' });
  billing.addInvoice({ id: 'inv_9', customer_id: 'cus_bob', amount: 900, currency: 'EUR' });
  billing.addPayment({ id: 'pay_1', invoice_id: 'inv_1', created_at: '2026-03-01T23:30:00Z' });
  billing.addPayment({ id: 'pay_9', invoice_id: 'inv_9', created_at: '2026-03-02T08:00:00Z' });
  const { billing: url } = await platform.listen();
  open.push(platform);
  const store = createMemoryIdempotencyStore();
  const errors: unknown[] = [];
  const connection = dialect
    ? { ...stripe({ currency: 'EUR', baseUrl: `${url}/v1` }), authenticate: bearer(() => testCredentials.billing) }
    : {
        baseUrl: url,
        authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
        version: { path: 'v1' },
        currency: 'EUR',
      };
  /** A process of the application; all share the store. */
  const integrate = () =>
    createIntegration({
      billing: { ...connection, ...quick },
      payments: { below: 500, card: () => 'pm_card_visa', refund, ...rules } as Payments,
      store,
      timeZone,
      onError: (error) => errors.push(error),
      phoneCalls: { tools: { approve } },
    });
  const integration = integrate();
  open.push(integration);
  const ring = (call: Partial<PhoneCallOptions> = {}, own = integration) => {
    const phoneCall = own.startPhoneCall({ callId: 'CA1', phone: ada, ...call });
    return {
      phoneCall,
      status: (args: object = {}) => phoneCall.tools.run('get_payment_status', args),
      refund: (args: object = {}) =>
        phoneCall.tools.run('refund_payment', {
          payment_id: dialect ? 'pi_inv_1_0' : 'pay_1',
          amount: 20,
          reason: 'wrong_amount',
          ...args,
        }),
    };
  };
  return { platform, integration, integrate, ring, errors, assert: assertOn(platform), approve };
};

type Shop = Awaited<ReturnType<typeof start>>;

/** A call that has looked the payments up. */
const lookedUp = async ({ ring }: Shop, call: Partial<PhoneCallOptions> = {}) => {
  const caller = ring(call);
  await caller.status();
  return caller;
};

const names = (tools: Pick<Toolbox, 'tools'>) => tools.tools().map(({ name }) => name);

describe('the tools', () => {
  test('are there if they were asked for', async () => {
    const without = await start({ rules: { refund: undefined } });
    expect(names(without.ring().phoneCall.tools)).not.toContain('get_payment_status');
    const withRefunds = await start();
    expect(names(withRefunds.ring().phoneCall.tools)).toEqual(
      expect.arrayContaining(['get_payment_status', 'refund_payment']),
    );
    const { integration } = without;
    const asked = integration.startPhoneCall({
      callId: 'CA2',
      phone: ada,
      tools: { billing: { paymentStatus: true } },
    });
    expect(names(asked.tools)).toContain('get_payment_status');
    expect(names(asked.tools)).not.toContain('refund_payment');
    const narrowed = [false, { refund: false as const }] as const;
    for (const payments of narrowed)
      expect(names(withRefunds.ring({ payments }).phoneCall.tools)).not.toContain('refund_payment');
  });

  test('a phone call only narrows what the integration allows', async () => {
    const { ring } = await start({ rules: { refund: { below: 100, confirm: 'both' } } });
    const narrow = (rules: NonNullable<PhoneCallOptions['payments']>) => () => ring({ payments: rules });
    expect(narrow({ refund: { below: 101 } })).toThrow('payments.refund.below of a phone call must be at most');
    expect(narrow({ refund: { confirm: 'approve' } })).toThrow(
      'payments.refund.confirm of a phone call must be as strict',
    );
    expect(narrow({ refund: { confirm: false } })).toThrow('as strict');
    expect(narrow({ refund: { below: 50 } })).not.toThrow();
    const none = await start({ rules: { refund: undefined } });
    expect(() => none.ring({ payments: { refund: { below: 5 } } })).toThrow('payments.refund');
  });

  test.each([[{ below: 0 }], [{}], [{ below: 5, confirm: 'aprove' }], [{ below: 5, onlyIf: 'x' }], [false], ['yes']])(
    'refund: %j is refused',
    (wrong) => {
      const make = () =>
        createIntegration({
          billing: { baseUrl: 'https://b.example', authenticate: bearer(() => 'x') },
          payments: { below: 5, refund: wrong as typeof refund },
        });
      expect(make).toThrow(/payments\.refund/);
    },
  );

  test('need approve, unless someone else agrees', async () => {
    const make = (confirm?: 'two-step') =>
      createIntegration({
        billing: { baseUrl: 'https://b.example', authenticate: bearer(() => 'x') },
        payments: { below: 5, refund: { below: 5, confirm } },
      }).startPhoneCall({ callId: 'CA1', phone: ada });
    expect(() => make()).toThrow('approve');
    expect(() => make('two-step')).not.toThrow();
  });

  test('billingTools alone keeps to the limit of its client', async () => {
    const { integration } = await start();
    const { billing } = integration;
    const tools = billingTools({ billing, payments: { refund: { confirm: 'two-step' } } });
    expect(tools.map(({ name }) => name)).toContain('refund_payment');
    expect(() => billingTools({ billing, payments: { refund: { below: 301 } } })).toThrow('payments.refund.below');
    expect(() => billingTools({ billing, paymentStatus: 'yes' as never })).toThrow('paymentStatus');
  });
});

describe.each([
  ['the default API', undefined],
  ['Stripe', 'stripe'],
] as const)('%s: did it arrive?', (_name, dialect) => {
  test('the caller’s own payments are said, with what was given back', async () => {
    const shop = await start({ dialect, timeZone: 'Europe/Berlin' });
    const paymentId = dialect ? 'pi_inv_1_0' : 'pay_1';
    shop.platform.billing.addRefund({ payment_id: paymentId, amount: 20 });
    shop.platform.billing.addRefund({ payment_id: paymentId, amount: 5, status: 'pending' });
    shop.platform.billing.addRefund({ payment_id: paymentId, amount: 7, status: 'failed' });

    expect(await shop.ring().status()).toMatchObject({
      status: 'done',
      value: {
        currency: 'EUR',
        payments: [
          {
            id: paymentId,
            invoice_id: 'inv_1',
            amount: 120.5,
            paid_on: '2026-03-02',
            status: 'arrived',
            refunded: 20,
            refund_pending: 5,
            refund_failed: 7,
          },
        ],
      },
    });
  });

  test('a payment that a bank works on is pending, and one of a stranger’s invoice is no one’s', async () => {
    const shop = await start({ dialect });
    shop.platform.billing.addInvoice({ id: 'inv_2', customer_id: 'cus_ada', amount: 40, currency: 'EUR' });
    shop.platform.billing.addPayment({ invoice_id: 'inv_2', status: 'pending' });

    const { value } = await shop.ring().status({ invoice_id: 'inv_2' });
    expect(value).toMatchObject({ payments: [{ invoice_id: 'inv_2', status: 'pending' }] });
    const stranger = await shop.ring().status({ invoice_id: 'inv_9' });
    expect(stranger.text).not.toContain('900');
    expect(stranger.text).not.toContain('pay_9');
  });

  test('nothing known is no proof that nothing was paid', async () => {
    const shop = await start({ dialect });
    shop.platform.billing.addCustomer({ id: 'cus_new', phone: '+14155550155' });
    const { value } = await shop.ring({ phone: '+14155550155' }).status();
    expect(value).toMatchObject({ payments: [], message: expect.stringContaining("don't say that they did not pay") });
  });

  test('a payment of this call whose answer was lost is not called failed', async () => {
    const shop = await start({ dialect });
    const { billing } = shop.platform;
    billing.addInvoice({ id: 'inv_3', customer_id: 'cus_ada', amount: 30, currency: 'EUR' });
    const { phoneCall, status } = shop.ring({ payments: {} });
    phoneCall.heard('Please pay it.');
    await phoneCall.tools.run('lookup_customer_invoices', {});
    const args = { invoice_id: 'inv_3', amount: 30 };
    const { value: asked } = await phoneCall.tools.run('create_payment', args);
    phoneCall.heard('Yes.');
    shop.platform.fault('billing.payments.create', [{ status: 500, times: 9 }]);
    const { confirmation_token } = Object(asked) as { confirmation_token: string };
    await phoneCall.tools.run('create_payment', { ...args, confirmation_token });

    const { value } = await status({ invoice_id: 'inv_3' });
    expect(value).toMatchObject({ message: expect.stringContaining('never say that it failed') });
  });

  test.each([
    ['a withheld number', { phone: undefined }],
    ['a second person on the line', { verified: 'no' as const }],
  ])('%s learns nothing and gets nothing back', async (_who, call) => {
    const shop = await start({ dialect });
    const { status, refund: giveMoney } = shop.ring(call);
    expect((await status()).status).toBe('refused');
    expect((await giveMoney()).status).toBe('refused');
    expect(JSON.stringify([await status(), await giveMoney()])).not.toContain('120.5');
    shop.assert.refundedNothing();
  });

  test('billing that is down is not “no payment”', async () => {
    const shop = await start({ dialect });
    shop.platform.fault('billing', [{ status: 503, times: Infinity }]);
    expect(await shop.ring().status()).toMatchObject({ status: 'failed' });
  });
});

describe.each([
  ['the default API', undefined],
  ['Stripe', 'stripe'],
] as const)('%s: a refund', (_name, dialect) => {
  test('of a part, with a colleague’s approval, which names sum, payment and reason', async () => {
    const approve = vi.fn(() => true);
    const shop = await start({ dialect, approve });
    const { refund: giveMoney } = await lookedUp(shop);

    expect(await giveMoney()).toMatchObject({
      status: 'done',
      value: { success: true, refunded: 20, currency: 'EUR', message: expect.stringContaining('on its way') },
    });
    expect(approve.mock.calls[0]).toEqual([
      expect.stringMatching(/^Give back 20 EUR of payment \S+ for invoice inv_1: wrong amount\.$/),
      expect.anything(),
    ]);
    expect(shop.assert.refundedOnce({ invoiceId: 'inv_1' })).toMatchObject({ amount: 20 });
  });

  test('without a look-up gives nothing back, and the payments to the model', async () => {
    const shop = await start({ dialect });
    const result = await shop.ring().refund();
    expect(result).toMatchObject({
      status: 'refused',
      value: { error: 'look_up_first', payments: [{ amount: 120.5 }] },
    });
    shop.assert.refundedNothing();
  });

  test('is made once, however often it is asked for, and by whichever process', async () => {
    const approve = vi.fn(() => true);
    const shop = await start({ dialect, approve });
    const { refund: giveMoney } = await lookedUp(shop);
    await giveMoney();
    expect(await giveMoney()).toMatchObject({ value: { already_refunded: true, refunded: 20 } });
    // The caller doesn't see the money, and rings again.
    const other = shop.integrate();
    open.push(other);
    const again = shop.ring({ callId: 'CA2' }, other);
    await again.status();
    const { value } = await again.refund();
    expect(value).toMatchObject({ already_refunded: true });
    expect(JSON.stringify(value)).not.toMatch(/charged|paid/);
    shop.assert.refundedOnce({ invoiceId: 'inv_1' });
  });

  test('never more than was paid, with refunds that a colleague made since', async () => {
    const shop = await start({ dialect });
    const { refund: giveMoney } = await lookedUp(shop);
    shop.platform.billing.addRefund({ payment_id: dialect ? 'pi_inv_1_0' : 'pay_1', amount: 110.5 });
    expect(await giveMoney({ amount: 10.01 })).toMatchObject({
      status: 'refused',
      value: { fields: [{ field: 'amount' }] },
    });
    expect(await giveMoney({ amount: 10 })).toMatchObject({ status: 'done' });
  });

  test('a changed mind: a part, then all the rest', async () => {
    const shop = await start({ dialect });
    const { refund: giveMoney } = await lookedUp(shop);
    await giveMoney({ amount: 20 });
    expect(await giveMoney({ amount: 120.5 })).toMatchObject({ status: 'refused' });
    expect(await giveMoney({ amount: 100.5 })).toMatchObject({ status: 'done' });
    expect(shop.platform.billing.refunds.map(({ amount }) => amount)).toEqual([20, 100.5]);
  });

  test('two processes at once give back no more than there is', async () => {
    const shop = await start({ dialect });
    const first = await lookedUp(shop);
    const other = shop.integrate();
    open.push(other);
    const second = shop.ring({ callId: 'CA2' }, other);
    await second.status();
    const ends = await Promise.all([first.refund({ amount: 100 }), second.refund({ amount: 90 })]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['done', 'refused']);
    shop.assert.refundedOnce({ invoiceId: 'inv_1' });
  });

  test('whose answer was lost is unknown, and looked up when it is asked for again', async () => {
    const shop = await start({ dialect });
    const { refund: giveMoney } = await lookedUp(shop);
    shop.platform.fault('billing.payments.refund', [{ executeThenDrop: true, times: 3 }]);
    const lost = await giveMoney();
    expect(lost).toMatchObject({ status: 'unknown', value: { outcome: 'unknown' } });
    expect(lost.text).toContain('whether the refund was made');
    expect(await giveMoney()).toMatchObject({ status: 'done', value: { refunded: 20 } });
    shop.assert.refundedOnce({ invoiceId: 'inv_1' });
  });

  test.each([
    ['pending', { refund_pending: 20, message: expect.stringContaining('not done yet') }],
    ['requires_action', { refund_pending: 20, message: expect.stringContaining('waits for the customer') }],
  ] as const)('that is %s is called that', async (state, value) => {
    const shop = await start({ dialect });
    const { refund: giveMoney } = await lookedUp(shop);
    shop.platform.billing.nextRefund(state);
    const result = await giveMoney();
    expect(result).toMatchObject({ status: 'done', value });
    expect(result.value).not.toHaveProperty('refunded');
  });

  test.each(['failed', 'canceled'] as const)('that is %s is called failed', async (state) => {
    const shop = await start({ dialect });
    const { refund: giveMoney, status } = await lookedUp(shop);
    shop.platform.billing.nextRefund(state);
    const result = await giveMoney();
    expect(result).toMatchObject({ status: 'refused', value: { success: false } });
    expect(result.text).toContain('in another way');
    expect(JSON.stringify((await status()).value)).toContain('"refund_failed":20');
    shop.assert.refundedNothing();
  });

  test('is not made for a model alone, an unclear colleague, or one who says no', async () => {
    for (const answer of [false, 'yes', 1, undefined]) {
      const shop = await start({ dialect, approve: () => answer as boolean });
      const { refund: giveMoney } = await lookedUp(shop);
      expect(await giveMoney()).toMatchObject({ status: 'refused', value: { reason: 'not_approved' } });
      shop.assert.refundedNothing();
    }
  });

  test('waits for a colleague who takes long, and for a caller who hung up meanwhile', async () => {
    let say: (answer: boolean) => void = () => {};
    const approve = vi.fn(
      () =>
        new Promise<boolean>((resolve) => {
          say = resolve;
        }),
    );
    const shop = await start({ dialect, approve });
    const { refund: giveMoney, phoneCall } = await lookedUp(shop);
    expect(await giveMoney()).toMatchObject({ status: 'waiting' });
    await phoneCall.finish({ outcome: 'resolved', summary: 'Hung up.' });
    say(true);
    await vi.waitFor(async () => {
      const back = await lookedUp(shop, { callId: 'CA2' });
      expect(await back.refund()).toMatchObject({ status: 'done' });
    });
    shop.assert.refundedOnce({ invoiceId: 'inv_1' });
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['of someone else’s payment', { payment_id: dialect ? 'pi_inv_9_0' : 'pay_9' }, 'payment_id'],
    ['of a payment that the model made up', { payment_id: 'pay_77' }, 'payment_id'],
    ['at the limit', { amount: 300 }, 'amount'],
    ['of nothing', { amount: 0 }, 'amount'],
    ['of a part of a cent', { amount: 0.123 }, 'amount'],
    ['for fraud', { reason: 'fraudulent' }, 'reason'],
  ])('%s is refused', async (_what, args, field) => {
    const shop = await start({ dialect });
    const { refund: giveMoney } = await lookedUp(shop);
    expect(await giveMoney(args)).toMatchObject({ status: 'refused', value: { fields: [{ field }] } });
    shop.assert.refundedNothing();
    expect(shop.approve('')).toBe(true);
  });

  test('the customer and invoice that a model sends are dropped', async () => {
    const shop = await start({ dialect });
    const { refund: giveMoney } = await lookedUp(shop);
    await giveMoney({ customer_id: 'cus_bob', invoice_id: 'inv_9' });
    expect(shop.assert.refundedOnce({ invoiceId: 'inv_1' })).toMatchObject({ amount: 20 });
  });

  test('a second person on the line gets nothing of what the first looked up', async () => {
    const shop = await start({ dialect });
    const { refund: giveMoney, phoneCall } = await lookedUp(shop);
    phoneCall.verifyCaller('no');
    expect(await giveMoney()).toMatchObject({ status: 'refused', value: { reason: 'verification_required' } });
    shop.assert.refundedNothing();
  });

  test('does not count in perCall, and asks the caller where you say so', async () => {
    const shop = await start({
      dialect,
      rules: { below: 30, perCall: 30, refund: { below: 300, confirm: 'two-step' } },
    });
    const { refund: giveMoney, phoneCall } = await lookedUp(shop);
    phoneCall.heard('I want my money back.');
    const { value } = await giveMoney({ amount: 100.5 });
    expect(value).toMatchObject({
      summary: 'Shall I give 100 euros and 50 cents back to the card or account that paid?',
    });
    phoneCall.heard('Yes, please.');
    const { confirmation_token } = Object(value) as { confirmation_token: string };
    expect(await giveMoney({ amount: 100.5, confirmation_token })).toMatchObject({ status: 'done' });
  });
});

test('a list that ignores its conditions shows and gives back the caller’s own payments alone', async () => {
  const shop = await start({ filter: 'ignored' });
  const { status, refund: giveMoney } = shop.ring();
  const { text } = await status();
  expect(text).toContain('pay_1');
  expect(text).not.toContain('pay_9');
  expect(await giveMoney({ payment_id: 'pay_9' })).toMatchObject({ status: 'refused' });
  shop.assert.refundedNothing();
});

test('words in another language', async () => {
  const shop = await start({ rules: { refund: { below: 300, confirm: 'two-step' } } });
  const { phoneCall } = shop.ring({
    tools: {
      words: {
        refund_payment: { summarize: ({ amount }) => `¿Devuelvo ${amount} euros?`, slowMessage: 'Un momento.' },
      },
    },
  });
  await phoneCall.tools.run('get_payment_status', {});
  const args = { payment_id: 'pay_1', amount: 20, reason: 'goodwill' };
  expect((await phoneCall.tools.run('refund_payment', args)).value).toMatchObject({ summary: '¿Devuelvo 20 euros?' });
});

test('results fit, with long ids and three payments', async () => {
  const shop = await start();
  const { billing } = shop.platform as FakePlatform;
  for (const index of [2, 3, 4, 5]) {
    billing.addInvoice({
      id: `in_1PqrsTuvwXyzAbCdEfGhIj${index}`,
      customer_id: 'cus_ada',
      amount: 1234.56,
      currency: 'EUR',
    });
    billing.addPayment({ id: `pi_1PqrsTuvwXyzAbCdEfGhIj${index}`, invoice_id: `in_1PqrsTuvwXyzAbCdEfGhIj${index}` });
    billing.addRefund({ payment_id: `pi_1PqrsTuvwXyzAbCdEfGhIj${index}`, amount: 10, status: 'pending' });
  }
  const { text, value } = await shop.ring().status();
  expect(text.length).toBeLessThanOrEqual(600);
  expect(value).toMatchObject({ more: true });
  expect((Object(value) as { payments: object[] }).payments).toHaveLength(3);
});
