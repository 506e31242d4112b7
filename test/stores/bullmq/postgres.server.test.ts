import { afterAll, beforeAll, expect, test } from 'vitest';
import { bullmq } from '../../../src/stores/bullmq/message-queue.ts';
import { startEndingProxy } from '../../support/ending-proxy.ts';
import { describeWithPostgres, openPool, startPostgresServer } from '../../support/postgres-server.ts';
import type { TestServer } from '../../support/server-process.ts';
import { eventually, until } from '../../support/until.ts';
import { messageQueueConformance } from '../message-queue.conformance.ts';
import { consuming, manyProcesses, message, onRealTime } from './many-processes.ts';

describeWithPostgres('BullMQ on PostgreSQL', () => {
  let server: TestServer;
  let queues = 0;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  messageQueueConformance(
    'BullMQ on PostgreSQL',
    onRealTime((options) => {
      queues += 1;
      return bullmq({ connection: server.url, name: `test-${queues}`, ...options });
    }),
  );

  manyProcesses(() => server);

  test('a message that is done leaves its id in PostgreSQL for a time, and nothing else', async () => {
    const queue = bullmq({ connection: server.url, name: 'emptied', keepDoneMs: 2_000 });
    const operator = openPool(server);
    const kept = async (table: string) =>
      (await operator.query(`SELECT * FROM bullmq.${table} WHERE queue = 'emptied.group.g'`)).rows;
    await queue.enqueue([message('a')]);
    expect(JSON.stringify(await kept('job'))).toContain('of its own');

    queue.consume(consuming, async () => ({ type: 'done' }));
    await eventually(async () => (await kept('job')).length === 0);

    expect(await kept('dedup')).toMatchObject([{ dedup_id: 'm.a' }]);
    // A publisher that knows the group for less than a minute doesn't ask for it.
    await eventually(async () => {
      const other = bullmq({ connection: server.url, name: 'emptied', keepDoneMs: 2_000 });
      await other.admin.pause('g');
      await other.close(0);
      return (await kept('dedup')).length === 0;
    });
    await operator.end();
    await queue.close(0);
  });

  test('connections that break while they are opened fail a call, and end no process', async () => {
    const operator = openPool(server);
    for (let count = 0; count < 20; count += 1) {
      const queue = bullmq({ connection: server.url, name: 'broken-off' });
      let isOver = false;
      const enqueued = queue.enqueue([message(`a${count}`)]).catch((error: unknown) => error);
      void enqueued.then(() => (isOver = true));
      // As when the server is killed: each connection gets a message that it ends, whatever it does at that moment.
      while (!isOver)
        await operator.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()`);
      await queue.close(0);
    }

    const queue = bullmq({ connection: server.url, name: 'broken-off' });
    await queue.enqueue([message('after')]);
    expect(await queue.admin.get('after')).toMatchObject({ state: 'waiting' });
    await operator.end();
    await queue.close(0);
  });
});

describeWithPostgres('a PostgreSQL that is not ready yet', () => {
  test('without its tables, a consumer says so, blocks nothing, and begins once they are there', async () => {
    await using server = await startPostgresServer();
    const queue = bullmq({ connection: { connectionString: server.url, migrate: false } });
    const errors: string[] = [];
    const seen: string[] = [];
    const onError = (error: unknown) => errors.push(String(error));
    queue.consume({ ...consuming, onError }, async ({ id }) => {
      seen.push(id);
      return { type: 'done' };
    });
    await expect(queue.enqueue([message('early')])).rejects.toThrow('PostgreSQL could not do what it was asked for');
    await until(() => errors.length > 1);
    expect(errors[0]).toContain('is not initialized');

    const deployment = bullmq({ connection: server.url });
    await deployment.enqueue([message('a')]);
    await until(() => seen.length > 0);
    await queue.enqueue([message('b')]);
    await until(() => seen.length > 1);
    expect(seen).toEqual(['a', 'b']);
    await queue.close(0);
    await deployment.close(0);
  });

  test('down when a process begins, it is found when it comes up', async () => {
    await using server = await startPostgresServer();
    const deployment = bullmq({ connection: server.url });
    await deployment.enqueue([message('a')]);
    await deployment.close(0);
    await server.stop();
    const queue = bullmq({ connection: { connectionString: server.url, migrate: false } });
    const errors: unknown[] = [];
    const seen: string[] = [];
    queue.consume({ ...consuming, onError: (error) => errors.push(error) }, async ({ id }) => {
      seen.push(id);
      return { type: 'done' };
    });
    await expect(queue.enqueue([message('b')])).rejects.toThrow('PostgreSQL could not do what it was asked for');
    await until(() => errors.length > 0);

    await server.restart();
    await until(() => seen.includes('a'));
    await queue.enqueue([message('c')]);
    await until(() => seen.includes('c'));
    await queue.close(0);
  });
});

describeWithPostgres('a PostgreSQL that ends connections as soon as they are ready', () => {
  test('ends no process, and everything goes on when it stops to', async () => {
    await using server = await startPostgresServer();
    await using way = await startEndingProxy(server.port, { connections: 4 });
    const queue = bullmq({ connection: `postgres://postgres@127.0.0.1:${way.port}/postgres` });
    const seen: string[] = [];
    queue.consume(consuming, async ({ id }) => {
      seen.push(id);
      return { type: 'done' };
    });

    await eventually(async () =>
      queue.enqueue([message('a')]).then(
        () => true,
        () => false,
      ),
    );
    await until(() => seen.length === 1);

    expect(way.ended()).toBe(4);
    await eventually(async () =>
      queue.admin.get('a').then(
        (found) => found === undefined,
        () => false,
      ),
    );
    await queue.close(0);
  });
});
