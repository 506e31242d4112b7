import { afterAll, beforeAll, expect, test } from 'vitest';
import { bullmq } from '../../../src/stores/bullmq/message-queue.ts';
import { describeWithPostgres, openPool, startPostgresServer } from '../../support/postgres-server.ts';
import { createServerClock } from '../../support/server-clock.ts';
import type { TestServer } from '../../support/server-process.ts';
import { messageQueueConformance } from '../message-queue.conformance.ts';
import { manyProcesses, message } from './many-processes.ts';

describeWithPostgres('BullMQ on PostgreSQL', () => {
  let server: TestServer;
  let queues = 0;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  messageQueueConformance('BullMQ on PostgreSQL', async () => {
    queues += 1;
    const clock = createServerClock({ pollMs: 1_000 });
    return { queue: bullmq({ connection: server.url, name: `test-${queues}`, clock }), clock };
  });

  manyProcesses(() => server);

  test('connections that break while they are opened fail a call, and end no process', async () => {
    const operator = openPool(server);
    for (let count = 0; count < 20; count += 1) {
      const queue = bullmq({ connection: server.url, name: 'broken-off' });
      let isOver = false;
      const enqueued = queue.enqueue([message(`a${count}`)]).catch((error: unknown) => error);
      void enqueued.then(() => (isOver = true));
      // As when the server is killed: whatever a connection is at that moment, it is told that it ends.
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

describeWithPostgres('the settings of a PostgreSQL under BullMQ', () => {
  test.each([
    [{}, true, []],
    [{ synchronous_commit: 'off' }, false, ['postgres_commits_late']],
    [{ fsync: 'off' }, false, ['postgres_no_fsync']],
  ])('%j are told', async (settings, powerLossSafe, codes) => {
    await using server = await startPostgresServer({ settings });
    const queue = bullmq({
      connection: { connectionString: server.url, schema: 'queues' },
      onWarning: () => undefined,
    });

    const safety = await queue.safety();

    expect(safety.powerLossSafe).toBe(powerLossSafe);
    expect(safety.warnings.map(({ code }) => code)).toEqual(codes);
    await queue.close(0);
  });
});
