import { afterAll, beforeAll, expect, test } from 'vitest';
import { bullmq } from '../../../src/stores/bullmq/message-queue.ts';
import { describeWithPostgres, startPostgresServer } from '../../support/postgres-server.ts';
import { createServerClock } from '../../support/server-clock.ts';
import type { TestServer } from '../../support/server-process.ts';
import { messageQueueConformance } from '../message-queue.conformance.ts';
import { manyProcesses } from './many-processes.ts';

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
