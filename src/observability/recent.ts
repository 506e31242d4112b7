/** How the latest uses of one endpoint went. */
export interface Recent {
  add(now: number, use: { readonly isOk: boolean; readonly ms: number }): void;
  read(now: number): { readonly volume: number; readonly successRate: number };
  /** Whether it is time to look at the percentile again, which costs more than the rest. */
  isDue(now: number): boolean;
  p95Ms(now: number): number;
}

/** Remembers a window of time in a few slices: a slice is forgotten as a whole. */
export const createRecent = (windowMs: number): Recent => {
  const sliceMs = windowMs / slices;
  let kept: Slice[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let usesSince = 0;

  const forget = (now: number) => {
    if (kept[0] && kept[0].endsAt + windowMs - sliceMs <= now)
      kept = kept.filter(({ endsAt }) => endsAt + windowMs - sliceMs > now);
  };

  return {
    add: (now, { isOk, ms }) => {
      forget(now);
      let slice = kept.at(-1);
      if (!slice || slice.endsAt <= now) {
        slice = { endsAt: now + sliceMs, count: 0, ok: 0, latenciesMs: [] };
        kept.push(slice);
      }
      // Enough of them for a percentile; then each new one takes the place of an earlier one.
      slice.latenciesMs[slice.count % mostLatencies] = ms;
      slice.count += 1;
      if (isOk) slice.ok += 1;
      usesSince += 1;
    },
    isDue: (now) => usesSince > 0 && (now - readAt >= shortestPauseMs || usesSince >= mostUsesUnread),
    read: (now) => {
      forget(now);
      const volume = sum(kept.map(({ count }) => count));
      return { volume, successRate: volume === 0 ? 1 : sum(kept.map(({ ok }) => ok)) / volume };
    },
    p95Ms: (now) => {
      forget(now);
      readAt = now;
      usesSince = 0;
      const latencies = kept.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b);
      return latencies[Math.ceil(latencies.length * 0.95) - 1] ?? 0;
    },
  };
};

const slices = 10;
const mostLatencies = 200;
const shortestPauseMs = 1_000;
const mostUsesUnread = 100;

interface Slice {
  readonly endsAt: number;
  count: number;
  ok: number;
  readonly latenciesMs: number[];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
