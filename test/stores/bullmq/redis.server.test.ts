import { afterAll, beforeAll } from 'vitest';
import { bullmq } from '../../../src/stores/bullmq/message-queue.ts';
import { describeWithRedis, startRedisServer } from '../../support/redis-server.ts';
import { createServerClock } from '../../support/server-clock.ts';
import type { TestServer } from '../../support/server-process.ts';
import { messageQueueConformance } from '../message-queue.conformance.ts';

describeWithRedis('BullMQ on Redis', () => {
  let server: TestServer;
  let queues = 0;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  messageQueueConformance('BullMQ on Redis', async () => {
    queues += 1;
    const clock = createServerClock({ redisUrl: server.url, pollMs: 1_000 });
    const onWarning = () => undefined;
    return { queue: bullmq({ connection: server.url, name: `test-${queues}`, clock, onWarning }), clock };
  });
});
