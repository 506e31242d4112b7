import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { createIntegration, type IntegrationOptions } from '../../src/integration.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory/index.ts';
import { defineTool, type PaymentsOfCall } from '../../src/tools/index.ts';
import * as z from '../../src/core/schema.ts';
import { connectPlatform } from '../support/connected-platform.ts';

const phone = '+14155550100';
const call = { callId: 'CA1', phone };
const payments = { card: () => 'pm_1', below: 500 } as const;

/** A caller who owes two invoices, and a tool that pays somewhere else. */
const start = async (options: Partial<IntegrationOptions> = {}) => {
  const connected = await connectPlatform();
  const { platform, clientOptions } = connected;
  const { id: customer_id } = platform.billing.addCustomer({ phone, name: 'Ada' });
  for (const [id, amount] of [['inv_1', 120.5] as const, ['inv_2', 400] as const])
    platform.billing.addInvoice({ id, customer_id, amount });
  const run = vi.fn(() => ({ success: true }));
  const transfer = defineTool({
    name: 'transfer_money',
    description: 'Sends money.',
    parameters: z.object({ to: z.string(), amount: z.number() }),
    effect: 'payment',
    confirm: false,
    run,
  });
  const integration = createIntegration({ billing: clientOptions.billing, ...options });
  const charged = () => platform.billing.payments.map(({ amount }) => amount);
  return {
    platform,
    integration,
    transfer,
    run,
    charged,
    clientOptions,
    [Symbol.asyncDispose]: connected[Symbol.asyncDispose],
  };
};

const pay = { invoice_id: 'inv_1', amount: 120.5 };

beforeEach(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

describe('without payments no money moves', () => {
  test('by code', async () => {
    await using started = await start();
    const { integration } = started;
    const payment = { customer_id: 'c', invoice_id: 'inv_1', amount: 1, payment_method_id: 'pm_1' };
    const input = { customerId: 'c', invoiceId: 'inv_1', amount: 1, paymentMethodId: 'pm_1' };
    const words =
      'payments is missing, so no money moves: give createIntegration or createBillingClient payments: { below }';

    await expect(integration.billing.payments.create(payment)).rejects.toThrow(words);
    await expect(integration.startPhoneCall(call).takePayment(input)).rejects.toThrow(words);
    expect(started.charged()).toEqual([]);
  });

  test('by a model, and the look-up still works', async () => {
    await using started = await start();
    const { tools } = started.integration.startPhoneCall(call);

    expect(tools.find('create_payment')).toBeUndefined();
    expect((await tools.run('create_payment', pay)).status).toBe('refused');
    expect((await tools.run('lookup_customer_invoices', {})).value).toMatchObject({ invoice_count: 2 });
    expect(started.charged()).toEqual([]);
  });

  test.each([{ below: 500 }, { ...payments }])('payments of a phone call alone are refused: %o', async (ofCall) => {
    await using started = await start();

    expect(() => started.integration.startPhoneCall({ ...call, payments: ofCall })).toThrow(
      'payments a phone call can only be stricter: give createIntegration payments: { below } first',
    );
  });

  test('a limit alone lets no model pay', async () => {
    await using started = await start({ payments: { below: 500 } });

    expect(started.integration.startPhoneCall(call).tools.find('create_payment')).toBeUndefined();
  });
});

describe('by default a payment', () => {
  test('asks the caller, in words for ears, and charges exactly that after the yes', async () => {
    await using started = await start({ payments });
    const phoneCall = started.integration.startPhoneCall(call);
    const tools = (heard: string) => phoneCall.turn({ heard }).tools;
    const first = tools('Please pay my invoice.');
    await first.run('lookup_customer_invoices', {});
    const { value } = await first.run('create_payment', pay);
    const { summary, confirmation_token } = value as { summary: string; confirmation_token: string };

    expect(summary).toBe('Shall I charge 120.50 to the card on file?');
    expect(started.charged()).toEqual([]);
    const second = tools('Yes, please.');
    expect(await second.run('create_payment', { ...pay, amount: 100, confirmation_token })).toMatchObject({
      value: { error: 'confirmation_required' },
    });
    expect(await second.run('create_payment', { ...pay, confirmation_token })).toMatchObject({ status: 'done' });
    expect(started.charged()).toEqual([120.5]);
  });

  test.each([
    ['EUR', 120.5, '120 euros and 50 cents'],
    ['EUR', 400, '400 euros'],
    ['GBP', 120.01, '120 British pounds and 1 penny'],
    ['USD', 0.5, '50 cents'],
    ['JPY', 400, '400 Japanese yen'],
    ['DKK', 120.5, '120.50 Danish kroner'],
  ])('is said in %s: %s', async (currency, amount, words) => {
    await using started = await start();
    const { platform, clientOptions } = started;
    const integration = createIntegration({ billing: { ...clientOptions.billing, currency }, payments });
    const { id: customer_id } = platform.billing.addCustomer({ phone: '+14155550111' });
    platform.billing.addInvoice({ id: 'inv_9', customer_id, amount });
    const { tools } = integration.startPhoneCall({ callId: 'CA9', phone: '+14155550111' });
    await tools.run('lookup_customer_invoices', {});

    expect((await tools.run('create_payment', { invoice_id: 'inv_9', amount })).value).toMatchObject({
      summary: `Shall I charge ${words} to the card on file?`,
    });
  });

  test('is said in other words, if the application has some', async () => {
    const words = {
      create_payment: {
        summarize: ({ amount }: { readonly [name: string]: unknown }) => `Soll ich ${String(amount)} Euro abbuchen?`,
      },
    };
    await using started = await start({ payments, phoneCalls: { tools: { words } } });
    const { tools } = started.integration.startPhoneCall(call);
    await tools.run('lookup_customer_invoices', {});

    expect((await tools.run('create_payment', pay)).value).toMatchObject({ summary: 'Soll ich 120.5 Euro abbuchen?' });
  });

  test('of a model that has not looked up charges nothing, and the model is given the invoices', async () => {
    await using started = await start({ payments: { ...payments, confirm: false } });
    const { tools } = started.integration.startPhoneCall(call);

    expect((await tools.run('create_payment', pay)).value).toMatchObject({
      success: false,
      error: 'look_up_first',
      invoices: [{ id: 'inv_1' }, { id: 'inv_2' }],
    });
    expect(started.charged()).toEqual([]);
    expect(await tools.run('create_payment', pay)).toMatchObject({ status: 'done' });
  });

  test('needs the number that the network transmitted', async () => {
    await using started = await start({ payments: { ...payments, confirm: false } });
    const { tools } = started.integration.startPhoneCall({ callId: 'CA1', phone: 'anonymous' });

    expect((await tools.run('create_payment', pay)).value).toMatchObject({ reason: 'verification_required' });
  });

  test('is of the customer whom the application named', async () => {
    await using started = await start({ payments: { ...payments, confirm: false } });
    const { platform } = started;
    const other = platform.billing.addCustomer({ name: 'Bob' });
    platform.billing.addInvoice({ id: 'inv_7', customer_id: other.id, amount: 7 });
    const known = { ...call, customerId: other.id };
    const { tools } = started.integration.startPhoneCall(known);

    expect((await tools.run('lookup_customer_invoices', {})).value).toMatchObject({ customer_name: 'Bob' });
    expect(await tools.run('create_payment', { invoice_id: 'inv_7', amount: 7 })).toMatchObject({ status: 'done' });
    expect(platform.billing.payments).toMatchObject([{ customer_id: other.id }]);
    const unsure = started.integration.startPhoneCall({ ...known, callId: 'CA2', phone: 'anonymous' });
    expect((await unsure.tools.run('lookup_customer_invoices', {})).value).toMatchObject({
      reason: 'verification_required',
    });
  });
});

describe('the limits hold for every payment tool', () => {
  test('below, for one payment', async () => {
    await using started = await start({ payments: { below: 100 } });
    const { run, transfer } = started;
    const { tools } = started.integration.startPhoneCall({ ...call, tools: { own: [transfer] } });

    for (const amount of [100, 1e9, Number.MAX_VALUE])
      expect((await tools.run('transfer_money', { to: 'a', amount })).value).toMatchObject({
        fields: [{ field: 'amount', problem: 'must be below 100' }],
      });
    expect(run).not.toHaveBeenCalled();
    expect(await tools.run('transfer_money', { to: 'a', amount: 99.99 })).toMatchObject({ status: 'done' });
  });

  test('perCall, for all of them together, and it is below unless said otherwise', async () => {
    await using started = await start({ payments: { ...payments, confirm: false } });
    const { transfer, run } = started;
    const { tools } = started.integration.startPhoneCall({ ...call, tools: { own: [transfer] } });
    await tools.run('lookup_customer_invoices', {});

    expect((await tools.run('transfer_money', { to: 'a', amount: 100 })).status).toBe('done');
    expect((await tools.run('create_payment', { invoice_id: 'inv_2', amount: 400 })).value).toMatchObject({
      reason: 'payment_limit_reached',
    });
    expect((await tools.run('create_payment', { invoice_id: 'inv_2', amount: 399.99 })).status).toBe('done');
    expect((await tools.run('transfer_money', { to: 'b', amount: 0.02 })).status).toBe('refused');
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('requires', async () => {
    await using started = await start({ payments: { below: 100, requires: 'strong' } });
    const { transfer, run } = started;
    const phoneCall = started.integration.startPhoneCall({ ...call, tools: { own: [transfer] } });
    const args = { to: 'a', amount: 5 };

    expect((await phoneCall.tools.run('transfer_money', args)).value).toMatchObject({
      reason: 'verification_required',
    });
    expect(run).not.toHaveBeenCalled();
    phoneCall.verifyCaller('strong');
    expect((await phoneCall.tools.run('transfer_money', args)).status).toBe('done');
  });

  test('an own payment tool asks the caller unless it says otherwise', () => {
    const tool = { name: 'pay', description: 'Pays.', parameters: z.object({}), run: () => ({}) };

    expect(defineTool({ ...tool, effect: 'payment' }).confirm).toBe('two-step');
    expect(defineTool({ ...tool, effect: 'write' }).confirm).toBe(false);
  });
});

const strict = {
  card: () => 'pm_1',
  below: 500,
  perCall: 800,
  confirm: 'two-step',
  requires: 'caller-id',
  onceWithinMs: 7_200_000,
} as const;

describe('a phone call is stricter, never looser', () => {
  test.each<PaymentsOfCall>([
    { below: 50 },
    { below: 500, perCall: 800 },
    { perCall: 100 },
    { confirm: 'both' },
    { requires: 'strong' },
    { onceWithinMs: 86_400_000 },
    { card: () => 'pm_2' },
    {},
    false,
  ])('%o is allowed', async (ofCall) => {
    await using started = await start({ payments: strict, phoneCalls: { tools: { approve: () => true } } });
    const { tools } = started.integration.startPhoneCall({ ...call, payments: ofCall });

    expect(tools.find('create_payment') === undefined).toBe(ofCall === false);
  });

  test.each<[PaymentsOfCall, field: string, values: string]>([
    [{ below: 600 }, 'below', '600 is above 500'],
    [{ perCall: 801 }, 'perCall', '801 is above 800'],
    [{ confirm: false }, 'confirm', 'false is looser than two-step'],
    [{ confirm: 'approve' }, 'confirm', 'approve is looser than two-step'],
    [{ onceWithinMs: 3_600_000 }, 'onceWithinMs', '3600000 is looser than 7200000'],
  ])('%o is refused with both values', async (ofCall, field, values) => {
    await using started = await start({ payments: strict });
    const begin = () => started.integration.startPhoneCall({ ...call, payments: ofCall });

    expect(begin).toThrow(InvalidArgumentError);
    expect(begin).toThrow(`payments.${field} of a phone call must be`);
    expect(begin).toThrow('a phone call can only be stricter');
    expect(begin).toThrow(values);
  });

  test.each<[PaymentsOfCall, PaymentsOfCall]>([
    [{ requires: 'strong' }, { requires: 'caller-id' }],
    [{ confirm: 'both' }, { confirm: 'two-step' }],
    [{ confirm: 'approve' }, { confirm: 'two-step' }],
    [{ onceWithinMs: undefined }, { onceWithinMs: 3_600_000 }],
  ])('%o is not made looser by %o', async (own, ofCall) => {
    await using started = await start({
      payments: { ...payments, ...(own as object) },
      phoneCalls: { tools: { approve: () => true } },
    });

    expect(() => started.integration.startPhoneCall({ ...call, payments: ofCall })).toThrow('can only be stricter');
  });

  test('false leaves out every tool that pays', async () => {
    await using started = await start({ payments });
    const { tools } = started.integration.startPhoneCall({
      ...call,
      payments: false,
      tools: { own: [started.transfer] },
    });

    expect(tools.tools().map(({ name }) => name)).toEqual(['lookup_customer_invoices']);
  });

  test('a lower limit holds for the model', async () => {
    await using started = await start({ payments: { ...payments, confirm: false } });
    const { tools } = started.integration.startPhoneCall({ ...call, payments: { below: 50 } });
    await tools.run('lookup_customer_invoices', {});

    expect((await tools.run('create_payment', pay)).value).toMatchObject({ fields: [{ field: 'amount' }] });
    expect((await tools.run('create_payment', { ...pay, amount: 49.99 })).status).toBe('done');
    expect((await tools.run('create_payment', { ...pay, amount: 1 })).value).toMatchObject({
      reason: 'payment_limit_reached',
    });
    expect(started.charged()).toEqual([49.99]);
  });
});

describe('the store', () => {
  const payOnce = async (options: Partial<IntegrationOptions>, create = createIntegration) => {
    await using started = await start();
    const { platform } = started;
    // An address that isn't this machine's, answered by the fake platform.
    const baseUrl = 'https://billing.example';
    const forward: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      const to = new URL(request.url);
      return fetch(`${String(started.clientOptions.billing.baseUrl)}${to.pathname}${to.search}`, {
        method: request.method,
        headers: request.headers,
        body: request.method === 'GET' ? null : await request.text(),
      });
    };
    const integration = create({
      billing: { ...started.clientOptions.billing, baseUrl, fetch: forward },
      payments: { ...payments, confirm: false },
      ...options,
    });
    for (const callId of ['CA1', 'CA2']) {
      const { tools } = integration.startPhoneCall({ callId, phone });
      await tools.run('lookup_customer_invoices', {});
      await tools.run('create_payment', { invoice_id: callId === 'CA1' ? 'inv_1' : 'inv_2', amount: 20 });
    }
    expect(platform.effects('billing.payments.create')).toBe(2);
  };
  const warnings = () => vi.mocked(process.emitWarning).mock.calls.map(([message]) => String(message));

  test.each<[string, Partial<IntegrationOptions>]>([
    ["'memory'", { store: 'memory' }],
    ['a store', { store: createMemoryIdempotencyStore() }],
  ])('%s warns of nothing', async (_what, options) => {
    await payOnce(options);

    expect(warnings()).toEqual([]);
  });

  test('of this process alone is warned of at the first payment of a model, once', async () => {
    // A process that has warned of nothing yet.
    vi.resetModules();
    const fresh = await import('../../src/integration.ts');
    await payOnce({}, fresh.createIntegration);
    await payOnce({}, fresh.createIntegration);

    expect(warnings()).toEqual([
      expect.stringMatching(/^a model makes a payment that only the memory .* createIntegration a store/),
    ]);
  });

  test('on this machine is not warned of', async () => {
    await using started = await start({ payments: { ...payments, confirm: false } });
    const { tools } = started.integration.startPhoneCall(call);
    await tools.run('lookup_customer_invoices', {});
    await tools.run('create_payment', pay);

    expect(started.charged()).toEqual([120.5]);
    expect(warnings()).toEqual([]);
  });

  test('shares what a phone call has looked up, and a yes, between processes', async () => {
    const store = createMemoryIdempotencyStore();
    await using started = await start();
    const processOf = () =>
      createIntegration({ billing: started.clientOptions.billing, payments, store }).startPhoneCall(call);
    const [one, other] = [processOf(), processOf()];
    await one.turn({ heard: 'Please pay.' }).tools.run('lookup_customer_invoices', {});
    const { value } = await other.turn({ heard: 'The first one.' }).tools.run('create_payment', pay);
    const { confirmation_token } = value as { confirmation_token: string };
    const yes = { ...pay, confirmation_token };

    expect(await one.turn({ heard: 'Yes.' }).tools.run('create_payment', yes)).toMatchObject({ status: 'done' });
    expect(await other.turn({ heard: 'Yes.' }).tools.run('create_payment', yes)).toMatchObject({ replayed: true });
    expect(started.charged()).toEqual([120.5]);
  });
});
