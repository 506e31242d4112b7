import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiKey, fromEnv } from '../../src/auth/index.ts';
import { billingFrom } from '../../src/billing/index.ts';
import { InvalidArgumentError } from '../../src/core/errors.ts';
import { createIntegration, type IntegrationOptions } from '../../src/integration.ts';
import { phoneReader } from '../../src/phone/index.ts';
import { sqlite } from '../../src/stores/sqlite/index.ts';
import { chat } from '../../src/tools/providers/openai.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { ledgerBilling, ledgerClient, startLedger } from '../support/ledger.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const phone = '+14155550100';
const ringing = { callId: 'CA1', phone };
const payments = { card: () => 'card_1', below: 500, confirm: false } as const;

let platform: Awaited<ReturnType<typeof connectPlatform>>;
beforeEach(async () => {
  platform = await connectPlatform();
  const { billing } = platform.platform;
  const { id } = billing.addCustomer({ phone, name: 'Ada' });
  billing.addInvoice({ id: 'inv_1', customer_id: id, amount: 20 });
});
afterEach(() => platform[Symbol.asyncDispose]());
afterEach(() => void vi.restoreAllMocks());

/** The warnings of this process, each cause once. */
const warnings = () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return () => emit.mock.calls.map(([message]) => String(message));
};

const create = (options: Partial<IntegrationOptions> = {}) =>
  createIntegration({ billing: platform.clientOptions.billing, ...options });

/** The message of what is thrown. */
const thrownBy = async (mistake: () => unknown): Promise<string> => {
  try {
    await mistake();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was wrong';
};

describe('what goes wrong in a phone call is reported', () => {
  test('a variable that is missing', async () => {
    const said = warnings();
    const authenticate = apiKey('X-Api-Key', fromEnv('STRIPE_KEY'));
    const { tools } = create({ billing: { ...platform.clientOptions.billing, authenticate } }).startPhoneCall(ringing);

    await tools.run('lookup_customer_invoices', {});

    expect(said()).toEqual([
      'lookup_customer_invoices failed in call CA1: STRIPE_KEY must be set in the environment, such as with node --env-file=.env: it is missing or empty',
    ]);
  });

  test('a payment tool that no one turned on', async () => {
    const said = warnings();

    await create().startPhoneCall(ringing).tools.run('create_payment', {});

    expect(said()).toEqual([
      "the model asked for create_payment, which call CA1 doesn't have: give createIntegration payments: { card, below }",
    ]);
  });

  test('a number without its country', () => {
    const said = warnings();

    create().startPhoneCall({ callId: 'CA1', phone: '(415) 555-0100' });
    const readPhone = phoneReader({ defaultCountry: 'US' });
    const { caller } = create({ readPhone }).startPhoneCall({ callId: 'CA2', phone: '(415) 555-0100' });

    expect(said()).toEqual([
      "the number of call CA1 has no country code, so the caller counts as unknown: give createIntegration readPhone: phoneReader({ defaultCountry: 'US' })",
    ]);
    expect(caller.phone).toBe(phone);
  });

  test('a payment past the client that brings the key', async () => {
    const said: string[] = [];
    const onError = (error: unknown) => said.push((error as Error).message);
    await using ledger = await startLedger();
    const outside = ledgerClient(ledger.origin);
    const billing = ledgerBilling(outside, {
      pay: async ({ invoice_id: bill, minor_amount: cents }) => {
        await outside.charge({ body: { bill, cents, card: 'card_1' } });
        return { status: 'completed' };
      },
    });
    await using integration = createIntegration({ billing, payments, store: 'memory', onError });
    const { tools } = integration.startPhoneCall(ringing);

    await tools.run('lookup_customer_invoices', {});
    const { status } = await tools.run('create_payment', { invoice_id: 'B-1', amount: 120.5 });

    expect(status).toBe('unknown');
    expect(said).toContain(
      'billingFrom: pay sent nothing through its second argument, so the payment has no idempotency key: call api.charge(…) of that argument',
    );
  });

  test('a slip in a function of yours', async () => {
    const said = warnings();
    await using ledger = await startLedger();
    const billing = billingFrom(ledgerClient(ledger.origin), {
      currency: 'EUR',
      findByPhone: async () => Object(undefined).accounts.map(String),
      listOpen: async () => [],
    });
    const errors: unknown[] = [];
    const { tools } = createIntegration({ billing, onError: (error) => errors.push(error) }).startPhoneCall(ringing);

    await tools.run('lookup_customer_invoices', {});

    expect(errors).toMatchObject([
      { message: expect.stringMatching(/^billingFrom: findByPhone threw a TypeError at mistakes\.test\.ts:\d+:\d+$/) },
    ]);
    const [error] = errors as { readonly original: unknown }[];
    expect(error?.original).toBeInstanceOf(TypeError);
    expect(Object.keys(error ?? {})).not.toContain('original');
    expect(said()).toEqual([]);
  });
});

describe('what an application writes is refused', () => {
  test.each<[string, () => unknown, string]>([
    [
      'no limit of payments',
      () => create({ payments: { ...payments, below: 0 } }),
      'payments.below must be a number above 0: every payment stays below it',
    ],
    [
      'a misspelt word of confirm',
      () => create({ payments: { ...payments, confirm: 'two_step' as never } }),
      "payments.confirm must be 'two-step', 'approve', 'both' or false: did you mean 'two-step'?",
    ],
    [
      'one card for everyone',
      () => create({ payments: { ...payments, card: 'pm_1' as never } }),
      "payments.card must be a function that returns the saved card, such as cardOnFile, or 'from-model': a text would charge one card for every caller",
    ],
    [
      'a phone call with a looser limit',
      () => create({ payments }).startPhoneCall({ ...ringing, payments: { below: 600 } }),
      "payments.below of a phone call must be at most the integration's: a phone call can only be stricter (600 is above 500)",
    ],
    [
      'a placeholder as the id of a call',
      () => create().startPhoneCall({ callId: '{{call_id}}', phone }),
      'callId must be the id that your telephone platform gave the call: a placeholder was never filled in',
    ],
    [
      'an integration in place of a phone call',
      () => chat.tools(create() as never),
      'chat.tools takes a phone call, a turn, a live call or a toolbox: pass startPhoneCall(…)',
    ],
  ])('%s', async (_, mistake, sentence) => {
    expect(await thrownBy(mistake)).toBe(sentence);
    expect(mistake).toThrow(InvalidArgumentError);
  });

  test('a store in a folder that is missing', async () => {
    await using folder = await makeScratchFolder();
    const file = folder.file('none/voice-agent.db');

    expect(await thrownBy(() => create({ store: sqlite({ file }).idempotencyStore() }))).toBe(
      `store can't be used: unable to open database file ${file}: its folder must be there, and this process be allowed to write in it`,
    );
  });
});
