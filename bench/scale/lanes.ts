import type { RateLimiter } from '../../src/stores/ports/rate-limiter.ts';
import { createEventLoop } from './event-loop.ts';
import { enqueueBacklog } from './background.ts';
import { startPhoneCalls, type Turn } from './phone-calls.ts';
import { createProcesses } from './processes.ts';
import { logNormal, randomFrom } from './random.ts';
import { createSimulatedApi } from './simulated-api.ts';
import { createSimulatedRedis } from './simulated-redis.ts';
import { mostWithin } from './tally.ts';

export interface LanesOptions {
  readonly phoneCalls: number;
  /** Messages that two outboxes have to deliver to the same API, all there at once. */
  readonly backlog: number;
  /** `two`: as it is delivered. `one`: the messages ask as if a person waited for them. */
  readonly lanes: 'one' | 'two';
}

export interface LanesResult extends LanesOptions {
  /** Since the messages are there. */
  readonly turns: readonly Turn[];
  readonly mostPerMinute: number;
  /** Messages that were delivered within the three minutes after that. */
  readonly delivered: number;
  /** Permits that were given to the background while a phone call waited for one. */
  readonly passed: number;
}

export const backlogAtMs = 75_000;
export const lanesUntilMs = 255_000;

/** Phone calls that need 1000 per minute or less, and a backlog that wants the same places. */
export const simulateLanes = async (options: LanesOptions): Promise<LanesResult> => {
  const { phoneCalls, backlog, lanes } = options;
  using clock = createEventLoop();
  const api = createSimulatedApi({ random: randomFrom(1), workMs: (random) => logNormal(80, 0.4, random) });
  const redis = createSimulatedRedis({ random: randomFrom(2) });
  const shared = { redis, limit: 1_000, perMs: 60_000, whenUnavailable: 'refuse' } as const;
  const carrying = createProcesses({ count: 10, api, shared });
  const delivering = createProcesses({ count: 2, api, shared });
  const turns = startPhoneCalls({
    count: phoneCalls,
    seed: 100_000,
    processes: carrying,
    pauseMs: 60_000,
    untilMs: lanesUntilMs,
  });

  const waiting = () => carrying.reduce((total, { limiter }) => total + (limiter?.state().waiting ?? 0), 0);
  let passed = 0;
  const counted = (limiter: RateLimiter): RateLimiter => ({
    ...limiter,
    acquire: async (asked) => {
      await limiter.acquire({ ...asked, lane: lanes === 'one' ? 'live' : 'background' });
      if (waiting() > 0) passed += 1;
    },
  });
  const queues = enqueueBacklog({
    seed: 7,
    api,
    limiters: delivering.flatMap(({ limiter }) => (limiter ? [counted(limiter)] : [])),
    atMs: backlogAtMs,
    messages: backlog,
  });
  await clock.run(lanesUntilMs);
  const left = await Promise.all(queues.map((queue) => queue.admin.stats()));
  const undelivered = left.reduce((total, { ready, delayed, leased }) => total + ready + delayed + leased, 0);
  return {
    ...options,
    turns: turns.filter(({ startedAt }) => startedAt >= backlogAtMs),
    mostPerMinute: mostWithin(60_000, api.arrivals),
    delivered: backlog - undelivered,
    passed,
  };
};
