import type { RecordableHistogram } from 'node:perf_hooks';
import type { Latency } from './snapshot.ts';

/** How long something took. */
export interface LatencyRecorder {
  record(ms: number): void;
  read(): Latency;
}

/**
 * The upper bounds of the buckets. 500 ms is the limit for a fast webhook, 8 s the usual deadline of a call, 10 s the
 * longest; see the default API, "Limits".
 */
export const bucketsMs: readonly number[] = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_000, 3_000, 5_000, 8_000, 10_000, 30_000,
];

/** Percentiles from Node's histogram, to two digits, and counts by bucket that can be added up. */
export const createLatency = (): LatencyRecorder => {
  const histogram = createHistogram();
  const counts = bucketsMs.map(() => 0);
  let sumMs = 0;
  let count = 0;
  const percentile = (percent: number) => (count === 0 ? undefined : histogram.percentile(percent) / microsecondsPerMs);
  return {
    record: (ms) => {
      const time = Math.max(0, ms);
      histogram.record(Math.min(longest, Math.max(1, Math.round(time * microsecondsPerMs))));
      const bucket = bucketsMs.findIndex((end) => time <= end);
      if (bucket >= 0) counts[bucket] = (counts[bucket] ?? 0) + 1;
      sumMs += time;
      count += 1;
    },
    read: () => {
      let below = 0;
      return {
        count,
        sumMs,
        p50Ms: percentile(50),
        p95Ms: percentile(95),
        p99Ms: percentile(99),
        buckets: bucketsMs.map((upToMs, index) => {
          below += counts[index] ?? 0;
          return { upToMs, count: below };
        }),
      };
    },
  };
};

/** For what hasn't happened yet. */
export const noLatency: Latency = {
  count: 0,
  sumMs: 0,
  p50Ms: undefined,
  p95Ms: undefined,
  p99Ms: undefined,
  buckets: bucketsMs.map((upToMs) => ({ upToMs, count: 0 })),
};

const microsecondsPerMs = 1_000;

/** An hour: a shorter range keeps the histogram small. */
const longest = 3_600_000 * microsecondsPerMs;

/** Loaded on use, so that the package can be imported where this module is missing. */
export const createHistogram = (): RecordableHistogram =>
  process.getBuiltinModule('node:perf_hooks').createHistogram({ lowest: 1, highest: longest, figures: 2 });
