import type { Limit } from '../../http/operation.ts';

/** Counts the requests of a sliding window. */
export interface RequestWindow {
  /** 0 when there is a place, which is then taken; else how long until there is one. */
  readonly take: (now: number) => number;
  /** Places left. */
  readonly left: (now: number) => number;
  /** Milliseconds until every place is free again. */
  readonly emptyInMs: (now: number) => number;
}

/** Never lets more than `limit` requests through in any `perMs`. Refused ones do not count. */
export const createRequestWindow = ({ limit, perMs }: Limit): RequestWindow => {
  let taken: number[] = [];
  const current = (now: number) => {
    taken = taken.filter((at) => now - at < perMs);
    return taken;
  };
  return {
    take: (now) => {
      const [oldest] = current(now);
      if (taken.length >= limit) return oldest === undefined ? perMs : perMs - (now - oldest);
      taken.push(now);
      return 0;
    },
    left: (now) => limit - current(now).length,
    emptyInMs: (now) => {
      const newest = current(now).at(-1);
      return newest === undefined ? 0 : perMs - (now - newest);
    },
  };
};
