import type { ConnectionOptions } from '../../src/http/operation.ts';
import { createEventLoop } from './event-loop.ts';
import { startBackground, startSweep } from './background.ts';
import { startPhoneCalls } from './phone-calls.ts';
import { createProcesses } from './processes.ts';
import { logNormal, randomFrom } from './random.ts';
import { createSimulatedApi } from './simulated-api.ts';
import { between, mean, perStep } from './tally.ts';

export interface OutageOptions {
  readonly phoneCalls: number;
  readonly processes: number;
  /** What the API does for a minute. */
  readonly outage: 'failing' | 'silent';
  /**
   * `delivered`: as the package is. `naive`: as many attempts, at fixed times, without breaker and budget; and messages
   * that failed are all sent again every ten seconds.
   */
  readonly variant: 'delivered' | 'naive';
  /** In place of the defaults. */
  readonly circuit?: ConnectionOptions['circuit'];
}

/** Requests that the API got, as a share of those before the outage. */
export interface OutageResult extends OutageOptions {
  readonly duringOutage: number;
  /** In the worst second after it. */
  readonly peakAfter: number;
  /** In the worst second of the outage. */
  readonly peakDuring: number;
  /** From the end of the outage until, for five seconds, as many turns are answered as before; in seconds. */
  readonly recoveredAfterSeconds: number;
  /** How long a turn that fails keeps the person waiting, at the 99th percentile. */
  readonly turns: readonly { readonly startedAt: number; readonly tookMs: number; readonly isAnswered: boolean }[];
  /** Requests in each second. */
  readonly perSecond: readonly number[];
  readonly usualPerSecond: number;
}

export const outageFromMs = 30_000;
export const outageUntilMs = 90_000;
const untilMs = 150_000;
/** What the API can do, as a multiple of what it is usually asked for. */
export const capacity = 1.5;
const warmMs = 10_000;

/** A minute without an API, and what its recovery has to bear. It can do twice what it is usually asked for. */
export const simulateOutage = async (options: OutageOptions): Promise<OutageResult> => {
  const { phoneCalls, processes: count, outage, variant, circuit } = options;
  using clock = createEventLoop();
  const pauseMs = 30_000;
  const workMs = 80;
  const usual = phoneCalls / pauseMs + messagesPerSecond(phoneCalls) / 1_000;
  const api = createSimulatedApi({
    random: randomFrom(1),
    workMs: (random) => logNormal(workMs, 0.4, random),
    atOnce: Math.ceil(capacity * usual * workMs * 1.08),
    queueLength: Math.ceil(usual * 5_000),
  });
  const processes = createProcesses({
    count,
    api,
    connection: variant === 'naive' ? naive : circuit === undefined ? {} : { circuit },
  });
  const turns = startPhoneCalls({
    count: phoneCalls,
    seed: 100_000,
    processes,
    pauseMs,
    untilMs,
  });
  const background = { seed: 7, api, perSecond: messagesPerSecond(phoneCalls), untilMs };
  if (variant === 'naive') startSweep({ ...background, everyMs: 10_000 });
  else startBackground(background);

  setTimeout(() => api.become(outage), outageFromMs);
  setTimeout(() => api.become('up'), outageUntilMs);
  await clock.run(untilMs);

  const perSecond = perStep(api.arrivals, { stepMs: 1_000, fromMs: 0, untilMs });
  const usualPerSecond = mean(perSecond.slice(warmMs / 1_000, outageFromMs / 1_000));
  const inSeconds = (fromMs: number, toMs: number) => perSecond.slice(fromMs / 1_000, toMs / 1_000);
  return {
    ...options,
    duringOutage: mean(inSeconds(outageFromMs, outageUntilMs)) / usualPerSecond,
    peakDuring: Math.max(...inSeconds(outageFromMs, outageUntilMs)) / usualPerSecond,
    peakAfter: Math.max(...inSeconds(outageUntilMs, untilMs)) / usualPerSecond,
    recoveredAfterSeconds: recoveredAfter(turns),
    turns,
    perSecond,
    usualPerSecond,
  };
};

/** After each phone call one message is sent. */
const messagesPerSecond = (phoneCalls: number) => phoneCalls / 300;

const naive: Partial<ConnectionOptions> = {
  circuit: false,
  retryBudget: false,
  backoff: { minimumMs: 500, maximumMs: 500 },
};

const recoveredAfter = (turns: OutageResult['turns']): number => {
  const ends = (isAnswered: boolean) =>
    turns
      .filter((turn) => turn.isAnswered === isAnswered)
      .map(({ startedAt, tookMs }) => startedAt + tookMs)
      .toSorted((a, b) => a - b);
  const [answered, failed] = [ends(true), ends(false)];
  for (let at = outageUntilMs; at + 5_000 <= untilMs; at += 500) {
    const failures = between(failed, at, at + 5_000).length;
    const answers = between(answered, at, at + 5_000).length;
    if (answers > 0 && failures / (failures + answers) <= 0.01) return (at - outageUntilMs) / 1_000;
  }
  return Number.POSITIVE_INFINITY;
};
