import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createIntegration } from '../../src/integration.ts';
import { createOutbox } from '../../src/outbox/outbox.ts';
import { checkKept, checkQueue } from '../../src/phone-call/check/check-stores.ts';
import { storesOf } from '../../src/phone-call/stores.ts';
import type { IdempotencyStore } from '../../src/stores/ports/idempotency-store.ts';
import type { MessageQueue } from '../../src/stores/ports/message-queue.ts';
import { createMemoryIdempotencyStore } from '../../src/stores/memory-idempotency-store.ts';
import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import { postgres } from '../../src/stores/postgres/index.ts';
import { redis } from '../../src/stores/redis/index.ts';
import { sqlite } from '../../src/stores/sqlite/index.ts';
import { createWebhookReceiver, hmac } from '../../src/webhooks/index.ts';
import { connectPlatform } from '../support/connected-platform.ts';
import { openPlainQueue } from '../support/plain-queue.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

afterEach(() => void vi.restoreAllMocks());

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store[Symbol.asyncDispose]();
});

const storeIn = (file: string) => {
  const store = sqlite({ file }).idempotencyStore();
  opened.push(store);
  return store;
};

const queueIn = (file: string) => {
  const queue = sqlite({ file }).messageQueue();
  opened.push({ [Symbol.asyncDispose]: () => queue.close(0).catch(() => undefined) });
  return queue;
};

describe('a file that cannot be opened', () => {
  const unusable: readonly (readonly [string, (folder: string) => string, string])[] = [
    ['in a folder that is missing', (folder) => join(folder, 'none', 'agent.db'), 'its folder must be there'],
    ['in two folders that are missing', (folder) => join(folder, 'a', 'b', 'agent.db'), 'its folder must be there'],
    [
      'that is a folder',
      (folder) => {
        mkdirSync(join(folder, 'agent.db'));
        return join(folder, 'agent.db');
      },
      'its folder must be there',
    ],
    [
      'under a file',
      (folder) => {
        writeFileSync(join(folder, 'data'), '');
        return join(folder, 'data', 'agent.db');
      },
      'its folder must be there',
    ],
    [
      'of another kind',
      (folder) => {
        writeFileSync(join(folder, 'agent.db'), '{"not":"a database, and longer than its header"}');
        return join(folder, 'agent.db');
      },
      'it is no database',
    ],
    ['with a name that no file can have', (folder) => join(folder, 'x'.repeat(300)), 'its folder must be there'],
  ];

  test.each(unusable)('%s: everything that would keep something in it says so at once', async (_what, make, words) => {
    await using folder = await makeScratchFolder();
    const file = make(folder.path);
    await using connected = await connectPlatform();
    const { billing } = connected.clientOptions;
    const [store, queue] = [storeIn(file), queueIn(file)];
    const authentication = [hmac({ secrets: () => ['a-secret-that-is-long-enough-for-it'] })];

    for (const options of [{ store }, { finishLater: { queue } }])
      expect(() => createIntegration({ billing, ...options })).toThrow(words);
    expect(() => createIntegration({ billing, store })).toThrow(/^store can't be used: /);
    expect(() => createOutbox({ queue, destinations: [] })).toThrow(words);
    expect(() => createWebhookReceiver({ store, authentication, events: {}, on: {} } as never)).toThrow(words);
    const found = await Promise.all(storesOf({ store, finishLater: { queue } }).map(checkKept));
    expect(found.flat()).toMatchObject([
      { level: 'problem', message: expect.stringContaining(words) },
      { level: 'problem', message: expect.stringContaining(words) },
    ]);
  });

  test('is made by the check where it can be', async () => {
    await using folder = await makeScratchFolder();
    await using connected = await connectPlatform();
    const store = storeIn(join(folder.path, 'new.db'));
    await using integration = createIntegration({
      billing: connected.clientOptions.billing,
      store,
    });

    expect(await integration.warmUp()).toMatchObject({ store: { ready: true } });
  });
});

describe('warmUp', () => {
  const refused = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:6379, password hunter2'));
  const down: readonly (readonly [string, () => IdempotencyStore])[] = [
    ['Redis', () => redis({ client: { call: refused, eval: refused, evalsha: refused } as never }).idempotencyStore()],
    ['PostgreSQL', () => postgres({ pool: { query: refused, connect: refused } as never }).idempotencyStore()],
    ['one of your own', () => ({ ...createMemoryIdempotencyStore(), claim: refused })],
    [
      'one that throws at once',
      () => ({
        ...createMemoryIdempotencyStore(),
        claim: () => {
          throw new Error('no');
        },
      }),
    ],
  ];

  test('takes a store that can only be read for one that is down', async () => {
    await using connected = await connectPlatform();
    const replica = {
      call: async (command: string) => {
        if (command.startsWith('EVAL')) throw new Error("READONLY You can't write against a read only replica.");
        return null;
      },
    };
    const store = redis({ client: replica }).idempotencyStore();
    await using integration = createIntegration({
      billing: connected.clientOptions.billing,
      store,
      onError: () => {},
    });

    expect(await integration.warmUp()).toMatchObject({
      store: {
        ready: false,
        error: { message: "store can't be used: Redis could not do what it was asked for (READONLY)" },
      },
    });
  });

  test('asks a queue that has an admin, and says nothing of one that has none', async () => {
    await using connected = await connectPlatform();
    const { billing } = connected.clientOptions;
    const work = false;
    const asked = createMemoryMessageQueue();
    const broken = { ...asked, admin: { ...asked.admin, stats: refused } };
    const readiness = async (queue: MessageQueue) => {
      await using integration = createIntegration({ billing, finishLater: { queue, work }, onError: () => {} });
      return (await integration.warmUp()).queue;
    };

    expect(await readiness(asked)).toEqual({ ready: true });
    expect(await readiness(broken)).toMatchObject({ ready: false, error: { code: 'store_failed' } });
    expect(await readiness(openPlainQueue().queue)).toBeUndefined();
    expect(await checkQueue(openPlainQueue().queue)).toMatchObject([
      { level: 'warning', message: 'the queue has no admin: nothing here can say what waits' },
    ]);
  });

  test.each(down)('reports a store that is down: %s', async (_what, make) => {
    await using connected = await connectPlatform();
    const got: unknown[] = [];
    await using integration = createIntegration({
      billing: connected.clientOptions.billing,
      store: make(),
      onError: (error, { part }) => got.push([part, (error as Error).message]),
    });

    const { store } = await integration.warmUp();

    expect(store).toMatchObject({ ready: false, error: { code: 'store_failed' } });
    expect(got).toEqual([['store', expect.stringMatching(/^store can't be used: /)]]);
    expect(JSON.stringify(got)).not.toContain('hunter2');
  });

  test('warns of it where no one listens', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    await using connected = await connectPlatform();
    await using integration = createIntegration({
      billing: connected.clientOptions.billing,
      store: { ...createMemoryIdempotencyStore(), claim: refused },
    });

    await integration.warmUp();
    await integration.warmUp();

    expect(warn.mock.calls.map(([message]) => message)).toEqual(["store can't be used: it does not answer (Error)"]);
  });

  test('waits no longer than it may for one that hangs', async () => {
    await using connected = await connectPlatform();
    await using integration = createIntegration({
      billing: connected.clientOptions.billing,
      store: { ...createMemoryIdempotencyStore(), claim: () => new Promise(() => {}) },
      onError: () => {},
    });

    expect(await integration.warmUp({ deadline: 20 })).toMatchObject({ store: { ready: false } });
  });
});

test.each([
  [() => sqlite({ path: 'agent.db' } as never), 'sqlite.path is not an option: did you mean file?'],
  [() => sqlite({ filename: 'agent.db' } as never), 'sqlite.filename is not an option: did you mean file?'],
  [() => sqlite({ database: 'agent.db' } as never), 'sqlite.database is not an option: did you mean file?'],
  [() => sqlite({ fil: 'agent.db' } as never), 'sqlite.fil is not an option: did you mean file?'],
  [() => redis({ url: 'redis://127.0.0.1' } as never), 'redis.url is not an option: did you mean client?'],
  [
    () => postgres({ connectionString: 'x' } as never),
    'postgres.connectionString is not an option: did you mean pool?',
  ],
])('an option by another name is refused with its own', (make, message) => {
  expect(make).toThrow(message);
});
