import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import { tryStore } from '../../../src/stores/ports/try-store.ts';
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

  idempotencyStoreConformance('Redis', {
    open: () => createRedisIdempotencyStore({ client, prefix: 'checks:' }),
    leaseMs: 60_000,
    pass: (ms) => ageClaims(client, 'checks:', ms),
    setClockBack: (ms) => ageClaims(client, 'checks:', -ms),
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

  describe('claims of another version', () => {
    const words = (prefix: string, format: string) =>
      `Redis has claims under ${prefix} of format ${format} version of this package, and this version works with format 2 only: let the other version finish its work and stop it, then give this one another prefix`;
    const older = (key: string) =>
      client.hset(key, { fingerprint: 'f', result: '{"paid":true}', retainMs: 60_000, leaseMs: 1_000 });

    test('that is older are refused at the first call, with what to do', async () => {
      const prefix = freshPrefix();
      await older(`${prefix}k`);
      const store = createRedisIdempotencyStore({ client, prefix });

      const refusal = new StoreError(words(prefix, '1, from an older'));
      await expect(tryStore(store, 'store')).rejects.toThrow(refusal);
      await expect(store.claim('other', options)).rejects.toThrow(refusal);
      await expect(store.read('other')).rejects.toThrow(refusal);
      expect(await client.keys(`${prefix}*`)).toEqual([`${prefix}k`]);
    });

    test('that is newer are refused at the first call', async () => {
      const prefix = freshPrefix();
      await client.set(`${prefix}:format`, '3');

      const refused = createRedisIdempotencyStore({ client, prefix }).claim('k', options);

      await expect(refused).rejects.toThrow(new StoreError(words(prefix, '3, from a newer')));
      expect(await client.keys(`${prefix}*`)).toEqual([`${prefix}:format`]);
    });

    test('that works at the same time are refused key by key', async () => {
      const prefix = freshPrefix();
      const store = createRedisIdempotencyStore({ client, prefix });
      await store.claim('ours', options);
      await older(`${prefix}theirs`);
      await client.set(`${prefix}newer`, '3 something else');

      await expect(store.claim('theirs', options)).rejects.toThrow(new StoreError(words(prefix, '1, from an older')));
      await expect(store.claim('newer', options)).rejects.toThrow(new StoreError(words(prefix, '3, from a newer')));
      // The first command of format 1, in all of its scripts.
      await expect(client.hmget(`${prefix}ours`, 'fingerprint', 'result')).rejects.toThrow('WRONGTYPE');
      expect(await client.hget(`${prefix}theirs`, 'result')).toBe('{"paid":true}');
      expect(await store.claim('ours', options)).toMatchObject({ state: 'in-progress' });
    });
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
