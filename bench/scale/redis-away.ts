import { createEventLoop } from './event-loop.ts';
import { startPhoneCalls, type Turn } from './phone-calls.ts';
import { createProcesses } from './processes.ts';
import { logNormal, randomFrom } from './random.ts';
import { createSimulatedApi } from './simulated-api.ts';
import { createSimulatedRedis } from './simulated-redis.ts';
import { mostWithin, percentile } from './tally.ts';

export interface RedisAwayOptions {
  readonly phoneCalls: number;
  readonly whenUnavailable: 'refuse' | 'local';
  /** What the first of the ten processes carries of all phone calls. */
  readonly shareOfFirst: number;
}

export interface RedisAwayResult extends RedisAwayOptions {
  /** While Redis is unreachable. */
  readonly failedShare: number;
  readonly p99Ms: number;
  /** Once it is back. */
  readonly failedShareAfter: number;
  /** As the API counts them, at any time. */
  readonly mostPerMinute: number;
  readonly turns: readonly Turn[];
}

export const awayFromMs = 120_000;
export const awayUntilMs = 240_000;
const untilMs = 360_000;
const processes = 10;

/** Two minutes without the Redis that holds the limit of 1000 per minute. */
export const simulateRedisAway = async (options: RedisAwayOptions): Promise<RedisAwayResult> => {
  const { phoneCalls, whenUnavailable, shareOfFirst } = options;
  using clock = createEventLoop();
  const api = createSimulatedApi({ random: randomFrom(1), workMs: (random) => logNormal(80, 0.4, random) });
  const redis = createSimulatedRedis({ random: randomFrom(2) });
  const turns = startPhoneCalls({
    count: phoneCalls,
    seed: 100_000,
    processes: createProcesses({
      count: processes,
      api,
      shared: {
        redis,
        limit: 1_000,
        perMs: 60_000,
        whenUnavailable: whenUnavailable === 'refuse' ? 'refuse' : { fallback: 'local', processes },
      },
    }),
    processOf: (phoneCall) => (phoneCall < shareOfFirst * phoneCalls ? 0 : 1 + (phoneCall % (processes - 1))),
    pauseMs: 60_000,
    untilMs,
  });
  setTimeout(() => redis.beAway(true), awayFromMs);
  setTimeout(() => redis.beAway(false), awayUntilMs);
  await clock.run(untilMs);

  const within = (fromMs: number, toMs: number) =>
    turns.filter(({ startedAt }) => startedAt >= fromMs && startedAt < toMs);
  const failedShare = (some: readonly Turn[]) => some.filter(({ isAnswered }) => !isAnswered).length / some.length;
  const away = within(awayFromMs, awayUntilMs);
  return {
    ...options,
    failedShare: failedShare(away),
    p99Ms: percentile(
      away.filter(({ isAnswered }) => isAnswered).map(({ tookMs }) => tookMs),
      0.99,
    ),
    failedShareAfter: failedShare(within(awayUntilMs + 2_000, untilMs)),
    mostPerMinute: mostWithin(60_000, api.arrivals),
    turns,
  };
};
