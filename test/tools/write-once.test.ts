import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { RateLimitedError } from '../../src/core/errors.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import type { IdempotencyStore } from '../../src/stores/ports/idempotency-store.ts';
import { sqlite } from '../../src/stores/sqlite/index.ts';
import type { ToolCaller } from '../../src/tools/context.ts';
import { fromForeignTool, type ExistingToolOptions, type ForeignTool } from '../../src/tools/existing-tool.ts';
import { createToolbox, defineTool, refused, type Tool, type ToolOptions } from '../../src/tools/index.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const ada: ToolCaller = { phone: '+4930123456', verified: 'caller-id' };

/** A shop that takes orders, and may then break off, refuse or hang. */
const openShop = () => {
  const orders: unknown[] = [];
  const next: (() => unknown)[] = [];
  return {
    orders,
    /** Ends the next orders so, after they were taken. */
    next,
    take: async (order: unknown): Promise<unknown> => {
      orders.push(order);
      return (next.shift() ?? (() => ({ order: orders.length })))();
    },
  };
};

/** Where a phone call's limits aren't. */
const isWrite = (key: string) => key.startsWith('payment:');

const cut = () => {
  throw new TypeError('fetch failed');
};

const parameters = z.object({ item: z.string(), note: z.string().optional() });

const orderTool = (
  shop: ReturnType<typeof openShop>,
  own: Partial<ToolOptions<z.infer<typeof parameters>, unknown>> = {},
): Tool =>
  defineTool<z.infer<typeof parameters>, unknown>({
    name: 'order',
    description: 'Orders an item.',
    parameters,
    effect: 'write',
    idempotent: 'once',
    compact: (result) => result,
    run: (args) => shop.take(args),
    ...own,
  });

interface Calling {
  readonly callId?: string;
  readonly caller?: ToolCaller | undefined;
  readonly tenant?: string;
  readonly deadline?: number;
}

/** A process: its toolbox, with the store that all of them share. */
const processOf = (tool: Tool, store: IdempotencyStore, problems: unknown[] = []) => {
  const toolbox = createToolbox({ tools: [tool], store, onError: (error) => void problems.push(error) });
  let ids = 0;
  return (args: object, { callId = 'CA1', caller = ada, tenant, deadline }: Calling = {}, turn?: string) => {
    ids += 1;
    return toolbox.run(tool.name, args, {
      callId,
      caller,
      tenant,
      turn,
      deadline,
      toolCallId: `id_${Math.random()}_${ids}`,
    });
  };
};

const notKnown = { status: 'unknown', value: { error: 'status_unknown', outcome: 'unknown' } };
const doneBefore = { status: 'done', replayed: true, value: { order: 1, already_done: true } };

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const stores = {
  memory: async () => ({
    open: (
      (store) => () =>
        store
    )(createMemoryIdempotencyStore()),
    close: async () => {},
  }),
  SQLite: async () => {
    const folder = await makeScratchFolder();
    const opened: ReturnType<ReturnType<typeof sqlite>['idempotencyStore']>[] = [];
    return {
      open: () => {
        const store = sqlite({ file: folder.file('store.db') }).idempotencyStore();
        opened.push(store);
        return store;
      },
      close: async () => {
        for (const store of opened) await store.close();
        await folder.remove();
      },
    };
  },
};

describe.each(Object.entries(stores))('in two processes that share %s', (_name, openStore) => {
  let opened: Awaited<ReturnType<typeof openStore>>;
  beforeEach(async () => void (opened = await openStore()));
  afterEach(() => opened.close());

  const start = (tool: Tool) => [processOf(tool, opened.open()), processOf(tool, opened.open())] as const;

  test('what is known as done is replayed, also when the same person rings back', async () => {
    const shop = openShop();
    const [one, two] = start(orderTool(shop));

    expect(await one({ item: 'tea' })).toMatchObject({ status: 'done', replayed: false, value: { order: 1 } });
    expect(await two({ item: 'tea', note: null })).toMatchObject(doneBefore);
    expect(await two({ item: 'tea' }, { callId: 'CA2' })).toMatchObject(doneBefore);
    expect(shop.orders).toEqual([{ item: 'tea' }]);
  });

  test('what may have been done is never sent again by itself, and the model reads that', async () => {
    const shop = openShop();
    const [one, two] = start(orderTool(shop));
    shop.next.push(cut);

    const first = await one({ item: 'tea' });
    const later = [
      await one({ item: 'tea' }),
      await two({ item: 'tea' }),
      await two({ item: 'tea' }, { callId: 'CA2' }),
    ];

    for (const result of [first, ...later]) {
      expect(result).toMatchObject(notKnown);
      expect(result.text).toContain('It is not known whether this was done');
      expect(result.text).not.toContain('internal_error');
    }
    for (const { text } of later) expect(text).toContain('call this again with again: true');
    expect(shop.orders.length).toBe(1);
  });

  test('two at once are one', async () => {
    const shop = openShop();
    const [one, two] = start(orderTool(shop));
    const gate = Promise.withResolvers<void>();
    shop.next.push(() => gate.promise.then(() => ({ order: 1 })));

    const both = [one({ item: 'tea' }), one({ item: 'tea' }), two({ item: 'tea' })];
    await vi.waitUntil(() => shop.orders.length > 0);
    gate.resolve();

    expect((await Promise.all(both)).map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    expect(shop.orders.length).toBe(1);
  });

  test('other people, tenants, items, and phone calls of uncertain people are others', async () => {
    const shop = openShop();
    const [one, two] = start(orderTool(shop));
    const unknown: ToolCaller = { verified: 'no' };
    const said: ToolCaller = { phone: '+4930123456', verified: 'strong', claimed: ['phone'] };
    const callers = [
      ada,
      { ...ada, phone: '+4930999999' },
      { verified: 'strong', email: 'a@example.com' },
      unknown,
    ] as const;
    for (const [at, caller] of callers.entries()) await one({ item: 'tea' }, { callId: `CA${at}`, caller });
    await two({ item: 'tea' }, { callId: 'CA9', caller: unknown });
    await two({ item: 'tea' }, { callId: 'CA10', caller: said });
    await two({ item: 'tea' }, { tenant: 't2' });
    await two({ item: 'coffee' });
    expect(shop.orders.length).toBe(8);

    await two({ item: 'tea' }, { callId: 'CA9', caller: { verified: 'no' } });
    expect(shop.orders.length).toBe(8);
  });

  test('a second one that is meant goes through once, after the caller heard of the first', async () => {
    const shop = openShop();
    const [one, two] = start(orderTool(shop));
    const again = { item: 'tea', again: true };

    await one(again, {}, '1');
    // The first one was not heard of yet.
    expect(await two(again, {}, '1')).toMatchObject(doneBefore);
    // Within the same turn, the caller can't have said yes.
    expect(await two(again, {}, '1')).toMatchObject(doneBefore);
    // Another phone call has not heard of it.
    expect(await two(again, { callId: 'CA2' }, '2')).toMatchObject(doneBefore);
    expect(await two({ item: 'tea' }, {}, '3')).toMatchObject(doneBefore);
    expect(shop.orders.length).toBe(1);

    expect(await two(again, {}, '4')).toMatchObject({ status: 'done', replayed: false, value: { order: 2 } });
    expect(await one(again, {}, '4')).toMatchObject({ replayed: true, value: { order: 2 } });
    expect(shop.orders).toEqual([{ item: 'tea' }, { item: 'tea' }]);
  });

  test('also if the end of the first, and of the second, is unknown', async () => {
    const shop = openShop();
    const [one, two] = start(orderTool(shop));
    shop.next.push(cut, cut);

    await one({ item: 'tea' }, {}, '1');
    for (let turn = 2; turn < 8; turn += 2) {
      await two({ item: 'tea' }, {}, String(turn));
      await two({ item: 'tea', again: true }, {}, String(turn + 1));
      expect(shop.orders.length).toBe(turn / 2 + 1);
    }
    expect(await one({ item: 'tea' }, {}, '9')).toMatchObject({ replayed: true, value: { order: 4 } });
  });

  test('after a day it is another one', async () => {
    const shop = openShop();
    const [one] = start(orderTool(shop));
    shop.next.push(cut);
    await one({ item: 'tea' });
    await one({ item: 'coffee' });
    vi.advanceTimersByTime(23 * 3_600_000);
    // Asking doesn't make the time longer.
    await one({ item: 'tea' });
    await one({ item: 'coffee' });
    expect(shop.orders.length).toBe(2);

    vi.advanceTimersByTime(3_600_000 + 1);
    await one({ item: 'tea' }, { callId: 'CA2' });
    await one({ item: 'coffee' }, { callId: 'CA2' });
    expect(shop.orders.length).toBe(4);
  });
});

test.each([
  ['refused', () => refused({ error: 'sold_out' })],
  ['never sent', () => Promise.reject(new RateLimitedError('no place is free', { outcome: 'not_sent' }))],
])('what was %s makes room', async (_what, end) => {
  const shop = openShop();
  const ask = processOf(orderTool(shop), createMemoryIdempotencyStore());
  shop.next.push(end, end, end);

  for (let times = 0; times < 3; times += 1) expect((await ask({ item: 'tea' })).status).not.toBe('done');
  expect(await ask({ item: 'tea' })).toMatchObject({ status: 'done', replayed: false });
});

test('a process that dies at work leaves the end unknown', async () => {
  vi.useFakeTimers();
  const shop = openShop();
  const store = createMemoryIdempotencyStore();
  const dying = processOf(orderTool(shop), {
    ...store,
    settle: (key, ...rest) => (isWrite(key) ? new Promise(() => {}) : store.settle(key, ...rest)),
  });
  void dying({ item: 'tea' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shop.orders.length).toBe(1);

  const ask = processOf(orderTool(shop), store);
  expect(await ask({ item: 'tea' })).toMatchObject(notKnown);
  expect(shop.orders.length).toBe(1);
});

test('a caller who talks over it leaves it unknown, and its end is known later', async () => {
  vi.useRealTimers();
  const shop = openShop();
  const store = createMemoryIdempotencyStore();
  const toolbox = createToolbox({ tools: [orderTool(shop)], store, context: { callId: 'CA1', caller: ada } });
  const gate = Promise.withResolvers<void>();
  shop.next.push(() => gate.promise.then(() => ({ order: 1 })));
  const talk = new AbortController();

  const first = toolbox.run('order', { item: 'tea' }, { signal: talk.signal });
  await vi.waitUntil(() => shop.orders.length === 1);
  talk.abort();
  expect(await first).toMatchObject({ status: 'cancelled', value: { error: 'cancelled', outcome: 'unknown' } });
  gate.resolve();

  expect(await toolbox.run('order', { item: 'tea' })).toMatchObject(doneBefore);
  expect(shop.orders.length).toBe(1);
});

test('a store that is down before means that nothing was sent, and one that fails afterwards loses nothing', async () => {
  const shop = openShop();
  const store = createMemoryIdempotencyStore();
  const down = () => Promise.reject(new Error('down'));
  const problems: unknown[] = [];

  vi.useRealTimers();
  const before = processOf(orderTool(shop), { ...store, claim: down }, problems);
  expect(await before({ item: 'tea' })).toMatchObject({ status: 'failed', value: { reason: 'store' } });
  expect(shop.orders.length).toBe(0);

  const after = processOf(
    orderTool(shop),
    { ...store, settle: (key, ...rest) => (isWrite(key) ? down() : store.settle(key, ...rest)) },
    problems,
  );
  expect(await after({ item: 'tea' })).toMatchObject({ status: 'done' });
  expect((await after({ item: 'tea' }, { deadline: 50 })).status).not.toBe('failed');
  expect(shop.orders.length).toBe(1);
  expect(problems.map(String)).toContain('Error: down');
});

test('a caller who becomes certain during the phone call is the same', async () => {
  const shop = openShop();
  const ask = processOf(orderTool(shop), createMemoryIdempotencyStore());
  shop.next.push(cut);
  await ask({ item: 'tea' }, { caller: { verified: 'no' } });

  expect(await ask({ item: 'tea' }, { caller: { verified: 'strong', email: 'a@example.com' } })).toMatchObject(
    notKnown,
  );
  expect(shop.orders.length).toBe(1);
});

test('with a confirmation the caller agrees to a second one by itself', async () => {
  const shop = openShop();
  const ask = processOf(orderTool(shop, { confirm: 'two-step' }), createMemoryIdempotencyStore());
  const confirmed = async (args: object, turn: number) => {
    const { value } = await ask(args, {}, `${turn}`);
    const { confirmation_token, summary } = value as Readonly<Record<string, string>>;
    return {
      token: confirmation_token,
      summary,
      run: (own: object) => ask({ ...own, confirmation_token }, {}, `${turn}b`),
    };
  };
  const tea = { item: 'tea' };
  const again = { item: 'tea', again: true };

  expect(await (await confirmed(tea, 1)).run(tea)).toMatchObject({ value: { order: 1 } });
  expect(await (await confirmed(tea, 2)).run(tea)).toMatchObject(doneBefore);
  // A yes to the first isn't one to a second.
  const first = await confirmed(tea, 3);
  expect(await first.run(again)).toMatchObject({ value: { error: 'confirmation_required' } });
  const second = await confirmed(again, 4);
  expect(second.summary).toContain('again');
  expect(await second.run(again)).toMatchObject({ replayed: false, value: { order: 2 } });
});

describe('tools of others', () => {
  const text = { type: 'string' } as const;
  const importedFrom = (
    shop: ReturnType<typeof openShop>,
    options: Partial<ExistingToolOptions> = {},
    own: Partial<ForeignTool> = {},
  ) =>
    fromForeignTool(
      {
        name: 'order',
        description: 'Orders.',
        jsonSchema: {
          type: 'object',
          properties: { item: text, idempotency_key: text, more: { type: 'object' } },
          required: ['item'],
        },
        run: (args) => shop.take(args),
        ...own,
      },
      { effect: 'write', compact: (result) => result, ...options },
    );

  test('are done once by default, however the arguments are spelt and whatever key a model makes up', async () => {
    const shop = openShop();
    const ask = processOf(importedFrom(shop), createMemoryIdempotencyStore());
    const spelt = [
      { item: 'tea', more: '{"a":1,"b":2}', idempotency_key: 'k1' },
      { idempotency_key: 'k2', more: '{ "b": 2, "a": 1 }', item: 'tea' },
      { item: 'tea', more: { b: 2, a: 1 }, again: 'true' },
      { item: 'tea', more: { a: 1, b: 2 }, again: false, unheard_of: 1 },
    ];
    for (const args of spelt) await ask(args);

    expect(shop.orders.length).toBe(1);
  });

  test('that take a key are sent again under it, until their end is known', async () => {
    const shop = openShop();
    const ask = processOf(importedFrom(shop, { key: 'idempotency_key' }), createMemoryIdempotencyStore());
    shop.next.push(cut);

    expect(await ask({ item: 'tea' })).toMatchObject({ status: 'unknown' });
    expect(await ask({ item: 'tea' })).toMatchObject({ status: 'done', replayed: false });
    expect(await ask({ item: 'tea' })).toMatchObject({ replayed: true });
    expect(new Set(shop.orders.map((order) => JSON.stringify(order))).size).toBe(1);
    expect(shop.orders.length).toBe(2);
  });

  test('that have an argument called so keep it', async () => {
    const shop = openShop();
    const tool = importedFrom(shop, {}, { jsonSchema: { type: 'object', properties: { again: { type: 'boolean' } } } });
    const ask = processOf(tool, createMemoryIdempotencyStore());
    await ask({ again: true });
    const { text: told } = await ask({ again: true });
    vi.advanceTimersByTime(3_000);
    await ask({ again: true, again_2: true });

    expect(told).toContain('again_2: true');
    expect(shop.orders).toEqual([{ again: true }, { again: true }]);
  });

  test('that do everything have the argument for their writes', async () => {
    const shop = openShop();
    const tool = importedFrom(
      shop,
      { effect: ({ method }) => (method === 'read' ? 'read' : 'write'), amount: () => 1 },
      { jsonSchema: { type: 'object', properties: { method: text }, required: ['method'] } },
    );
    const ask = processOf(tool, createMemoryIdempotencyStore());
    for (const method of ['read', 'read', 'add', 'add']) await ask({ method });
    vi.advanceTimersByTime(3_000);
    await ask({ method: 'add', again: true });

    expect(Object.keys(tool.parameters.properties)).toContain('again');
    expect(shop.orders.length).toBe(4);
  });
});

test('only a write can be so', () => {
  for (const effect of ['read', 'payment'] as const)
    expect(() => orderTool(openShop(), { effect })).toThrow("order: idempotent 'once' is for writes");
});
