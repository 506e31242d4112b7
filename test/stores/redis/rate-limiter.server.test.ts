import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { redisRateLimiter } from '../../../src/stores/redis/rate-limiter.ts';
import { describeWithRedis, startRedisServer } from '../../support/redis-server.ts';
import type { TestServer } from '../../support/server-process.ts';
import { rateLimiterConformance } from '../rate-limiter.conformance.ts';

describeWithRedis('a limit in Redis', () => {
  let server: TestServer;
  let client: Redis;
  let count = 0;

  beforeAll(async () => {
    server = await startRedisServer();
    client = new Redis(server.url);
    client.on('error', () => undefined);
  });
  afterAll(async () => {
    client.disconnect();
    await server[Symbol.asyncDispose]();
  });

  rateLimiterConformance('Redis', async (limit) =>
    redisRateLimiter({ client, name: `app ${(count += 1)}`, ...limit, timeoutMs: 2_000, whenUnavailable: 'refuse' }),
  );
});
