import pThrottle from 'p-throttle';
import type { Clock } from '../clock.ts';

/** Releases of p-throttle, asked for one at a time and kept until they are taken. */
export interface Throttle {
  /** Takes `units` releases if they are there or can be had at once; else one more is on its way to `onRelease`. */
  take(units: number): boolean;
  /** Asks for the release that the next waiter will need. */
  prepare(): void;
  /** Whether p-throttle's time and ours have parted, so that its word means nothing. */
  hasLostTime(): boolean;
  /** Starts afresh: the next `limit` releases come at once. */
  renew(): void;
  /** Frees the timer, if there is one. */
  rest(): void;
}

/** The one door to p-throttle. It counts on the wall clock and may err either way; a sliding window has to stand beside it. */
export const createThrottle = (options: {
  readonly limit: number;
  readonly perMs: number;
  readonly clock: Clock;
  /** A release came that could not be had at once. */
  readonly onRelease: () => void;
}): Throttle => {
  const { limit, perMs, clock, onRelease } = options;
  let current: ReturnType<typeof begin> | undefined;
  let held = 0;
  let isPending = false;

  const begin = () => {
    const controller = new AbortController();
    const throttled = pThrottle({ limit, interval: perMs, strict: true, signal: controller.signal });
    const release = throttled(() => {
      held += 1;
      if (!isPending) return;
      isPending = false;
      onRelease();
    });
    return { controller, release, apartMs: apartMs() };
  };

  // Date.now and not our clock's wall time, since that is what p-throttle reads.
  const apartMs = () => Date.now() - clock.now();

  const ask = () => {
    current ??= begin();
    const heldBefore = held;
    const released: unknown = current.release();
    if (held > heldBefore) return;
    isPending = true;
    Promise.resolve(released).catch(ignoreRenewal);
  };

  const renew = () => {
    // Aborting clears p-throttle's timer; a call still pending there rejects.
    if (isPending) current?.controller.abort();
    current = undefined;
    isPending = false;
  };

  return {
    take: (units) => {
      while (held < units && !isPending) ask();
      if (held < units) return false;
      held -= units;
      return true;
    },
    prepare: () => {
      if (held === 0 && !isPending) ask();
    },
    hasLostTime: () => current !== undefined && Math.abs(apartMs() - current.apartMs) > toleranceMs,
    renew,
    rest: () => {
      if (isPending) renew();
    },
  };
};

const toleranceMs = 5;

const ignoreRenewal = () => undefined;
