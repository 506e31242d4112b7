import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { describeWithRedis, startRedisServer } from '../support/redis-server.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { ageClaims } from './redis/age-claims.ts';

const orderer = fileURLToPath(new URL('./writes/orderer.ts', import.meta.url));

/** A store that processes share, and the way to let its time pass. */
interface Memory extends AsyncDisposable {
  readonly url: string;
  readonly pass: (ms: number) => Promise<void>;
}

const inSqlite = async (): Promise<Memory> => {
  const folder = await makeScratchFolder();
  const url = folder.file('store.db');
  return {
    url,
    pass: async (ms) => {
      using sql = new DatabaseSync(url);
      sql.prepare('UPDATE claims SET written_at = written_at - ?').run(ms);
    },
    [Symbol.asyncDispose]: () => folder.remove(),
  };
};

const inRedis = async (): Promise<Memory> => {
  const server = await startRedisServer({ appendOnly: 'always' });
  return {
    url: server.url,
    pass: async (ms) => {
      const client = new Redis(server.url);
      await ageClaims(client, 'voice-agent:claims:', ms);
      client.disconnect();
    },
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  };
};

/** A shop that takes orders, and answers only while it's told to. */
const startShop = async () => {
  const orders: string[] = [];
  const shop = { orders, answers: true };
  const server = createServer(async (request, response) => {
    let item = '';
    for await (const chunk of request) item += String(chunk);
    orders.push(item);
    if (shop.answers) response.end(JSON.stringify({ order: orders.length }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(shop, {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
};

/** A process that is connected and waits for the command to order. */
const startOrderer = async (memory: Memory, shop: { readonly url: string }, callId: string) => {
  const child = spawn(process.execPath, [orderer, memory.url, shop.url, callId], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return {
    order: async () => {
      child.stdin.write('order\n');
      return JSON.parse(String((await lines.next()).value)) as unknown;
    },
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
};

const orderOnce = (open: () => Promise<Memory>) => {
  test('asked for at once by three of them is done once, and all get its end', async () => {
    await using memory = await open();
    await using shop = await startShop();

    const processes = await Promise.all(['CA1', 'CA1', 'CA2'].map((callId) => startOrderer(memory, shop, callId)));
    const heard = await Promise.all(processes.map(({ order }) => order()));

    expect(heard).toEqual([1, 2, 3].map(() => expect.objectContaining({ order: 1 })));
    expect(shop.orders).toEqual(['tea']);
  });

  test('killed between the work and its end is never done again, and it is not known in the next phone call', async () => {
    await using memory = await open();
    await using shop = await startShop();
    shop.answers = false;
    const killed = await startOrderer(memory, shop, 'CA1');
    killed.order().catch(() => {});
    await expect.poll(() => shop.orders.length, { timeout: 30_000 }).toBe(1);
    await killed.kill();
    await memory.pass(120_000);
    shop.answers = true;

    const heard = await (await startOrderer(memory, shop, 'CA2')).order();

    expect(heard).toMatchObject({ error: 'status_unknown', outcome: 'unknown' });
    expect(shop.orders).toEqual(['tea']);
  });
};

describe('writes of several processes that share a file of SQLite', () => {
  orderOnce(inSqlite);
});
describeWithRedis('writes of several processes that share a Redis', () => {
  orderOnce(inRedis);
});
