/** The grants of the last `perMs`, and from them when there is room again. It decides; it never waits. */
export interface SlidingWindow {
  /**
   * The moment at which the last of `units` more places is free, if they are taken as early as possible but not before
   * `from`. Places that become free only because today's waiters will have been served are counted in.
   */
  freeAt(units: number, now: number, from?: number): number;
  take(units: number, now: number): void;
  /** Nothing in it matters any more. */
  isIdle(now: number): boolean;
}

/** Never more than `limit` grants lie within any `perMs`. Its memory grows with the grants in it, not with the limit. */
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
      const place = grants.length - oldest + units;
      if (place <= limit) return from;
      // Each place is free `perMs` after the grant `limit` places before it; beyond those known, after one to come.
      const rounds = Math.ceil(place / limit) - 1;
      const grantedAt = grants[oldest + place - rounds * limit - 1] ?? from;
      return Math.max(from, grantedAt + perMs) + (rounds - 1) * perMs;
    },
    take: (units, now) => {
      for (let unit = 0; unit < units; unit += 1) grants.push(now);
    },
    isIdle: (now) => (grants.at(-1) ?? Number.NEGATIVE_INFINITY) + perMs <= now,
  };
};
