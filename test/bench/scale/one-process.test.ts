import { expect, test } from 'vitest';
import { createEventLoop } from '../../../bench/scale/event-loop.ts';
import { exponential, randomFrom } from '../../../bench/scale/random.ts';
import { createSimulatedRedis } from '../../../bench/scale/simulated-redis.ts';
import { percentile } from '../../../bench/scale/tally.ts';
import { RateLimitedError } from '../../../src/core/errors.ts';
import type { Lane, RateLimiter } from '../../../src/stores/ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../../../src/stores/memory-rate-limiter.ts';
import { createRedisRateLimiter } from '../../../src/stores/redis/rate-limiter.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const limit = 50;
const perMs = 10_000;

/** Who comes when: more than the limit has room for. */
const callers = (() => {
  const random = randomFrom(5);
  let at = 0;
  return Array.from({ length: 400 }, () => {
    at += exponential(180, random);
    const lane: Lane = random() < 0.3 ? 'background' : 'live';
    return { at: Math.round(at), lane, maxWaitMs: lane === 'live' ? 3_000 : 8_000 };
  });
})();

const endMs = 120_000;

/** What becomes of each, and when. */
const carry = async (limiter: RateLimiter, run: () => Promise<void>) => {
  const ends: { readonly what: 'granted' | 'refused'; readonly at: number }[] = [];
  for (const [index, { at, lane, maxWaitMs }] of callers.entries())
    setTimeout(() => {
      const end = (what: 'granted' | 'refused') => {
        ends[index] = { what, at: performance.now() };
      };
      limiter.acquire({ key: '', lane, maxWaitMs, signal: new AbortController().signal }).then(
        () => end('granted'),
        (error: unknown) => {
          if (!(error instanceof RateLimitedError)) throw error;
          end('refused');
        },
      );
    }, at);
  await run();
  return ends;
};

const simulate = async (create: () => RateLimiter) => {
  using clock = createEventLoop();
  return await carry(create(), () => clock.run(endMs));
};

/** The limiter of one process, on the clock that tests of the package use. */
const inMemory = (windowMs = perMs): ReturnType<typeof carry> => {
  const clock = createVirtualClock();
  return carry(createMemoryRateLimiter({ limit, perMs: windowMs }), () => clock.advance(endMs));
};

test('the memory limiter does the same on the simulated clock as on the virtual one', async () => {
  const simulated = await simulate(() => createMemoryRateLimiter({ limit, perMs }));

  expect(simulated).toEqual(await inMemory());
});

test('one process over the simulated Redis is served as by the limiter in its memory, but for the way to Redis', async () => {
  const simulated = await simulate(() => {
    const redis = createSimulatedRedis({ random: randomFrom(1), roundTripMs: 0.2 });
    const options = { name: 'app', limit, perMs, whenUnavailable: 'refuse' } as const;
    return createRedisRateLimiter({ ...options, client: redis.client });
  });
  // In Redis, a permit stays taken a fiftieth longer.
  const real = await inMemory(perMs * 1.02);

  const outcomes = (ends: typeof real) => ends.map(({ what }) => what);
  expect(outcomes(simulated)).toEqual(outcomes(real));
  expect(real.filter(({ what }) => what === 'granted').length).toBeGreaterThan(300);
  const later = real.flatMap(({ what, at }, index) => (what === 'granted' ? [(simulated[index]?.at ?? 0) - at] : []));
  // A request a little later may find the next place taken, and waits for the one after it.
  expect(percentile(later, 0) >= 0 && percentile(later, 0.5) < 2 && percentile(later, 1) < perMs / limit).toBe(true);
});
