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

  messageQueueConformance('BullMQ on PostgreSQL', async () => {
    queues += 1;
    return onRealTime((options) => bullmq({ connection: server.url, name: `test-${queues}`, ...options }));
  });

  manyProcesses(() => server);

  test('a message that is done leaves its id in PostgreSQL, not what it said', async () => {
    const queue = bullmq({ connection: server.url, name: 'emptied' });
    const operator = openPool(server);
    const kept = async () =>
      (await operator.query("SELECT data FROM bullmq.job WHERE queue = 'emptied.group.g' AND id = 'm.a'")).rows;
    await queue.enqueue([message('a')]);
    expect(JSON.stringify(await kept())).toContain('of its own');

    queue.consume(consuming, async () => ({ type: 'done' }));
    await eventually(async () => !JSON.stringify(await kept()).includes('of its own'));

    expect(await kept()).toEqual([{ data: {} }]);
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
    expect(await queue.get('after')).toMatchObject({ state: 'waiting' });
    await operator.end();
    await queue.close(0);
  });
});

describeWithPostgres('a PostgreSQL that ends connections as soon as they are ready', () => {
  test('ends no process, and everything goes on when it stops to', async () => {
    await using server = await startPostgresServer();
    await using way = await startEndingProxy(server.port, { connections: 4 });
    const queue = bullmq({
      connection: `postgres://postgres@127.0.0.1:${way.port}/postgres`,
      pollMs: 100,
      onWarning: () => undefined,
    });
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
    await eventually(async () => (await queue.get('a').catch(() => undefined))?.state === 'done');
    await queue.close(0);
  });
});

describeWithPostgres('the settings of a PostgreSQL under BullMQ', () => {
  test.each([
    [{}, true, []],
    [{ synchronous_commit: 'off' }, false, ['postgres_commits_late']],
    [{ fsync: 'off' }, false, ['postgres_no_fsync']],
  ])('%j are reported', async (settings, powerLossSafe, codes) => {
    await using server = await startPostgresServer({ settings });
    const queue = bullmq({
      connection: { connectionString: server.url },
      onWarning: () => undefined,
    });

    const safety = await queue.safety();

    expect(safety.powerLossSafe).toBe(powerLossSafe);
    expect(safety.warnings.map(({ code }) => code)).toEqual(codes);
    await queue.close(0);
  });
});
