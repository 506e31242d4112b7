import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBillingClient } from '../../src/billing/index.ts';
import type { IdempotencyStore } from '../../src/ports/idempotency-store.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createSqliteIdempotencyStore } from '../../src/stores/sqlite/idempotency-store.ts';
import { billingTools, createToolbox, type ToolLimits } from '../../src/tools/index.ts';
import { createPhoneCallState } from '../../src/tools/phone-call-state.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const phone = '+14155550100';

/** Processes that answer one phone call. */
const start = async (phoneCallStore: IdempotencyStore | undefined, limits: ToolLimits = {}) => {
  const { platform, clientOptions, ...rest } = await connectPlatform();
  const customer = platform.billing.addCustomer({ name: 'Jane', phone });
  const { id: invoice_id } = platform.billing.addInvoice({ customer_id: customer.id, amount: 120.5 });
  const store = createMemoryIdempotencyStore();
  const errors: unknown[] = [];
  const process = () =>
    createToolbox({
      tools: billingTools({
        billing: createBillingClient(clientOptions.billing),
        payments: { bind: { payment_method_id: 'pm_1' } },
        phoneCallStore,
      }),
      context: { callId: 'CA1', caller: { phone, verified: 'caller-id' } },
      store,
      phoneCallStore,
      limits,
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
    await using started = await start(opened.store, { paymentTotal: 100, toolCalls: 4 });
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
    value: { fields: [{ field: 'customer_id', problem: 'is not known yet: look it up first' }] },
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
    createPhoneCallState<{ count: number }>({
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
    const state = createPhoneCallState({ name: 'n', start: () => ({}), toJson: (one) => one, store: held });
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
