import { setImmediate as nextTurn } from 'node:timers';
import { createDueHeap } from '../../src/stores/due-heap.ts';
import { randomFrom } from './random.ts';

/** Time that passes only from event to event, for everything in this process. Disposing gives the real time back. */
export interface EventLoop extends Disposable {
  /** Runs what is due up to `untilMs`, each at its own moment, in the order of time and then of asking. */
  run(untilMs: number): Promise<void>;
}

/**
 * Takes the place of `setTimeout`, `Date`, `performance.now` and `Math.random`. The package is written in promises: between two events it
 * gets a turn of the machine's event loop, so that all that can go on has gone on before time does.
 */
export const createEventLoop = ({ wallNow = Date.UTC(2026, 0, 1) } = {}): EventLoop => {
  const due = createDueHeap<Timer>();
  let now = 0;

  const real = { setTimeout, clearTimeout, Date, performanceNow: performance.now, random: Math.random };
  class SimulatedDate extends Date {
    constructor(...moment: [] | [number | string | Date]) {
      super(moment.length === 0 ? wallNow + now : moment[0]);
    }
    static override now = () => wallNow + now;
  }
  const set = (callback: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): Timer => {
    const timer = createTimer(() => callback(...values));
    due.push(now + Math.max(ms, 0), timer);
    return timer;
  };
  const clear = (timer: Timer | undefined) => {
    if (timer) timer.callback = undefined;
  };
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear, Date: SimulatedDate });
  performance.now = () => now;
  // Jitter is the same in each run.
  Math.random = randomFrom(0);

  return {
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
    [Symbol.dispose]: () => {
      const { performanceNow, random, ...globals } = real;
      Object.assign(globalThis, globals);
      performance.now = performanceNow;
      Math.random = random;
    },
  };
};

/** Without a callback it was cancelled, and is skipped when its time comes. */
interface Timer {
  callback: (() => void) | undefined;
  ref(): Timer;
  unref(): Timer;
}

const createTimer = (callback: () => void): Timer => {
  const timer: Timer = { callback, ref: () => timer, unref: () => timer };
  return timer;
};

const settle = () => new Promise<void>((resolve) => nextTurn(resolve));
