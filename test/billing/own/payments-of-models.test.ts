import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BillingFunctions } from '../../../src/billing/index.ts';
import { createIntegration, createTenants, type Integration, type IntegrationOptions } from '../../../src/index.ts';
import { createMemoryIdempotencyStore } from '../../../src/stores/memory/index.ts';
import type { IdempotencyStore, Toolbox } from '../../../src/tools/index.ts';
import { type Ledger, ledgerBilling, type LedgerClient, ledgerClient, startLedger } from '../../support/ledger.ts';

let ledger: Ledger;
beforeEach(async () => {
  ledger = await startLedger();
});
afterEach(() => ledger[Symbol.asyncDispose]());

interface Process {
  readonly functions?: Partial<BillingFunctions<LedgerClient>>;
  readonly client?: Parameters<typeof ledgerClient>[1];
  readonly store?: IdempotencyStore;
  readonly card?: string;
}

const made: Integration[] = [];
afterEach(async () => {
  for (const integration of made.splice(0)) await integration.close();
});

/** The options of a process of the application. */
const optionsOf = ({ functions, client, store, card }: Process): IntegrationOptions => ({
  billing: { ...ledgerBilling(ledgerClient(ledger.origin, client), functions) },
  payments: { below: 500, confirm: false, card: (customer) => card ?? String(customer['card']) },
  store,
});

const startProcess = (process: Process = {}) => {
  const onError = vi.fn<(error: unknown, place: { readonly tool: string | undefined }) => void>();
  const integration = createIntegration({ ...optionsOf(process), onError });
  made.push(integration);
  const ring = (callId: string) => integration.startPhoneCall({ callId, phone: '+14155550100' });
  return { integration, onError, ring };
};

const payment = { invoice_id: 'B-1', amount: 120.5 };
const lookUp = (tools: Toolbox) => tools.run('lookup_customer_invoices', {});
const payIn = async (tools: Toolbox, args: object = payment) => {
  await lookUp(tools);
  return tools.run('create_payment', args);
};
const charged = () => ledger.charges.map(({ bill, cents }) => `${bill} ${cents}`);

/** Charges with the client outside. */
const bypass =
  (outer: () => LedgerClient): BillingFunctions<LedgerClient>['pay'] =>
  async ({ invoice_id: bill, minor_amount: cents }) => {
    await outer().charge({ body: { bill, cents, card: 'card_1' } });
    return { status: 'completed' };
  };

const unkeyed =
  'billingFrom: pay sent nothing through its second argument, so the payment has no idempotency key: call ' +
  'api.charge(…) of that argument';

describe('a phone call', () => {
  test('looks up and pays what the functions say', async () => {
    const { tools } = startProcess().ring('CA1');

    expect((await lookUp(tools)).value).toMatchObject({
      customer_name: 'Jane',
      invoice_count: 2,
      total_outstanding: 129.5,
      currency: 'EUR',
      invoices: [
        { id: 'B-1', amount: 120.5, due_date: '2026-10-01' },
        { id: 'B-2', amount: 9 },
      ],
    });
    expect(await tools.run('create_payment', payment)).toMatchObject({
      status: 'done',
      value: { success: true, confirmation_number: 'R-1' },
    });
    expect(charged()).toEqual(['B-1 12050']);
  });

  test('counts in cents if the functions do', async () => {
    const functions: Process['functions'] = {
      unit: 'minor',
      listOpen: async (id, api) => {
        const { bills } = await api.bills({ id });
        return bills.map((one) => ({ id: one.bill_no, amount: one.cents_open }));
      },
    };
    const integration = createIntegration({
      ...optionsOf({ functions }),
      billing: { ...ledgerBilling(ledgerClient(ledger.origin), functions) },
      payments: { card: () => 'card_1', below: 50_000, confirm: false },
    });
    made.push(integration);
    const { tools } = integration.startPhoneCall({ callId: 'CA1', phone: '+14155550100' });

    expect((await lookUp(tools)).value).toMatchObject({ unit: 'minor', total_outstanding: 12950 });
    expect((await tools.run('create_payment', { invoice_id: 'B-1', amount: 12050 })).status).toBe('done');
    expect(charged()).toEqual(['B-1 12050']);
  });

  test.each([
    [
      'declined',
      async () => ({ status: 'declined', error_message: 'No funds' }) as const,
      'refused',
      { success: false, error: 'No funds' },
    ],
    ['already_paid', async () => ({ status: 'already_paid' }) as const, 'done', { success: true, already_paid: true }],
    ['pending', async () => ({ status: 'pending' }) as const, 'unknown', { error: 'payment_status_unknown' }],
  ] as const)('%s is what the tool says of it today', async (_status, end, status, value) => {
    const pay: BillingFunctions<LedgerClient>['pay'] = async ({ minor_amount: cents }, api) => {
      await api.charge({ body: { bill: 'B-1', cents, card: 'card_slow' } });
      return end();
    };

    expect(await payIn(startProcess({ functions: { pay } }).ring('CA1').tools)).toMatchObject({ status, value });
  });

  test('without pay, the model has no create_payment', async () => {
    const { tools } = startProcess({ functions: { pay: undefined } }).ring('CA1');

    expect(tools.find('create_payment')).toBeUndefined();
    expect((await lookUp(tools)).status).toBe('done');
  });

  test('knows a customer by the id that the application names, with findById', async () => {
    const call = async (functions: NonNullable<Process['functions']>) => {
      const { integration, onError } = startProcess({ functions });
      const { tools } = integration.startPhoneCall({ callId: 'CA1', customerId: 'A-1', verified: 'strong' });
      return { found: (await lookUp(tools)).value, onError };
    };

    const { found } = await call({ findById: async (id) => ({ id, name: 'Jane', card: 'card_1' }) });
    expect(found).toMatchObject({ customer_name: 'Jane', total_outstanding: 129.5 });
    const { onError } = await call({});
    expect(onError.mock.calls[0]?.[0]).toMatchObject({
      message: 'billing.customers.get: findById is missing: give it to billingFrom',
    });
  });

  test('reads ahead, and asks once', async () => {
    const { integration } = startProcess();
    const { tools } = integration.startPhoneCall({ callId: 'CA1', phone: '+14155550100', prefetch: ['invoices'] });
    await lookUp(tools);

    expect(ledger.requests.map(({ path }) => path)).toEqual(['/accounts', '/accounts/A-1/bills']);
  });

  test('a step pays under the key of the tool, so both charge once', async () => {
    const phoneCall = startProcess().ring('CA1');
    await payIn(phoneCall.tools);

    const again = await phoneCall.takePayment({
      customerId: 'A-1',
      invoiceId: 'B-1',
      amount: 120.5,
      paymentMethodId: 'card_1',
    });

    expect(again).toMatchObject({ success: true, confirmationNumber: 'R-1' });
    expect(charged()).toHaveLength(1);
  });

  test('strangers, and two customers with one number, learn nothing', async () => {
    const shown = async (phones: readonly string[]) => {
      const findByPhone = async () => phones.map((phone, index) => ({ id: `A-${index}`, phone }));
      const { tools } = startProcess({
        functions: { findByPhone, listOpen: async () => [{ id: 'B-9', amount: 5 }] },
      }).ring('CA1');
      return lookUp(tools);
    };

    expect((await shown(['+14155550199'])).value).toEqual({ error: 'customer_not_found' });
    expect((await shown(['+14155550100', '+1 415 555 0100'])).value).toMatchObject({
      reason: 'several_customers_match',
    });
  });

  test('warms up, has a status, and closes without the client, which stays yours', async () => {
    const client = ledgerClient(ledger.origin, { rateLimit: { limit: 50, perMs: 1000 } });
    const integration = createIntegration({
      billing: { ...ledgerBilling(client) },
      payments: { below: 500, confirm: false },
    });

    expect(await integration.warmUp()).toMatchObject({ billing: { ready: true } });
    expect(integration.status().billing).toMatchObject({ circuit: 'closed', rateLimit: { waiting: 0 } });
    await integration.close();
    expect((await client.bills({ id: 'A-1' })).bills).toHaveLength(2);
    await client.close();
  });

  test('the circuit of the client holds for the tools too', async () => {
    ledger.fail('/accounts', ...Array.from({ length: 9 }, () => ({ status: 500 })));
    const { integration, ring } = startProcess({ client: { attempts: 1, circuit: { minimumVolume: 2 } } });
    for (const callId of ['CA1', 'CA2', 'CA3']) await lookUp(ring(callId).tools);

    expect(integration.status().billing?.circuit).toBe('open');
    expect(ledger.requests).toHaveLength(2);
  });
});

describe('what goes wrong is heard', () => {
  test('a payment that bypasses its client, word by word', async () => {
    let outer: LedgerClient | undefined;
    const { ring, onError } = startProcess({
      functions: { pay: bypass(() => (outer ??= ledgerClient(ledger.origin))) },
    });

    const { status, text } = await payIn(ring('CA1').tools);

    expect(status).toBe('unknown');
    expect(text).toContain('Calling again does nothing');
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: unkeyed }),
      expect.objectContaining({ tool: 'create_payment', callId: 'CA1' }),
    );
  });

  test('a step that bypasses it too', async () => {
    const { ring, onError } = startProcess({ functions: { pay: bypass(() => ledgerClient(ledger.origin)) } });

    const result = await ring('CA1').takePayment({
      customerId: 'A-1',
      invoiceId: 'B-1',
      amount: 120.5,
      paymentMethodId: 'card_1',
    });

    expect(result).toMatchObject({ success: false, outcome: 'unknown', cause: { message: unkeyed } });
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: unkeyed }),
      expect.objectContaining({ part: 'phone-call', callId: 'CA1' }),
    );
  });

  test('what a function throws, without its data', async () => {
    const findByPhone = async (phone: string): Promise<never> => {
      throw new TypeError(`no account of ${phone}`);
    };
    const { ring, onError } = startProcess({ functions: { findByPhone } });

    const { text } = await lookUp(ring('CA1').tools);

    const [[error] = []] = onError.mock.calls;
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^billingFrom: findByPhone threw a TypeError at payments-of-models\.test\.ts:\d+:\d+$/,
      ),
      original: new TypeError('no account of +14155550100'),
    });
    expect(text).not.toContain('4155550100');
    expect(JSON.stringify(error)).not.toContain('4155550100');
  });

  test('what a function returns wrongly', async () => {
    const listOpen = async () => [{ id: 'B-1', amount: '120.50' as never }];
    const { ring, onError } = startProcess({ functions: { listOpen } });

    expect((await lookUp(ring('CA1').tools)).value).toEqual({ error: 'unexpected_response' });
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ message: 'billingFrom: listOpen[0].amount must be a number' });
  });
});

test('who hangs up while it is charged has paid, and learns so when they ring back', async () => {
  const { ring } = startProcess();
  const { tools } = ring('CA1');
  await lookUp(tools);
  ledger.fail('/charges', 'hang');
  const stop = new AbortController();
  const onSettled = vi.fn();
  const paying = tools.run('create_payment', payment, { signal: stop.signal, onSettled });
  await ledger.hanging('/charges');
  stop.abort();

  expect((await paying).value).toMatchObject({ outcome: 'unknown' });
  ledger.release();
  await vi.waitFor(() => expect(onSettled).toHaveBeenCalledOnce());
  expect(onSettled.mock.calls[0]?.[0]).toMatchObject({
    result: { status: 'done', value: { confirmation_number: 'R-1' } },
  });
  expect((await payIn(ring('CA2').tools)).value).toMatchObject({ already_paid: true, confirmation_number: 'R-1' });
  expect(charged()).toHaveLength(1);
});

describe('a payment whose end is unknown is never charged twice', () => {
  /** Two processes and a store that both share. */
  const processes = (process: Process) => {
    const store = createMemoryIdempotencyStore();
    return [startProcess({ ...process, store }), startProcess({ ...process, store })] as const;
  };

  test('by who rings back in another process, with an API that knows keys', async () => {
    const [first, second] = processes({ client: { attempts: 1 } });
    ledger.fail('/charges', 'lose');
    expect((await payIn(first.ring('CA1').tools)).status).toBe('unknown');
    ledger.bills.push({ bill_no: 'B-1', acct_no: 'A-1', cents_open: 12050, due_on: '2026-10-01' });

    expect(await payIn(second.ring('CA2').tools)).toMatchObject({
      status: 'done',
      value: { confirmation_number: 'R-1' },
    });
    expect(charged()).toHaveLength(1);
  });

  const keyless: Process = {
    client: { attempts: 1, idempotency: 'none' },
  };

  test.each<[string, Process]>([
    ['does not know keys', keyless],
    ['is bypassed', { functions: { pay: bypass(() => ledgerClient(ledger.origin)) } }],
    [
      'is bypassed by code that fails then',
      {
        functions: {
          pay: async ({ minor_amount: cents }) => {
            await fetch(`${ledger.origin}/charges`, {
              method: 'POST',
              headers: { 'x-key': 'ledger-key' },
              body: JSON.stringify({ bill: 'B-1', cents, card: 'card_1' }),
            });
            throw new SyntaxError('no JSON');
          },
        },
      },
    ],
  ])('by anyone, in any process, where the API %s', async (_how, process) => {
    const [first, second] = processes(process);
    ledger.fail('/charges', 'lose');
    const phoneCall = first.ring('CA1');
    const states = [(await payIn(phoneCall.tools)).status];
    ledger.bills.push({ bill_no: 'B-1', acct_no: 'A-1', cents_open: 12050, due_on: '2026-10-01' });
    for (const tools of [
      phoneCall.tools,
      first.ring('CA2').tools,
      second.ring('CA1').tools,
      second.ring('CA3').tools,
    ]) {
      const { status, text } = await payIn(tools);
      states.push(status);
      expect(text).toContain('a colleague has to look');
    }

    expect(new Set(states)).toEqual(new Set(['unknown']));
    expect(charged()).toHaveLength(1);
  });

  test.each<[string, Process]>([
    ['does not know keys', keyless],
    ['is bypassed', { functions: { pay: bypass(() => ledgerClient(ledger.origin)) } }],
  ])('by the step of another process, where the API %s', async (_how, process) => {
    const [first, second] = processes(process);
    ledger.fail('/charges', 'lose');
    const input = { customerId: 'A-1', invoiceId: 'B-1', amount: 120.5, paymentMethodId: 'card_1' };

    for (const { ring } of [first, first, second, second]) {
      expect(await ring('CA1').takePayment(input)).toMatchObject({ success: false, outcome: 'unknown' });
    }
    expect(charged()).toHaveLength(1);
  });
});

test('the payments of tenants are kept apart, also over one client', async () => {
  const client = ledgerClient(ledger.origin);
  const options = {
    ...optionsOf({}),
    billing: { ...ledgerBilling(client) },
    payments: { below: 500, confirm: false as const, card: () => 'card_1' },
  };
  await using tenants = createTenants({ resolve: () => options });
  for (const id of ['one', 'two']) {
    await tenants.use(id, async (tenant) => {
      const { tools } = tenant.startPhoneCall({ callId: 'CA1', phone: '+14155550100' });
      ledger.bills.push({ bill_no: 'B-3', acct_no: 'A-1', cents_open: 500, due_on: '2026-10-03' });
      expect((await payIn(tools, { invoice_id: 'B-3', amount: 5 })).value).toMatchObject({ success: true });
    });
  }

  expect(charged()).toEqual(['B-3 500', 'B-3 500']);
});
