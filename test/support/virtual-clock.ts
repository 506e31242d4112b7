import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import type { Clock } from '../../src/clock.ts';

/** A {@link Clock} that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /**
   * Moves time on by `ms` and runs every timer that is due, in order, each at its own moment. Code that awaits promises
   * goes on before the first timer and after each one; `advance(0)` only lets it run.
   */
  readonly advance: (ms: number) => Promise<void>;
  /** Steps the wall clock alone, as a time server does; negative steps back. Timers and `now` don't change. */
  readonly stepWall: (ms: number) => void;
  /** How many timers are set on this clock and haven't run; those of `fetch` don't count. */
  readonly pendingTimers: () => number;
}

/**
 * Vitest's fake timers until the test ends, so that libraries with timers of their own live in the same time.
 * Sockets, `setImmediate` and microtasks stay real.
 */
export const createVirtualClock = ({ wallNow = Date.UTC(2026, 0, 1) }: { wallNow?: number } = {}): VirtualClock => {
  if (!isInstalledInTest || !vi.isFakeTimers()) {
    vi.useRealTimers();
    vi.useFakeTimers({
      now: wallNow,
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    });
    restoreWhenTestEnds();
    installed += 1;
  }
  const own = installed;
  const pending = new Set<NodeJS.Timeout>();
  let advancing: Promise<void> = Promise.resolve();

  const advanceTo = async (moment: number) => {
    await nextTurn();
    // A test that is over must not move the time of the next one.
    if (own !== installed || !vi.isFakeTimers()) return;
    await vi.advanceTimersByTimeAsync(Math.max(0, moment - performance.now()));
    await nextTurn();
  };

  return {
    now: () => performance.now(),
    wallNow: () => Date.now(),
    setTimer: (callback, ms) => {
      const run = () => {
        pending.delete(timer);
        callback();
      };
      const timer = setTimeout(run, Math.min(Math.max(Math.ceil(ms), 0), longestTimerMs));
      pending.add(timer);
      return () => {
        pending.delete(timer);
        clearTimeout(timer);
      };
    },
    // One at a time: fake timers that are advanced twice at once step back.
    advance: (ms) => {
      const moment = performance.now() + ms;
      advancing = advancing.then(() => advanceTo(moment));
      return advancing;
    },
    stepWall: (ms) => void vi.setSystemTime(Date.now() + ms),
    pendingTimers: () => pending.size,
  };
};

/** Vitest's fake timers are one for all; the test that made a clock last has them. */
let installed = 0;

/** A second clock in one test is the same time. */
let isInstalledInTest = false;

/** Options whose clock, if there's one, is virtual. */
export type Timed<T extends { readonly clock?: Clock | undefined }> = Omit<T, 'clock'> & {
  readonly clock?: VirtualClock;
};

const longestTimerMs = 2 ** 31 - 1;

/** A clock that is made outside a test lasts as long as its file. */
const restoreWhenTestEnds = () => {
  try {
    onTestFinished(() => {
      isInstalledInTest = false;
      vi.useRealTimers();
    });
    isInstalledInTest = true;
  } catch {
    // No test is running.
  }
};
