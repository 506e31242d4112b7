import { createEventLoop } from './event-loop.ts';
import { readOperation, startPhoneCalls } from './phone-calls.ts';
import { createProcesses } from './processes.ts';
import { logNormal, type Random, randomFrom } from './random.ts';
import { createSimulatedApi } from './simulated-api.ts';

export interface HedgingOptions {
  readonly phoneCalls: number;
  readonly isHedged: boolean;
  /** One answer in so many takes twenty times as long. */
  readonly slowOneIn: number;
}

export interface HedgingResult extends HedgingOptions {
  /** Of all turns, with two reads each. */
  readonly tookMs: readonly number[];
  readonly reads: number;
  /** Requests beyond one for each read, as a share of the reads. */
  readonly extraShare: number;
  /** The same while everything takes five times as long: a second request would make that worse. */
  readonly extraShareWhileSlow: number;
}

const warmMs = 60_000;
const slowFromMs = 240_000;
const untilMs = 300_000;

/** An API of which a few answers are slow, and then all of them. */
export const simulateHedging = async (options: HedgingOptions): Promise<HedgingResult> => {
  const { phoneCalls, isHedged, slowOneIn } = options;
  using clock = createEventLoop();
  const workMs = (random: Random) => logNormal(random() * slowOneIn < 1 ? 1_600 : 80, 0.4, random);
  const api = createSimulatedApi({ random: randomFrom(1), workMs });
  const processes = createProcesses({
    count: 10,
    api,
    connection: isHedged ? { hedge: { operations: [readOperation] } } : {},
  });
  const readsPerTurn = 2;
  const turns = startPhoneCalls({
    count: phoneCalls,
    seed: 100_000,
    processes,
    pauseMs: 15_000,
    readsPerTurn,
    untilMs,
  });
  setTimeout(() => api.slowDown(5), slowFromMs);
  await clock.run(untilMs + 10_000);

  const within = (fromMs: number, toMs: number) => {
    const some = turns.filter(({ startedAt }) => startedAt >= fromMs && startedAt < toMs);
    const requests = api.arrivals.filter((at) => at >= fromMs && at < toMs).length;
    const reads = some.length * readsPerTurn;
    return { some, reads, extraShare: requests / reads - 1 };
  };
  const usual = within(warmMs, slowFromMs);
  return {
    ...options,
    tookMs: usual.some.map(({ tookMs }) => tookMs),
    reads: usual.reads,
    extraShare: usual.extraShare,
    extraShareWhileSlow: within(slowFromMs, untilMs).extraShare,
  };
};
