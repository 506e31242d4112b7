import { expect, test } from 'vitest';
import { apiKey, bearer } from '../../../src/auth/index.ts';
import { stripe } from '../../../src/billing/stripe/index.ts';
import { createFakePlatform, type FakeRefund, type Fault, testCredentials } from '../../../src/dev/testing/index.ts';
import { createIntegration } from '../../../src/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory-idempotency-store.ts';
import fc from '../../support/fast-check.ts';

/** What the billing API does to a request for money. */
const fault = fc.constantFrom<Fault>(
  'ok',
  'ok',
  { executeThenDrop: true as const },
  { executeThenDrop: true as const, times: 3 },
  { status: 500 },
  { status: 500, executed: true },
  { status: 503, times: 3 },
  { reset: 'before-headers' as const },
  { status: 409 },
  { status: 429 },
);

const amount = fc.constantFrom(0.01, 20, 30, 49.99, 50, 60, 100);

/** A caller asks, a colleague gives money back in the billing system, or a bank sends it back. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('ask' as const), process: fc.nat(1), amount, fault }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('both ask' as const), first: amount, second: amount, fault }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('colleague' as const), amount }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('next is' as const),
      state: fc.constantFrom('pending' as const, 'failed' as const, 'requires_action' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('pay' as const), process: fc.nat(1), fault }) },
);

const mayArrive = ({ status }: FakeRefund) => status !== 'failed' && status !== 'canceled';
const cents = (sum: number) => Math.round(sum * 100);

/** Plays the steps against an account where Ada has paid 100, and owes 30. */
const play = async (
  dialect: 'stripe' | undefined,
  steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
) => {
  await using platform = createFakePlatform({ billing: dialect ? { dialect, searchDelayMs: 0 } : {} });
  const { billing } = platform;
  billing.addCustomer({ id: 'cus_1', phone: '+14155550100' });
  billing.addInvoice({ id: 'inv_1', customer_id: 'cus_1', amount: 100, currency: 'EUR' });
  billing.addInvoice({ id: 'inv_2', customer_id: 'cus_1', amount: 30, currency: 'EUR' });
  billing.addPayment({ id: 'pay_1', invoice_id: 'inv_1' });
  const paymentId = dialect ? 'pi_inv_1_0' : 'pay_1';
  const { billing: url } = await platform.listen();
  const store = createMemoryIdempotencyStore();
  const connection = dialect
    ? { ...stripe({ currency: 'EUR', baseUrl: `${url}/v1` }), authenticate: bearer(() => testCredentials.billing) }
    : {
        baseUrl: url,
        authenticate: apiKey('X-Api-Key', () => testCredentials.billing),
        version: { path: 'v1' },
        currency: 'EUR',
      };
  const processes = [1, 2].map((number) => {
    const { startPhoneCall } = createIntegration({
      billing: {
        ...connection,
        rateLimit: false,
        circuit: false,
        retryBudget: false,
        backoff: { minimumMs: 0, maximumMs: 0 },
      },
      payments: {
        below: 500,
        perCall: 31,
        card: () => 'pm_card_visa',
        confirm: false,
        refund: { below: 500, confirm: false },
      },
      store,
      onError: () => {},
      phoneCalls: { tools: { limits: { toolCalls: 1000, writes: 1000 } } },
    });
    return startPhoneCall({ callId: `CA${number}`, phone: '+14155550100' }).tools;
  });
  for (const tools of processes) {
    await tools.run('lookup_customer_invoices', {});
    await tools.run('get_payment_status', {});
  }
  const ask = async (process: number, sum: number) => {
    const args = { payment_id: paymentId, amount: sum, reason: 'goodwill' };
    const { status, value } = (await processes[process]?.run('refund_payment', args)) ?? { status: 'none', value: {} };
    const made = billing.refunds.filter((one) => one.amount === sum && !one.isPast);
    // Nothing false is said.
    if (status === 'done') expect(made.some(mayArrive)).toBe(true);
    if (status === 'refused' || status === 'failed') expect(JSON.stringify(value)).not.toContain('"success":true');
    return status;
  };

  for (const one of steps) {
    if ('fault' in one)
      platform.fault(one.does === 'pay' ? 'billing.payments.create' : 'billing.payments.refund', [one.fault]);
    if (one.does === 'ask') await ask(one.process, one.amount);
    if (one.does === 'both ask') await Promise.all([ask(0, one.first), ask(1, one.second)]);
    if (one.does === 'next is') billing.nextRefund(one.state);
    if (one.does === 'pay') await processes[one.process]?.run('create_payment', { invoice_id: 'inv_2', amount: 30 });
    if (one.does === 'colleague') {
      const given = billing.refunds.filter(mayArrive).reduce((sum, refund) => sum + cents(refund.amount), 0);
      if (given + cents(one.amount) <= cents(100)) billing.addRefund({ payment_id: paymentId, amount: one.amount });
    }
  }

  const given = billing.refunds.filter(mayArrive);
  expect(given.reduce((sum, refund) => sum + cents(refund.amount), 0)).toBeLessThanOrEqual(cents(100));
  const byModel = given.filter((refund) => !refund.isPast).map((refund) => refund.amount);
  expect(new Set(byModel).size).toBe(byModel.length);
  expect(billing.payments.filter(({ status, isPast }) => status === 'completed' && !isPast).length).toBeLessThanOrEqual(
    1,
  );
  return { given: byModel.length, paid: billing.payments.length };
};

test.each([
  ['the default API', undefined],
  ['Stripe', 'stripe'],
] as const)(
  'refunds and payments of %s at random, with cut answers: never above what was paid, never twice',
  async (_name, dialect) => {
    let given = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        given += (await play(dialect, steps)).given;
      }),
      { numRuns: Number(process.env.RANDOM_REFUNDS ?? 8), seed: Number(process.env.FAST_CHECK_SEED ?? 2026) },
    );
    expect(given).toBeGreaterThan(0);
  },
  300_000,
);
