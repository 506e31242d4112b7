import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lane, RateLimiter } from '../../../src/stores/ports/rate-limiter.ts';
import type { RedisClient } from '../../../src/stores/redis/client.ts';
import { createRedisRateLimiter, type RedisRateLimiterOptions } from '../../../src/stores/redis/rate-limiter.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { describeWithRedis, startRedisServer } from '../../support/redis-server.ts';
import type { TestServer } from '../../support/server-process.ts';
import { eventually, until } from '../../support/until.ts';
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
    createRedisRateLimiter({
      client,
      name: `app ${(count += 1)}`,
      ...limit,
      timeoutMs: 2_000,
      whenUnavailable: 'refuse',
    }),
  );

  const open = (options: Partial<Parameters<typeof createRedisRateLimiter>[0]> & { readonly name: string }) =>
    createRedisRateLimiter({
      client,
      limit: 1,
      perMs: 60_000,
      timeoutMs: 2_000,
      whenUnavailable: 'refuse',
      ...options,
    });

  const asked = (options: Partial<Parameters<RateLimiter['acquire']>[0]> = {}) => ({
    key: '',
    maxWaitMs: 60_000,
    signal: new AbortController().signal,
    ...options,
  });

  const hasWaiting = (limiter: RateLimiter, count: number) => until(() => limiter.state().waiting === count);

  describe('between processes', () => {
    test('live callers of one pass the background ones of another that were there before', async () => {
      const setting = { name: 'lanes', limit: 1, perMs: 200 };
      const [first, second] = [open(setting), open(setting)];
      await first.acquire(asked());
      const order: string[] = [];
      const ask = async (limiter: RateLimiter, lane: Lane, who: string) => {
        await limiter.acquire(asked({ lane }));
        order.push(who);
      };

      const background = [1, 2].map((count) => ask(first, 'background', `b${count}`));
      await hasWaiting(first, 2);
      const live = [1, 2].map((count) => ask(second, 'live', `l${count}`));
      await hasWaiting(second, 2);
      await Promise.all([...background, ...live]);

      expect(order).toEqual(['l1', 'l2', 'b1', 'b2']);
    });

    test('a pause of one holds for the others', async () => {
      const [first, second] = [open({ name: 'pause', limit: 10 }), open({ name: 'pause', limit: 10 })];
      first.pause('', 30_000);
      await eventually(async () => (await client.keys('*{pause}:pause')).length === 1);

      await expect(second.acquire(asked({ maxWaitMs: 10_000 }))).rejects.toMatchObject({ code: 'rate_limited' });
      expect(second.state().pausedForMs).toBeGreaterThan(20_000);
    });

    test('a permit whose caller has gone is released', async () => {
      const answers: unknown[] = [];
      const listening: RedisClient = {
        call: async (command: string, ...args: string[]) => {
          const answer = await client.call(command, ...args);
          answers.push(answer);
          return answer;
        },
      };
      const [first, second] = [open({ name: 'back', client: listening }), open({ name: 'back' })];
      const controller = new AbortController();
      const gone = first.acquire(asked({ signal: controller.signal }));
      controller.abort('hung up');
      await expect(gone).rejects.toBe('hung up');

      // Asked for, and given back.
      await until(() => answers.length === 2);
      await second.acquire(asked({ maxWaitMs: 0 }));
      expect(second.state().waiting).toBe(0);
    });

    test('a server clock that is set back delays callers by one window at most', async () => {
      const limiter = open({ name: 'clock', limit: 2, perMs: 300 });
      const [seconds] = await client.time();
      const tomorrow = (Number(seconds) + 86_400) * 1_000;
      await client.zadd('voice-agent:limit:{clock}:app', tomorrow, 'a', tomorrow, 'b');

      await limiter.acquire(asked({ maxWaitMs: 1_000 }));

      expect(await client.zcard('voice-agent:limit:{clock}:app')).toBe(1);
    });
  });

  describe('while it is down', () => {
    /** The time of the limiter does not move, so that nothing but its patience decides. */
    const away = async (whenUnavailable: RedisRateLimiterOptions['whenUnavailable'], name: string) => {
      const clock = createVirtualClock();
      const errors: unknown[] = [];
      const onUnavailable = (error: unknown) => errors.push(error);
      const limiter = open({ name, limit: 8, timeoutMs: 50, whenUnavailable, onUnavailable });
      await limiter.acquire(asked());
      await server.freeze();
      return { clock, limiter, errors, first: limiter.acquire(asked()) };
    };

    const kept = (name: string) => client.zcard(`voice-agent:limit:{${name}}:app`);

    test('one call waits fifty milliseconds, those after it not at all, and all keep to the share of the process', async () => {
      const { clock, limiter, errors, first } = await away({ fallback: 'local', processes: 2 }, 'local');
      try {
        await clock.advance(49);
        expect([errors.length, clock.pendingTimers()]).toEqual([0, 1]);
        await clock.advance(1);
        await first;

        await limiter.acquire(asked());
        await limiter.acquire(asked());
        // Half of eight, one of them granted before.
        await expect(limiter.acquire(asked({ maxWaitMs: 1_000 }))).rejects.toMatchObject({ code: 'rate_limited' });
        expect(errors).toEqual([expect.objectContaining({ message: 'Redis did not answer within 50 ms' })]);
      } finally {
        server.thaw();
      }
    });

    test.each([
      ['before its late answer came', async () => {}],
      ['after its late answer came, whose place is given back', async () => void (await client.ping())],
    ])('and when it is back, it gets a report of what was granted without it, %s', async (order, answerCame) => {
      const name = `back again ${order}`;
      const { clock, limiter, first } = await away({ fallback: 'local', processes: 1 }, name);
      try {
        await clock.advance(50);
        await first;
        await limiter.acquire(asked());
      } finally {
        server.thaw();
      }
      await answerCame();
      await clock.advance(1_000);
      await limiter.acquire(asked());

      // One by Redis, and three without it.
      await eventually(async () => (await kept(name)) === 4);
      expect(await kept(name)).toBe(4);
    });

    test('nothing is sent where that was chosen, and the next call is refused at once', async () => {
      const { clock, limiter, first } = await away('refuse', 'refuse');
      const refusal = { code: 'rate_limited', retryAfterMs: 1_000 };
      try {
        const refused = expect(first).rejects.toMatchObject(refusal);
        await clock.advance(50);
        await refused;
        await expect(limiter.acquire(asked())).rejects.toMatchObject(refusal);
      } finally {
        server.thaw();
      }
    });
  });

  test.each([
    [{ name: '' }, 'name must be a text that is not empty, without braces'],
    [{ name: '{a}' }, 'name must be a text that is not empty, without braces'],
    [{ name: 'a', limit: 0 }, 'limit must be a whole number above 0'],
    [{ name: 'a', perMs: 0 }, 'perMs must be a number of milliseconds above 0'],
    [{ name: 'a', perTenant: { limit: 0, perMs: 1 } }, 'perTenant.limit must be a whole number above 0'],
    [
      { name: 'a', whenUnavailable: { fallback: 'local' as const, processes: 0 } },
      "whenUnavailable must be 'refuse' or { fallback: 'local', processes }, a whole number above 0",
    ],
  ])('%j is refused when it is made', (options, message) => {
    expect(() => open(options)).toThrow(message);
  });
});
