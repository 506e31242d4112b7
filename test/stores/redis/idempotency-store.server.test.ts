import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRedisIdempotencyStore } from '../../../src/stores/redis/idempotency-store.ts';
import type { ServerWarning } from '../../../src/stores/server-warning.ts';
import { describeWithRedis, startRedisServer } from '../../support/redis-server.ts';
import type { TestServer } from '../../support/server-process.ts';
import { until } from '../../support/until.ts';
import { idempotencyStoreConformance } from '../idempotency-store.conformance.ts';
import { ageClaims } from './age-claims.ts';

const options = { fingerprint: 'f', leaseMs: 60_000, retainMs: 60_000 };

describeWithRedis('claims in Redis', () => {
  let server: TestServer;
  let client: Redis;
  let count = 0;

  beforeAll(async () => {
    server = await startRedisServer({ appendOnly: 'always' });
    client = new Redis(server.url);
    client.on('error', () => undefined);
  });
  afterAll(async () => {
    client.disconnect();
    await server[Symbol.asyncDispose]();
  });

  const freshPrefix = () => `test${(count += 1)}:`;

  idempotencyStoreConformance('Redis', async () => {
    const prefix = freshPrefix();
    const store = createRedisIdempotencyStore({ client, prefix });
    return {
      store,
      pass: (ms) => ageClaims(client, prefix, ms),
      setClockBack: (ms) => ageClaims(client, prefix, -ms),
    };
  });

  test('a driver that sends commands as lists will do as well', async () => {
    const store = createRedisIdempotencyStore({
      client: { sendCommand: ([command = '', ...args]) => client.call(command, ...args) },
      prefix: freshPrefix(),
    });

    expect(await store.claim('k', options)).toMatchObject({ state: 'new' });
    expect(await store.claim('k', options)).toMatchObject({ state: 'in-progress' });
  });

  test('what was settled survives a kill of the server', async () => {
    const store = createRedisIdempotencyStore({ client, prefix: freshPrefix(), timeoutMs: 10_000 });
    const claim = await store.claim('k', options);
    await store.settle('k', claim.state === 'new' ? claim.claim : '', { charged: true });

    await server.kill();
    await server.restart();

    expect(await store.claim('k', options)).toEqual({ state: 'finished', result: { charged: true } });
  });

  test('a server that hangs is an error in bounded time', async () => {
    const store = createRedisIdempotencyStore({ client, prefix: freshPrefix(), timeoutMs: 50 });
    await server.freeze();
    try {
      await expect(store.claim('k', options)).rejects.toMatchObject({
        code: 'store_failed',
        message: 'Redis did not answer within 50 ms',
      });
    } finally {
      server.thaw();
    }
  });

  test.each([
    [{ 'maxmemory-policy': 'allkeys-lru' }, ['redis_may_evict', 'redis_not_on_disk']],
    [{ appendonly: 'yes', appendfsync: 'no' }, ['redis_flushes_late']],
    [{ appendonly: 'yes', appendfsync: 'everysec' }, []],
  ])('says aloud what a server with %j puts at risk', async (settings, codes) => {
    await using risky = await startRedisServer({ settings });
    const own = new Redis(risky.url);
    const warnings: ServerWarning[] = [];
    let asked = 0;
    const counting = {
      call: async (command: string, ...args: string[]) => {
        const answer = await own.call(command, ...args);
        if (command === 'CONFIG' || command === 'INFO') asked += 1;
        return answer;
      },
    };
    const store = createRedisIdempotencyStore({ client: counting, onWarning: (warning) => warnings.push(warning) });
    await store.claim('a', options);
    await store.claim('b', options);
    await until(() => asked === 3);
    await own.ping();

    expect(warnings.map(({ code }) => code)).toEqual(codes);
    own.disconnect();
  });
});
