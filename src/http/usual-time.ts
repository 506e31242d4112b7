/** How long one operation usually takes, from its latest answers. */
export interface UsualTime {
  add(ms: number): void;
  /**
   * Longer than nearly all take: the 95th percentile, or three times the median where that is sooner. When one answer
   * in twenty is slow, the percentile itself lies among the slow ones half of the time, and says nothing.
   * `undefined` until enough is known.
   */
  value(): number | undefined;
  /** The 95th percentile; `undefined` until enough is known. */
  p95(): number | undefined;
}

export const createUsualTime = ({ latest = 128, enough = 20 } = {}): UsualTime => {
  const times: number[] = [];
  let added = 0;
  let known: { readonly median: number; readonly p95: number } | undefined;

  const percentiles = () => {
    if (added < enough) return undefined;
    if (known) return known;
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
    known = { median: at(0.5), p95: at(0.95) };
    return known;
  };

  return {
    add: (ms) => {
      times[added % latest] = ms;
      added += 1;
      if (added % 16 === 0) known = undefined;
    },
    value: () => {
      const known = percentiles();
      return known && Math.min(known.p95, 3 * known.median);
    },
    p95: () => percentiles()?.p95,
  };
};
