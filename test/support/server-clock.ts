import { Redis } from 'ioredis';
import { onTestFinished, vi } from 'vitest';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/**
 * A clock that stands still until a test moves it, also for what a driver reads with `Date.now()`, and for the locks of
 * a real Redis, which expire when this clock says so.
 * Between two steps it waits for the timers that poll to be set again: what they started has come to its end then.
 */
export const createServerClock = ({ redisUrl, pollMs }: { redisUrl?: string; pollMs: number }): VirtualClock => {
  const clock = createVirtualClock();
  const redis = redisUrl === undefined ? undefined : new Redis(redisUrl);
  /** When each lock of Redis expires on this clock. */
  const expiries = new Map<string, number>();
  let polls = 0;
  const now = vi.spyOn(Date, 'now').mockImplementation(clock.wallNow);
  onTestFinished(() => {
    now.mockRestore();
    redis?.disconnect();
  });

  /** What Redis would let expire by itself is taken over. */
  const adopt = async (server: Redis) => {
    for (const key of await server.keys('*')) {
      const left = await server.pttl(key);
      if (left <= 0) continue;
      // It was set a few milliseconds ago; all durations of these tests are whole seconds.
      expiries.set(key, clock.wallNow() + Math.ceil(left / 1_000) * 1_000);
      await server.persist(key);
    }
  };

  const expire = async (server: Redis, until: number) => {
    for (const [key, at] of expiries) {
      if (at > until) continue;
      expiries.delete(key);
      await server.del(key);
    }
  };

  const step = async (ms: number) => {
    if (redis) {
      await adopt(redis);
      await expire(redis, clock.wallNow() + ms);
    }
    const polling = polls;
    await clock.advance(ms);
    await pollersAreBack(polling);
  };

  /** Not for ever: a consumer that has all its hands full sets no timer. */
  const pollersAreBack = async (count: number) => {
    const patience = performance.now() + 300;
    while (polls < count && performance.now() < patience) await new Promise((resolve) => setImmediate(resolve));
  };

  return {
    ...clock,
    setTimer: (callback, ms) => {
      const isPoll = ms <= pollMs;
      if (isPoll) polls += 1;
      let isSet = true;
      const end = () => {
        if (isSet && isPoll) polls -= 1;
        isSet = false;
      };
      const cancel = clock.setTimer(() => {
        end();
        callback();
      }, ms);
      return () => {
        end();
        cancel();
      };
    },
    advance: async (ms) => {
      let left = ms;
      await pollersAreBack(1);
      // In steps as long as somebody may look for locks that have ended; a day is one step.
      for (; left > 0 && ms <= 60_000; left -= pollMs) await step(Math.min(left, pollMs));
      if (left > 0 || ms === 0) await step(left);
    },
  };
};
