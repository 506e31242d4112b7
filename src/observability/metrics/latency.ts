import type { RecordableHistogram } from 'node:perf_hooks';
import type { Reading } from '../measurements.ts';

/** The times of one kind of work. Percentiles are to two digits; `undefined` while there is none. */
export interface Latency {
  readonly count: number;
  readonly sumMs: number;
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** The number that took no longer, each including the one before. */
  readonly buckets: readonly { readonly upToMs: number; readonly count: number }[];
}

/** Adds up the readings of one metric under the same labels. */
export interface Recorder {
  add(reading: Reading): void;
  read(): readonly RecordedValue[];
}

/** The sum of readings with one word; for times, their count and distribution. */
export interface RecordedValue extends Pick<Reading, 'value' | 'word'> {
  readonly latency?: Latency | undefined;
}

/**
 * The upper bounds of the buckets. 500 ms is the limit for a fast webhook. 8 s is the usual
 * deadline of a call, 10 s the longest.
 */
export const bucketsMs: readonly number[] = [
  5, 10, 25, 50, 100, 250, 500, 1_000, 2_000, 3_000, 5_000, 8_000, 10_000, 30_000,
];

/** Measures percentiles with Node's histogram, to two digits, and counts by bucket that can be added up. */
export const createLatency = (): Recorder => {
  // Made with the first time: it takes about 30 kB.
  let histogram: RecordableHistogram | undefined;
  const counts = bucketsMs.map(() => 0);
  let sumMs = 0;
  let count = 0;
  return {
    add: ({ value }) => {
      const time = Math.max(0, value);
      histogram ??= createHistogram();
      histogram.record(Math.min(longest, Math.max(1, Math.round(time * microsecondsPerMs))));
      const bucket = bucketsMs.findIndex((end) => time <= end);
      if (bucket >= 0) counts[bucket] = (counts[bucket] ?? 0) + 1;
      sumMs += time;
      count += 1;
    },
    read: () => {
      if (!histogram) return [];
      const times = histogram;
      const [p50Ms, p95Ms, p99Ms] = [50, 95, 99].map((percent) => times.percentile(percent) / microsecondsPerMs);
      let below = 0;
      const buckets = bucketsMs.map((upToMs, index) => {
        below += counts[index] ?? 0;
        return { upToMs, count: below };
      });
      return [{ value: count, latency: { count, sumMs, p50Ms, p95Ms, p99Ms, buckets } }];
    },
  };
};

/** The latency of an endpoint before its first use. */
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
