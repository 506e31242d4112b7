import { setImmediate as nextTurn } from 'node:timers';
import type { Clock } from '../clock.ts';

/** A {@link Clock} that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /**
   * Moves time on by `ms` and runs every timer that falls due, in order, each at its own moment.
   * Code that awaits promises gets to run before the first timer and after each; `advance(0)` only lets it run.
   */
  readonly advance: (ms: number) => Promise<void>;
  /** Steps the wall clock alone, as a time server does; negative steps back. Timers and `now` do not notice. */
  readonly stepWall: (ms: number) => void;
  /** How many timers are set and have not run. */
  readonly pendingTimers: () => number;
}

/**
 * Time for tests, passed wherever an option is called `clock`. A minute of back-off takes no time at all,
 * and how long something waited can be asserted exactly.
 *
 * @example
 * const clock = createVirtualClock();
 * const billing = createBillingClient({ ...connection, clock });
 * const customer = billing.customers.get('cus_1');
 * await clock.advance(1_000);
 */
export const createVirtualClock = ({ wallNow = Date.UTC(2026, 0, 1) }: { wallNow?: number } = {}): VirtualClock => {
  const timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  let now = 0;
  let wallOffset = wallNow;

  const nextDue = (until: number) => {
    let next: { readonly at: number; readonly callback: () => void } | undefined;
    for (const timer of timers) if (timer.at <= until && (!next || timer.at < next.at)) next = timer;
    return next;
  };

  return {
    now: () => now,
    wallNow: () => now + wallOffset,
    setTimer: (callback, ms) => {
      const timer = { at: now + Math.max(ms, 0), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: async (ms) => {
      const until = now + ms;
      await settle();
      for (let timer = nextDue(until); timer; timer = nextDue(until)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.callback();
        await settle();
      }
      now = Math.max(now, until);
    },
    stepWall: (ms) => {
      wallOffset += ms;
    },
    pendingTimers: () => timers.size,
  };
};

/** A turn of the event loop: every promise that can go on has gone on. */
const settle = () => new Promise<void>((resolve) => nextTurn(resolve));
