import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { decimalsOf } from '../../src/billing/amount.ts';
import * as z from '../../src/core/schema.ts';
import { createIntegration, type IntegrationOptions } from '../../src/integration.ts';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';
import { createTenants } from '../../src/tenants/create-tenants.ts';
import { createToolbox, defineTool } from '../../src/tools/index.ts';
import { spokenAmount } from '../../src/tools/ready/spoken-amount.ts';
import { connectPlatform } from '../support/connected-platform.ts';

const phone = '+14155550100';
const call = { callId: 'CA1', phone };
const payments = { card: () => 'pm_1', below: 500, confirm: false } as const;

/** Ada owes two invoices. */
const start = async (options: Partial<IntegrationOptions> = {}) => {
  const connected = await connectPlatform();
  const { platform, clientOptions } = connected;
  const { id: customerId } = platform.billing.addCustomer({ phone, name: 'Ada' });
  for (const [id, amount] of [['inv_1', 120.5] as const, ['inv_2', 400] as const])
    platform.billing.addInvoice({ id, customer_id: customerId, amount });
  return {
    platform,
    billing: clientOptions.billing,
    integration: createIntegration({ billing: clientOptions.billing, payments, ...options }),
    payment: { customerId, invoiceId: 'inv_1', amount: 120.5, paymentMethodId: 'pm_1' },
    charged: () => platform.billing.payments.map(({ amount }) => amount),
    [Symbol.asyncDispose]: connected[Symbol.asyncDispose],
  };
};

/** A tool that pays somewhere else. */
const paying = <Arguments extends object>(
  parameters: z.ZodType<Arguments>,
  options: { readonly amount?: (args: Arguments) => number } = {},
) => {
  const run = vi.fn(() => ({ success: true }));
  const tool = defineTool({
    name: 'transfer_money',
    description: 'Sends money.',
    parameters,
    effect: 'payment',
    confirm: false,
    run,
    ...options,
  });
  return { tool, run };
};

beforeEach(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

describe('the limit of a phone call', () => {
  test('holds for takePayment too, in the call and in a turn', async () => {
    await using started = await start();
    const phoneCall = started.integration.startPhoneCall({ ...call, payments: { below: 100 } });

    await expect(phoneCall.takePayment(started.payment)).rejects.toThrow('amount must be below 100');
    await expect(phoneCall.turn().takePayment({ ...started.payment, amount: 100 })).rejects.toThrow('below 100');
    expect(started.charged()).toEqual([]);
    expect(await phoneCall.takePayment({ ...started.payment, amount: 99.99 })).toMatchObject({ success: true });
  });

  test('leaves takePayment to the integration where no model may pay', async () => {
    await using started = await start();
    const phoneCall = started.integration.startPhoneCall({ ...call, payments: false });

    expect(await phoneCall.takePayment(started.payment)).toMatchObject({ success: true });
  });

  test('is within an integration that the function startPhoneCall gets', async () => {
    await using started = await start({ payments: { ...payments, requires: 'strong', perCall: 200 } });
    const { integration } = started;

    for (const ofCall of [{ requires: 'caller-id' }, { below: 501 }, { perCall: 201 }] as const)
      expect(() => startPhoneCall(integration, { ...call, payments: ofCall })).toThrow('can only be stricter');
    const { tools } = startPhoneCall(integration, call);
    expect((await tools.run('create_payment', { invoice_id: 'inv_1', amount: 1 })).value).toMatchObject({
      reason: 'verification_required',
    });
    expect(started.charged()).toEqual([]);
  });

  test('and the store of an integration, so that a caller who rings back pays once', async () => {
    await using started = await start();
    for (const callId of ['CA1', 'CA2']) {
      const { tools } = startPhoneCall(started.integration, { callId, phone });
      await tools.run('lookup_customer_invoices', {});
      await tools.run('create_payment', { invoice_id: 'inv_2', amount: 20 });
    }

    expect(started.charged()).toEqual([20]);
  });

  test('is that of a tenant too', async () => {
    await using started = await start();
    const { billing } = started;
    await using tenants = createTenants({
      resolve: () => ({ billing, payments: { ...payments, requires: 'strong' as const } }),
    });
    const tenant = await tenants.open('acme');

    expect(() => startPhoneCall(tenant, { ...call, payments: { requires: 'caller-id' } })).toThrow('only be stricter');
    await tenant.close();
  });
});

describe('a payment tool of your own without an amount', () => {
  const cents = z.object({ to: z.string(), cents: z.number() });

  test('is refused where limits hold, before a call comes', async () => {
    await using started = await start();
    const { tool } = paying(cents);
    const words = 'amount of transfer_money must be a function that returns what is paid';

    expect(() =>
      createIntegration({ billing: started.billing, payments, phoneCalls: { tools: { own: [tool] } } }),
    ).toThrow(words);
    expect(() => started.integration.startPhoneCall({ ...call, tools: { own: [tool] } })).toThrow(words);
    for (const rules of [{ below: 5 }, { perCall: 5 }])
      expect(() => createToolbox({ tools: [tool], payments: rules })).toThrow(words);
    expect(() => createToolbox({ tools: [tool] })).not.toThrow();
  });

  test('is judged by what its function says', async () => {
    await using started = await start();
    const { tool, run } = paying(cents, { amount: (args) => args.cents / 100 });
    const { tools } = started.integration.startPhoneCall({ ...call, tools: { own: [tool] } });

    expect((await tools.run('transfer_money', { to: 'a', cents: 50_000 })).status).toBe('refused');
    expect(run).not.toHaveBeenCalled();
    expect((await tools.run('transfer_money', { to: 'a', cents: 49_999 })).status).toBe('done');
  });

  test.each([{}, { amount: null }, { amount: 'all' }, { amount: Number.NaN }])('pays nothing for %o', async (args) => {
    await using started = await start();
    const { tool, run } = paying(z.object({ amount: z.nullish(z.union([z.number(), z.string()])) }));
    const { tools } = started.integration.startPhoneCall({ ...call, tools: { own: [tool] } });

    expect((await tools.run('transfer_money', args)).status).toBe('refused');
    expect(run).not.toHaveBeenCalled();
  });
});

describe('rules of a toolbox', () => {
  test.each([
    [false, 'payments must be an object'],
    [{ below: 5, confirm: 'both' }, 'did you mean confirm of each tool?'],
    [{ below: 5, onceWithinMs: 86_400_000 }, 'did you mean payments of billingTools?'],
    [{ below: Number.NaN }, 'payments.below must be a number above 0'],
  ])('%o is refused', (rules, words) => {
    const { tool } = paying(z.object({ amount: z.number() }));

    expect(() => createToolbox({ tools: [tool], payments: rules as object })).toThrow(words);
  });
});

describe('a wrong store', () => {
  const callable = Object.assign(() => {}, createMemoryIdempotencyStore());

  test.each(['redis://127.0.0.1', 'Memory', 5, null, callable])('of a tenant is refused: %o', async (store) => {
    await using started = await start();
    await using tenants = createTenants({
      resolve: () => ({ billing: started.billing, payments, store: store as 'memory' }),
    });

    await expect(tenants.open('acme')).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/^store must be an idempotency store/) },
    });
  });

  test('of an integration is refused', async () => {
    await using started = await start();

    expect(() => createIntegration({ billing: started.billing, store: callable as unknown as 'memory' })).toThrow(
      'store must be an idempotency store',
    );
  });
});

describe('the customer whom the application named', () => {
  test('stays the one when a model repeats the number or address of the line', async () => {
    await using started = await start();
    const { id: customerId } = started.platform.billing.addCustomer({ name: 'Bob' });
    started.platform.billing.addInvoice({ id: 'inv_7', customer_id: customerId, amount: 7 });
    const { tools } = started.integration.startPhoneCall({ ...call, email: 'bob@example.com', customerId });

    for (const args of [{ phone }, { email: 'Bob@example.com' }, { phone, email: null }, {}])
      expect((await tools.run('lookup_customer_invoices', args)).value).toMatchObject({ customer_name: 'Bob' });
    expect((await tools.run('create_payment', { invoice_id: 'inv_1', amount: 1 })).status).toBe('refused');
    expect(started.charged()).toEqual([]);
  });
});

describe('an amount is said as it is charged', () => {
  test.each([
    [10.5, 'JPY', 'major', '10.5 Japanese yen'],
    [100.5, 'HUF', 'major', '100.50 Hungarian forints'],
    [12_050, 'HUF', 'minor', '120.50 Hungarian forints'],
    [125_050, 'COP', 'minor', '1,250.50 Colombian pesos'],
    [5000, 'ISK', 'minor', '5,000 Icelandic krónur'],
    [1500, 'KWD', 'minor', '1.500 Kuwaiti dinars'],
    [12.345, 'EUR', 'major', '12.345 euros'],
    [0.001, 'EUR', 'major', '0.001 euros'],
    [1.5, 'USD', 'minor', '0.015 US dollars'],
    [1.1, 'USD', 'major', '1 US dollar and 10 cents'],
    [999.99, 'eur', 'major', '999 euros and 99 cents'],
    [29, 'GBP', 'minor', '29 pence'],
  ] as const)('%s %s, %s: %s', (amount, currency, unit, words) => {
    expect(spokenAmount({ amount, currency, unit })).toBe(words);
  });

  test.each([
    ['IDR', 2],
    ['PKR', 2],
    ['jpy', 0],
    ['CLP', 0],
    ['TND', 3],
    ['CLF', 4],
    ['ZZZ', 2],
  ])('%s has %i decimals', (currency, decimals) => {
    expect(decimalsOf(currency)).toBe(decimals);
  });
});
