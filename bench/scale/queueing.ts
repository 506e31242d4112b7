import { createEventLoop } from './event-loop.ts';
import { startPhoneCalls } from './phone-calls.ts';
import { createProcesses } from './processes.ts';
import { logNormal, randomFrom } from './random.ts';
import { createSimulatedApi } from './simulated-api.ts';
import { createSimulatedRedis } from './simulated-redis.ts';
import { mostWithin, percentile } from './tally.ts';

export interface QueueingOptions {
  /** Each asks the API once a minute, on average. */
  readonly phoneCalls: number;
  readonly processes: number;
  /** Requests per minute, of all processes together. */
  readonly limit: number;
  readonly minutes: number;
}

export interface QueueingResult extends QueueingOptions {
  /** Of the turns that were answered. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How long the others kept the person waiting. */
  readonly failedP99Ms: number;
  readonly failedShare: number;
  /** As the API counts them. */
  readonly mostPerMinute: number;
  /** What is sent to Redis for one request that is sent to the API. */
  readonly commandsPerRequest: number;
  readonly commandsPerSecond: number;
}

/** The windows begin empty, so that the first minute says nothing. */
const measuredFromMs = 75_000;

/** One limit, and more and more phone calls that need it. */
export const simulateQueueing = async (options: QueueingOptions): Promise<QueueingResult> => {
  const { phoneCalls, processes: count, limit, minutes } = options;
  const untilMs = minutes * 60_000;
  using clock = createEventLoop();
  const api = createSimulatedApi({ random: randomFrom(1), workMs: (random) => logNormal(80, 0.4, random) });
  const redis = createSimulatedRedis({ random: randomFrom(2) });
  const shared = { redis, limit, perMs: 60_000, whenUnavailable: 'refuse' } as const;
  const turns = startPhoneCalls({
    count: phoneCalls,
    seed: 100_000,
    processes: createProcesses({ count, api, shared }),
    pauseMs: 60_000,
    untilMs,
  });
  await clock.run(untilMs);

  const measured = turns.filter(({ startedAt }) => startedAt >= measuredFromMs);
  const tookMs = (isAnswered: boolean) =>
    measured.filter((turn) => turn.isAnswered === isAnswered).map((turn) => turn.tookMs);
  const commands = redis.commands();
  return {
    ...options,
    p50Ms: percentile(tookMs(true), 0.5),
    p99Ms: percentile(tookMs(true), 0.99),
    failedP99Ms: percentile(tookMs(false), 0.99),
    failedShare: tookMs(false).length / measured.length,
    mostPerMinute: mostWithin(60_000, api.arrivals),
    commandsPerRequest: commands / api.arrivals.length,
    commandsPerSecond: (1_000 * commands) / untilMs,
  };
};
