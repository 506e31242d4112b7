/** The grants of the last `perMs`, and when more are possible. It decides; it never waits. */
export interface SlidingWindow {
  /**
   * The moment at which the last of `units` more permits is free, if they're taken as early as possible but not before
   * `from`. It counts permits that are free only after the current waiters have been served.
   */
  freeAt(units: number, now: number, from?: number): number;
  take(units: number, now: number): void;
  /** It holds no grant that still counts. */
  isIdle(now: number): boolean;
}

/** Any `perMs` has at most `limit` grants. Its memory grows with the grants in it, not with the limit. */
export const createSlidingWindow = ({ limit, perMs }: { limit: number; perMs: number }): SlidingWindow => {
  let grants: number[] = [];
  let oldest = 0;

  const forgetExpired = (now: number) => {
    while ((grants[oldest] ?? Number.POSITIVE_INFINITY) + perMs <= now) oldest += 1;
    if (oldest > 32 && oldest * 2 > grants.length) {
      grants = grants.slice(oldest);
      oldest = 0;
    }
  };

  return {
    freeAt: (units, now, from = now) => {
      forgetExpired(now);
      const count = grants.length - oldest + units;
      if (count <= limit) return from;
      // Each permit is free `perMs` after the grant `limit` grants before it; beyond those known, after one to come.
      const rounds = Math.ceil(count / limit) - 1;
      const grantedAt = grants[oldest + count - rounds * limit - 1] ?? from;
      return Math.max(from, grantedAt + perMs) + (rounds - 1) * perMs;
    },
    take: (units, now) => {
      // Also where it is only counted, and never asked.
      forgetExpired(now);
      for (let unit = 0; unit < units; unit += 1) grants.push(now);
    },
    isIdle: (now) => (grants.at(-1) ?? Number.NEGATIVE_INFINITY) + perMs <= now,
  };
};
