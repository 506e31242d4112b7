import { afterAll, beforeAll } from 'vitest';
import { bullmq } from '../../../src/stores/bullmq/message-queue.ts';
import { describeWithPostgres, startPostgresServer } from '../../support/postgres-server.ts';
import { createServerClock } from '../../support/server-clock.ts';
import type { TestServer } from '../../support/server-process.ts';
import { messageQueueConformance } from '../message-queue.conformance.ts';

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
    const onWarning = () => undefined;
    return { queue: bullmq({ connection: server.url, name: `test-${queues}`, clock, onWarning }), clock };
  });
});
