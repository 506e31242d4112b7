import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBillingClient } from '../../src/billing/index.ts';
import type { IdempotencyStore } from '../../src/stores/ports/idempotency-store.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createSqliteIdempotencyStore } from '../../src/stores/sqlite/idempotency-store.ts';
import {
  billingTools,
  createToolbox,
  defineTool,
  type ToolCaller,
  type ToolboxOptions,
} from '../../src/tools/index.ts';
import { telnyx } from '../../src/tools/providers/http.ts';
import { serve } from '../support/serve.ts';
import * as z from 'zod';
import { createCallMemory, createSharedCallMemory } from '../../src/tools/call-memory.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const phone = '+14155550100';

/** Processes that answer one phone call. */
const start = async (phoneCallStore: IdempotencyStore | undefined, options: Partial<ToolboxOptions> = {}) => {
  const { platform, clientOptions, ...rest } = await connectPlatform();
  const customer = platform.billing.addCustomer({ name: 'Jane', phone });
  const { id: invoice_id } = platform.billing.addInvoice({ customer_id: customer.id, amount: 120.5 });
  const store = createMemoryIdempotencyStore();
  const errors: unknown[] = [];
  const process = () =>
    createToolbox({
      tools: billingTools({
        billing: createBillingClient({ ...clientOptions.billing, payments: { below: 5000 } }),
        payments: { card: () => 'pm_1', confirm: false },
        store: phoneCallStore,
      }),
      context: { callId: 'CA1', caller: { phone, verified: 'caller-id' } },
      store,
      ...options,
      onError: (error) => errors.push(error),
    });
  return { platform, invoice_id, process, errors, [Symbol.asyncDispose]: rest[Symbol.asyncDispose] };
};

const openStores: Readonly<Record<string, () => Promise<{ store: IdempotencyStore; close: () => Promise<void> }>>> = {
  memory: async () => ({ store: createMemoryIdempotencyStore(), close: async () => {} }),
  SQLite: async () => {
    const folder = await makeScratchFolder();
    const store = createSqliteIdempotencyStore({ file: folder.file('calls.db') });
    const close = async () => {
      await store.close();
      await folder.remove();
    };
    return { store, close };
  },
};

describe.each(Object.keys(openStores))('one phone call in two processes that share a store in %s', (name) => {
  let opened: { store: IdempotencyStore; close: () => Promise<void> };
  beforeEach(async () => {
    opened = await openStores[name]!();
  });
  afterEach(() => opened.close());

  test('what one has looked up, the other can pay, and no more than that', async () => {
    await using started = await start(opened.store);
    const { platform, invoice_id, process } = started;
    const [one, other] = [process(), process()];
    await one.run('lookup_customer_invoices', {});

    expect(await other.run('create_payment', { invoice_id, amount: 4000 })).toMatchObject({
      value: { fields: [{ field: 'amount', problem: 'must not be above what is outstanding' }] },
    });
    expect(await other.run('create_payment', { invoice_id, amount: 100 })).toMatchObject({ status: 'done' });
    expect(await one.run('create_payment', { invoice_id, amount: 100 })).toMatchObject({
      value: { already_paid: true },
    });
    expect(await one.run('create_payment', { invoice_id, amount: 30 })).toMatchObject({
      value: { fields: [{ field: 'amount', problem: 'must not be above what is outstanding' }] },
    });
    expect(platform.effects('billing.payments.create')).toBe(1);
  });

  test('limits hold in both together, also at the same moment', async () => {
    await using started = await start(opened.store, { payments: { perCall: 100 }, limits: { toolCalls: 4 } });
    const { platform, invoice_id, process } = started;
    const [one, other] = [process(), process()];
    await one.run('lookup_customer_invoices', {});

    const results = await Promise.all([
      one.run('create_payment', { invoice_id, amount: 60 }),
      other.run('create_payment', { invoice_id, amount: 50 }),
    ]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['done', 'refused']);
    expect(platform.effects('billing.payments.create')).toBe(1);
    await other.run('lookup_customer_invoices', {});
    expect(await one.run('lookup_customer_invoices', {})).toMatchObject({ value: { reason: 'too_many_tool_calls' } });
  });
});

test('without a shared store a process refuses to pay what another has looked up', async () => {
  await using started = await start(undefined);
  const { platform, invoice_id, process } = started;
  await process().run('lookup_customer_invoices', {});

  expect(await process().run('create_payment', { invoice_id, amount: 120.5 })).toMatchObject({
    status: 'refused',
    value: { error: 'look_up_first', invoices: [{ id: invoice_id, amount: 120.5 }] },
  });
  expect(platform.effects('billing.payments.create')).toBe(0);
});

test('pays nothing while the shared store is down', async () => {
  const memory = createMemoryIdempotencyStore();
  let isAway = false;
  const away = () => Promise.reject(new Error('no store'));
  const store: IdempotencyStore = {
    ...memory,
    claim: (...all) => (isAway ? away() : memory.claim(...all)),
    read: (...all) => (isAway ? away() : memory.read(...all)),
  };
  await using started = await start(store);
  const { platform, invoice_id, process, errors } = started;
  const toolbox = process();
  await toolbox.run('lookup_customer_invoices', {});
  isAway = true;

  expect(await toolbox.run('create_payment', { invoice_id, amount: 20 })).toMatchObject({ status: 'failed' });
  expect(platform.effects('billing.payments.create')).toBe(0);
  expect(errors).toContainEqual(new Error('no store'));
});

test('changes of one phone call follow one another', async () => {
  const store = createMemoryIdempotencyStore();
  const process = () =>
    createSharedCallMemory<{ count: number }>({
      name: 'count',
      // Only `toJson` writes there.
      start: (kept) => (kept as { count: number } | undefined) ?? { count: 0 },
      toJson: (state) => state,
      store,
    });
  const processes = [process(), process(), process()];
  const call = { tenant: undefined, callId: 'CA1' };

  await Promise.all(
    processes.flatMap((one) => Array.from({ length: 5 }, () => one.change(call, (state) => (state.count += 1)))),
  );

  expect(await process().read(call, ({ count }) => count)).toBe(15);
  expect(await process().read({ ...call, callId: 'CA2' }, ({ count }) => count)).toBe(0);
  expect(await process().read({ ...call, tenant: 'acme' }, ({ count }) => count)).toBe(0);
});

test('a state that another process holds for too long is an error', async () => {
  vi.useFakeTimers();
  try {
    const store = createMemoryIdempotencyStore();
    const held: IdempotencyStore = {
      ...store,
      claim: async () => ({ state: 'in-progress', retryAfterMs: 1 }),
      read: async () => ({ state: 'in-progress', retryAfterMs: 1 }),
    };
    const state = createSharedCallMemory({ name: 'n', start: () => ({}), toJson: (one) => one, store: held });
    const call = { tenant: undefined, callId: 'CA1' };
    const ends = Promise.allSettled([state.read(call, (one) => one), state.change(call, (one) => one)]);
    await vi.advanceTimersByTimeAsync(2_100);

    expect((await ends).map((end) => (end.status === 'rejected' ? String(end.reason) : end.value))).toEqual([
      'StoreError: the state of the phone call is held by another process',
      'StoreError: the state of the phone call is held by another process',
    ]);
  } finally {
    vi.useRealTimers();
  }
});

const [ann, bob] = ['+14155550100', '+14155550199'];

describe.each(['the memory of one process', 'a store that processes share'])(
  'two people with one call id, in %s',
  (where) => {
    const open = async () => {
      const { platform, clientOptions, ...rest } = await connectPlatform();
      const customer = platform.billing.addCustomer({ name: 'Ann', phone: ann });
      const { id: invoice_id } = platform.billing.addInvoice({ customer_id: customer.id, amount: 120.5 });
      const phoneCallStore = where.startsWith('a store') ? createMemoryIdempotencyStore() : undefined;
      const store = createMemoryIdempotencyStore();
      const process = () =>
        createToolbox({
          tools: billingTools({
            billing: createBillingClient({ ...clientOptions.billing, payments: { below: 5000 } }),
            payments: { card: () => 'pm_1', confirm: false },
            store: phoneCallStore,
          }),
          context: { callId: 'X' },
          store,
        });
      const first = process();
      const second = phoneCallStore ? process() : first;
      const pay = (toolbox: typeof first, caller: ToolCaller) =>
        toolbox.run('create_payment', { invoice_id, amount: 120.5 }, { caller });
      return { platform, first, second, pay, [Symbol.asyncDispose]: rest[Symbol.asyncDispose] };
    };

    test.each<[string, ToolCaller]>([
      ['another number', { phone: bob, verified: 'caller-id' }],
      ['another number, proved', { phone: bob, verified: 'strong' }],
      ['another address, proved', { email: 'bob@example.com', verified: 'strong' }],
      ['a withheld number', { phone: '+266696687', verified: 'caller-id' }],
      ['no number', { verified: 'strong' }],
      ['a number that was only said', { phone: ann, verified: 'caller-id', claimed: ['phone'] }],
      ['nothing certain', { phone: ann, verified: 'no' }],
    ])('%s pays nothing of what the first has looked up', async (_name, other) => {
      await using opened = await open();
      const { platform, first, second, pay } = opened;
      await first.run('lookup_customer_invoices', {}, { caller: { phone: ann, verified: 'caller-id' } });

      expect((await pay(second, other)).status).toBe('refused');
      expect(platform.billing.payments).toEqual([]);
      expect(await pay(second, { phone: ann, verified: 'caller-id' })).toMatchObject({ status: 'done' });
    });

    test('the first number joins what was there, however it is written, and a second one does not', async () => {
      await using opened = await open();
      const { first, second, pay } = opened;
      // The application proved who it is, and the number arrives late.
      const caller: ToolCaller = { verified: 'strong' };
      await first.run('lookup_customer_invoices', { phone: ann }, { caller });

      const late = await second.run(
        'lookup_customer_invoices',
        {},
        { caller: { phone: '+1 (415) 555-0100', verified: 'caller-id' } },
      );

      expect(late.status).toBe('done');
      expect((await pay(second, { phone: bob, verified: 'caller-id' })).status).toBe('refused');
      expect((await pay(first, { phone: ann, verified: 'caller-id' })).status).toBe('done');
    });

    test('limits are those of the call id, for all numbers together', async () => {
      await using opened = await open();
      const limited = opened.first;
      for (let tries = 0; tries < 100; tries += 1)
        await limited.run(
          'lookup_customer_invoices',
          {},
          { caller: { phone: `+1415555${1000 + tries}`, verified: 'caller-id' } },
        );

      const { value } = await limited.run(
        'lookup_customer_invoices',
        {},
        { caller: { phone: ann, verified: 'caller-id' } },
      );

      expect(value).toMatchObject({ reason: 'too_many_tool_calls' });
    });
  },
);

test('a request of Telnyx without its variable runs nothing, and two callers on one id share nothing', async () => {
  await using connected = await connectPlatform();
  const { platform, clientOptions } = connected;
  const customer = platform.billing.addCustomer({ name: 'Ann', phone: ann });
  const { id: invoice_id } = platform.billing.addInvoice({ customer_id: customer.id, amount: 120.5 });
  const phoneCallStore = createMemoryIdempotencyStore();
  const toolbox = () =>
    createToolbox({
      tools: billingTools({
        billing: createBillingClient({ ...clientOptions.billing, payments: { below: 5000 } }),
        payments: { card: () => 'pm_1', confirm: false },
        store: phoneCallStore,
      }),
      store: phoneCallStore,
    });
  await using server = await serve(telnyx.handler({ toolbox, secret: () => 'token' }));
  const ask = (tool: string, body: object, callId: string, caller: string) =>
    server.post(body, {
      path: `/?tool=${tool}`,
      headers: { authorization: 'Bearer token', 'x-call-id': callId, 'x-caller': caller },
    });

  expect((await ask('lookup_customer_invoices', {}, '{{call_id}}', ann)).status).toBe(400);
  expect((await ask('lookup_customer_invoices', {}, 'undefined', ann)).status).toBe(400);
  await ask('lookup_customer_invoices', {}, 'channel-7', ann);
  const stolen = await ask('create_payment', { invoice_id, amount: 120.5 }, 'channel-7', bob);

  expect(stolen.body).toMatchObject({ success: false });
  expect(platform.billing.payments).toEqual([]);
});

test("a confirmation that one caller was asked for is not another one's", async () => {
  const charges: number[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ amount: z.number() }),
    effect: 'payment',
    confirm: 'two-step',
    run: ({ amount }) => {
      charges.push(amount);
      return { success: true };
    },
  });
  const toolbox = createToolbox({ tools: [pay], context: { callId: 'X' } });
  const { value } = await toolbox.run('pay', { amount: 5 }, { caller: { phone: ann, verified: 'caller-id' }, turn: 1 });
  const { confirmation_token } = value as { confirmation_token: string };
  const confirm = (caller: string) =>
    toolbox.run(
      'pay',
      { amount: 5, confirmation_token },
      { caller: { phone: caller, verified: 'caller-id' }, turn: 2 },
    );

  expect((await confirm(bob)).value).toMatchObject({ error: 'confirmation_required' });
  expect(charges).toEqual([]);
  expect((await confirm(ann)).status).toBe('done');
});

test('a tool call of one caller does not answer another one with the same id', async () => {
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    parameters: z.object({}),
    effect: 'write',
    idempotent: false,
    run: (_, { caller }) => ({ phone: caller.phone }),
    compact: (found) => found,
  });
  const toolbox = createToolbox({ tools: [look], context: { callId: 'X', toolCallId: 'call_1' } });
  const run = (phone: string) => toolbox.run('look', {}, { caller: { phone, verified: 'caller-id' } });

  expect((await run(ann)).value).toEqual({ phone: ann });
  expect((await run(bob)).value).toEqual({ phone: bob });
});

test.each(['{{call_id}}', 'undefined', 'null', ' '])('a toolbox runs nothing for the call id %j', async (callId) => {
  const errors: unknown[] = [];
  const toolbox = createToolbox({
    tools: [
      defineTool({
        name: 'look',
        description: 'Looks.',
        parameters: z.object({}),
        effect: 'read',
        run: () => expect.fail('it ran'),
      }),
    ],
    context: { callId },
    onError: (error) => errors.push(error),
  });

  expect((await toolbox.run('look', {})).value).toEqual({ error: 'internal_error' });
  expect(errors).toMatchObject([
    { field: 'callId', problem: expect.stringContaining('a placeholder was never filled in') },
  ]);
});

test('each phone call of each tenant has its own memory, and no name of one is that of another', () => {
  let started = 0;
  const memoryOf = createCallMemory(() => (started += 1));
  const calls = [
    { tenant: undefined, callId: 'CA1' },
    { tenant: undefined, callId: 'CA2' },
    { tenant: 'a', callId: 'CA1' },
    { tenant: 'b', callId: 'CA1' },
    { tenant: '', callId: 'CA1' },
    { tenant: 'a" "b', callId: 'c' },
    { tenant: 'a', callId: '"b" c' },
  ];

  expect(calls.map(memoryOf)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(calls.map(memoryOf)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test('of too many phone calls the one that was used longest ago is forgotten', () => {
  let started = 0;
  const memoryOf = createCallMemory(() => (started += 1), { maximumCalls: 2 });
  const memories = ['a', 'b', 'a', 'c', 'a', 'b'].map((callId) => memoryOf({ tenant: undefined, callId }));

  expect(memories).toEqual([1, 2, 1, 3, 1, 4]);
});
