import { setImmediate as nextTurn } from 'node:timers';
import type { Clock } from '../../src/clock.ts';
import { createDueHeap } from '../../src/stores/due-heap.ts';

/** Time that passes only from event to event: a {@link Clock} for everything that is simulated. */
export interface EventLoop extends Clock {
  /** Runs what is due up to `untilMs`, each at its own moment, in the order of time and then of asking. */
  run(untilMs: number): Promise<void>;
}

/**
 * The package is written in promises: between two events it gets a turn of the machine's event loop, so that all that
 * can go on has gone on before time does.
 */
export const createEventLoop = ({ wallNow = Date.UTC(2026, 0, 1) } = {}): EventLoop => {
  const due = createDueHeap<Timer>();
  let now = 0;

  return {
    now: () => now,
    wallNow: () => now + wallNow,
    setTimer: (callback, ms) => {
      const timer: Timer = { callback };
      due.push(now + Math.max(ms, 0), timer);
      return () => {
        timer.callback = undefined;
      };
    },
    run: async (untilMs) => {
      await settle();
      for (let next = due.peek(); next && next.at <= untilMs; next = due.peek()) {
        due.pop();
        const { callback } = next.item;
        if (!callback) continue;
        next.item.callback = undefined;
        now = next.at;
        callback();
        await settle();
      }
      now = Math.max(now, untilMs);
    },
  };
};

/** Without a callback it was taken back, and is skipped when it comes up. */
interface Timer {
  callback: (() => void) | undefined;
}

const settle = () => new Promise<void>((resolve) => nextTurn(resolve));
