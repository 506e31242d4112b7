import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { apiKey, fromEnv } from '../../src/auth/index.ts';
import type { BillingOptions } from '../../src/billing/index.ts';
import { ClientError, InvalidArgumentError, StoreError } from '../../src/core/errors.ts';
import { createIntegration, type IntegrationOptions } from '../../src/integration.ts';
import { startPhoneCall } from '../../src/phone-call/start-phone-call.ts';
import { createTenants } from '../../src/tenants/create-tenants.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createToolbox, defineTool, type ErrorPlace, type Tool } from '../../src/tools/index.ts';
import * as z from '../../src/core/schema.ts';
import { connectPlatform } from '../support/connected-platform.ts';

beforeEach(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());
const warnings = () => vi.mocked(process.emitWarning).mock.calls.map(([message]) => String(message));

const phone = '+14155550100';
const payments = { card: () => 'pm_card', below: 5000, confirm: false } as const;
const call = { callId: 'CA1', direction: 'inbound', phone } as const;

/** An integration over the fake billing API, in which the caller owes one invoice. */
const start = async (own: Partial<BillingOptions> = {}, more: Partial<IntegrationOptions> = {}) => {
  const connected = await connectPlatform();
  const { platform, clientOptions } = connected;
  const { id: customer_id } = platform.billing.addCustomer({ phone });
  const { id: invoice_id } = platform.billing.addInvoice({ customer_id, amount: 20 });
  const reported: { readonly error: unknown; readonly place: ErrorPlace }[] = [];
  const options: IntegrationOptions = {
    billing: { ...clientOptions.billing, ...own },
    payments,
    ...more,
  };
  const integration = createIntegration({ onError: (error, place) => reported.push({ error, place }), ...options });
  const { tools } = integration.startPhoneCall(call);
  const lookUp = () => tools.run('lookup_customer_invoices', {}, { toolCallId: 'tc_1' });
  const pay = (context = {}) => tools.run('create_payment', { invoice_id, amount: 20 }, context);
  const errors = () => reported.map(({ error }) => error as Error & { readonly cause?: Error });
  return {
    platform,
    options,
    tools,
    lookUp,
    pay,
    reported,
    errors,
    [Symbol.asyncDispose]: async () => {
      await integration.close();
      await connected[Symbol.asyncDispose]();
    },
  };
};

describe('a look-up that fails is reported with the real error', () => {
  test.each<[string, Partial<BillingOptions>, RegExp]>([
    ['a missing variable', { authenticate: apiKey('X-Key', fromEnv('NO_SUCH_KEY')) }, /NO_SUCH_KEY must be set/],
    [
      'a source of secrets that throws',
      {
        authenticate: apiKey('X-Key', () => {
          throw new Error('the vault is sealed');
        }),
      },
      /its source gave no usable credential/,
    ],
    ['a wrong credential', { authenticate: apiKey('X-API-Key', () => 'wrong') }, /status 401/],
    [
      'a closed port',
      { baseUrl: 'http://127.0.0.1:1', backoff: { minimumMs: 0, maximumMs: 0 } },
      /no answer after 3 attempts/,
    ],
  ])('%s', async (_what, own, message) => {
    await using started = await start(own);

    await started.lookUp();

    expect(started.errors().map((error) => error.message)).toEqual([expect.stringMatching(message)]);
    expect(started.reported[0]?.place).toEqual({
      part: 'tool',
      tool: 'lookup_customer_invoices',
      callId: 'CA1',
      toolCallId: 'tc_1',
      tenant: undefined,
    });
    expect(warnings()).toEqual([]);
  });

  test.each<[string, Parameters<Awaited<ReturnType<typeof start>>['platform']['fault']>[1], RegExp]>([
    ['a 500 to each try', [{ status: 500, times: 9 }], /no answer after 3 attempts/],
    ['a 403', [{ status: 403 }], /status 403/],
    ['an answer that is no JSON', [{ status: 200, body: '<html>' }], /billing\.customers\.find: /],
    ['an answer of another shape', [{ status: 200, body: { customers: 'none' } }], /billing\.customers\.find: /],
  ])('%s', async (_what, faults, message) => {
    await using started = await start();
    started.platform.fault('billing.customers.find', faults);

    await started.lookUp();

    expect(started.errors().map((error) => error.message)).toEqual([expect.stringMatching(message)]);
  });

  test('its causes are there', async () => {
    await using started = await start({ authenticate: apiKey('X-Key', fromEnv('NO_SUCH_KEY')) });

    await started.lookUp();

    expect(started.errors()[0]?.cause).toBeInstanceOf(InvalidArgumentError);
  });

  test('the tenant is named', async () => {
    await using started = await start({ authenticate: apiKey('X-Key', () => 'wrong') }, { tenant: 'acme' });

    await started.lookUp();

    expect(started.reported[0]?.place.tenant).toBe('acme');
  });
});

describe('a payment', () => {
  test('whose end is unknown is reported with what happened', async () => {
    await using started = await start();
    await started.lookUp();
    started.platform.fault('billing.payments.create', [{ status: 500, times: 9 }]);

    expect(await started.pay()).toMatchObject({ status: 'unknown' });
    expect(started.errors().map((error) => error.message)).toEqual([expect.stringMatching(/no answer after/)]);
  });

  test('that is declined is not reported', async () => {
    await using started = await start();
    await started.lookUp();
    started.platform.fault('billing.payments.create', [{ status: 402, body: { error: 'Your card was declined.' } }]);

    await started.pay();

    expect(started.errors()).toEqual([]);
  });

  test('that the application takes back is not reported', async () => {
    await using started = await start();
    await started.lookUp();

    await started.pay({ signal: AbortSignal.abort() });

    expect(started.errors()).toEqual([]);
  });
});

describe('what is normal in a phone call is not reported', () => {
  test.each<[string, (started: Awaited<ReturnType<typeof start>>) => Promise<unknown>]>([
    [
      'a caller who is no customer',
      ({ tools }) =>
        tools.bind({ caller: { phone: '+15005550199', verified: 'caller-id' } }).run('lookup_customer_invoices', {}),
    ],
    ['wrong arguments of the model', ({ tools }) => tools.run('lookup_customer_invoices', '{"phone":')],
    [
      'an invoice that was not looked up',
      ({ tools }) => tools.run('create_payment', { invoice_id: 'inv_9', amount: 1 }),
    ],
    ['a name that the model made up', ({ tools }) => tools.run('transfer_money', {})],
    [
      'a caller who withheld the number',
      ({ tools }) => tools.bind({ caller: { verified: 'no' } }).run('lookup_customer_invoices', {}),
    ],
  ])('%s', async (_what, act) => {
    await using started = await start();

    await act(started);

    expect(started.errors()).toEqual([]);
    expect(warnings()).toEqual([]);
  });

  test('limits, and a confirmation that is asked for', async () => {
    const tools: Tool[] = [own('change', { effect: 'write', confirm: 'two-step' }), own('note', { effect: 'write' })];
    const errors: unknown[] = [];
    const toolbox = createToolbox({
      tools,
      limits: { writes: 1, toolCalls: 3 },
      context: { callId: 'CA1' },
      onError: (e) => errors.push(e),
    });

    for (const name of ['change', 'note', 'note', 'note', 'note']) await toolbox.run(name, {});

    expect(errors).toEqual([]);
  });
});

const own = (name: string, more: Partial<Parameters<typeof defineTool<object, unknown>>[0]> = {}) =>
  defineTool<object, unknown>({
    name,
    description: name,
    parameters: z.object({}),
    effect: 'read',
    run: () => 'done',
    ...more,
  });

describe("a tool of one's own", () => {
  const problem = new RangeError('Ada Lee owes 20');
  test.each<[string, Partial<Parameters<typeof defineTool<object, unknown>>[0]>, unknown]>([
    [
      'that throws',
      {
        run: () => {
          throw problem;
        },
      },
      problem,
    ],
    [
      'whose rule throws',
      {
        rules: [
          () => {
            throw problem;
          },
        ],
      },
      problem,
    ],
    [
      'whose compact throws',
      {
        compact: () => {
          throw problem;
        },
      },
      problem,
    ],
    [
      'that is refused by its API',
      {
        run: () => {
          throw new ClientError('no', { status: 409 });
        },
      },
      expect.any(ClientError),
    ],
    ['that throws nothing at all', { run: () => Promise.reject(undefined) }, undefined],
    ['whose own store fails', { run: () => Promise.reject(new StoreError('no')) }, expect.any(StoreError)],
  ])('%s is reported', async (_what, more, expected) => {
    const reported: unknown[] = [];
    const toolbox = createToolbox({
      tools: [own('mine', more)],
      context: { callId: 'CA1' },
      onError: (error) => reported.push(error),
    });

    await toolbox.run('mine', {});

    expect(reported).toEqual([expected]);
  });

  test('that is not done in time is reported once', async () => {
    vi.useFakeTimers();
    const reported: unknown[] = [];
    const run = (_args: object, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const toolbox = createToolbox({
      tools: [own('slow', { run })],
      deadline: 1_000,
      context: { callId: 'CA1' },
      onError: (error) => reported.push(error),
    });

    const result = toolbox.run('slow', {});
    await vi.advanceTimersByTimeAsync(2_000);
    await result;
    vi.useRealTimers();

    expect(reported).toMatchObject([{ code: 'deadline_exceeded', message: 'slow was not done when its time was up' }]);
  });
});

test.each([new StoreError('the database cannot be reached'), new Error('ECONNREFUSED')])(
  'a store that fails with $name is reported as a store',
  async (problem) => {
    const store = { ...createMemoryIdempotencyStore(), claim: () => Promise.reject(problem) };
    await using started = await start({}, { store });
    await started.lookUp();

    await started.pay();

    expect(started.reported[0]).toMatchObject({ error: problem, place: { part: 'store', callId: 'CA1' } });
  },
);

describe('a tool of this package that the phone call does not have', () => {
  test.each([
    ['create_payment', 'give createIntegration payments: { card, below }'],
    ['identify_caller', 'give createIntegration messaging'],
    ['log_call', 'give createIntegration crm'],
    ['transfer_to_human', 'give phoneCalls.tools.call transfer'],
    ['book_appointment', 'give phoneCalls.tools.call calendar'],
    ['create_ticket', 'give createIntegration messaging, and phoneCalls.tools.call ticketTypeId'],
  ])('%s: it is reported once, with what it takes', async (name, what) => {
    await using started = await start({}, { payments: undefined });

    await started.tools.run(name, {});
    await started.tools.bind({}).run(name, {});

    expect(started.errors().map(({ message }) => message)).toEqual([
      `the model asked for ${name}, which call CA1 doesn't have: ${what}`,
    ]);
  });

  test('a tool that was left out by name is not missing', async () => {
    await using started = await start();

    await started.tools.without(['create_payment']).run('create_payment', {});

    expect(started.errors()).toEqual([]);
  });
});

describe('without onError', () => {
  test('every phone call of an integration warns of one cause once', async () => {
    await using started = await start({ authenticate: apiKey('X-Key', fromEnv('NO_SUCH_KEY')) });
    await using integration = createIntegration(started.options);

    for (const callId of ['CA1', 'CA2', 'CA3']) {
      const { tools } = integration.startPhoneCall({ ...call, callId });
      await tools.run('lookup_customer_invoices', {});
      await tools.run('lookup_customer_invoices', {});
    }

    expect(warnings()).toEqual([
      'lookup_customer_invoices failed in call CA1: NO_SUCH_KEY must be set in the environment, ' +
        'such as with node --env-file=.env: it is missing or empty',
    ]);
  });
});

describe('finish', () => {
  test('each part that could not be written is reported', async () => {
    await using connected = await connectPlatform();
    const reported: [unknown, ErrorPlace][] = [];
    await using integration = createIntegration({
      crm: connected.clientOptions.crm,
      onError: (...given) => reported.push(given),
    });
    connected.platform.fault('crm.tasks.create', [{ status: 401, times: 9 }]);

    await integration.startPhoneCall(call).finish({ outcome: 'paid', summary: 'Paid.' });

    expect(reported).toEqual([
      [
        expect.any(ClientError),
        { part: 'finish', callId: 'CA1', tool: undefined, toolCallId: undefined, tenant: undefined },
      ],
    ]);
  });
});

describe('createTenants', () => {
  const open = async (own: Partial<IntegrationOptions>) => {
    const connected = await connectPlatform();
    connected.platform.fault('billing.customers.find', [{ status: 403 }]);
    const got: unknown[] = [];
    const tenants = createTenants({
      resolve: () => ({ billing: connected.clientOptions.billing, ...own }),
      onError: (_error, { tenantId, part, tool }) => got.push({ tenantId, part, tool }),
    });
    const tenant = await tenants.open('acme');
    await tenant.startPhoneCall(call).tools.run('lookup_customer_invoices', {});
    await tenants.close();
    await connected[Symbol.asyncDispose]();
    return got;
  };

  test('gets what fails for tenants without an onError of their own', async () => {
    expect(await open({})).toEqual([{ tenantId: 'acme', part: 'tool', tool: 'lookup_customer_invoices' }]);
  });

  test('leaves the others to theirs', async () => {
    const own: unknown[] = [];

    expect(await open({ onError: (_error, { tenant }) => own.push(tenant) })).toEqual([]);
    expect(own).toEqual(['acme']);
  });
});

describe('where onError is given', () => {
  test('a phone call without an integration takes it', async () => {
    await using connected = await connectPlatform();
    connected.platform.fault('billing.customers.find', [{ status: 403 }]);
    const reported: unknown[] = [];
    const { tools } = startPhoneCall(
      { billing: connected.clients.billing },
      { ...call, onError: (error) => reported.push(error) },
    );

    await tools.run('lookup_customer_invoices', {});

    expect(reported).toEqual([expect.any(ClientError)]);
  });

  test.each<[string, (options: IntegrationOptions) => unknown, string]>([
    [
      'phoneCalls.tools',
      (options) => createIntegration({ ...options, phoneCalls: { tools: { onError: () => {} } as never } }),
      'phoneCalls.tools.onError',
    ],
    [
      'the tools of a phone call',
      (options) => createIntegration(options).startPhoneCall({ ...call, tools: { onError: () => {} } as never }),
      'tools.onError',
    ],
    [
      'a phone call',
      (options) => createIntegration(options).startPhoneCall({ ...call, onError: () => {} } as never),
      'onError',
    ],
  ])('in %s it is refused, with where it goes', async (_what, make, field) => {
    await using started = await start();

    expect(() => make(started.options)).toThrow(
      `${field} is not an option: did you mean onError of createIntegration?`,
    );
  });
});
