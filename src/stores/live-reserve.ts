import type { Lane } from '../ports/rate-limiter.ts';

/**
 * The part of a limit that background callers leave free while live ones come. Passing them in the queue is not enough:
 * when the background takes every place that is free, whoever is on the phone waits for the next one all the same.
 */
export const reserveOf = (limit: number): number => Math.floor(limit / 10);

/** How many places have to be free for this caller, so that what is left is the reserve. */
export const neededPlaces = ({
  weight,
  lane,
  limit,
  isReserved,
}: {
  readonly weight: number;
  readonly lane: Lane;
  readonly limit: number;
  /** A live caller came within the window. */
  readonly isReserved: boolean;
}): number => (lane === 'background' && isReserved ? Math.min(limit, weight + reserveOf(limit)) : weight);
