import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/** Time that only passes when a test moves it. */
export interface VirtualClock {
  /**
   * Moves time on by `ms` and runs every timer that is due, in order, each at its own moment. Code that awaits promises
   * goes on before the first timer and after each one; `advance(0)` only lets it run.
   */
  readonly advance: (ms: number) => Promise<void>;
  /** Steps the wall clock alone, as a time server does; negative steps back. Timers and `performance.now` don't change. */
  readonly stepWall: (ms: number) => void;
  /** The number of timers that are set and haven't run; those of `fetch` don't count. */
  readonly pendingTimers: () => number;
}

/**
 * Vitest's fake timers until the test ends. Sockets, `setImmediate` and microtasks stay real.
 */
export const createVirtualClock = ({ wallNow = Date.UTC(2026, 0, 1) }: { wallNow?: number } = {}): VirtualClock => {
  if (!isInstalledInTest || !vi.isFakeTimers()) {
    vi.useRealTimers();
    vi.useFakeTimers({
      now: wallNow,
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    });
    countTimers();
    // Libraries that read `performance` once, when they are loaded, live in the same time; to lru-cache, 0 is no time.
    machine.now = () => (performance === machine ? machineNow() : performance.now() + 1);
    restoreWhenTestEnds();
    installed += 1;
  }
  const own = installed;
  let advancing: Promise<void> = Promise.resolve();

  const advanceTo = async (moment: number) => {
    await nextTurn();
    // A test that is over must not move the time of the next one.
    if (own !== installed || !vi.isFakeTimers()) return;
    await vi.advanceTimersByTimeAsync(Math.max(0, moment - performance.now()));
    await nextTurn();
  };

  return {
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

/** The time of the clock that the test that runs has made. */
export const virtualTime = {
  pass: (ms: number): Promise<void> => createVirtualClock().advance(ms),
  setClockBack: async (ms: number): Promise<void> => createVirtualClock().stepWall(-ms),
};

const machine = performance;
const machineNow = machine.now.bind(machine);

const pending = new Set<NodeJS.Timeout>();

/** The names of their callbacks in undici. */
const timersOfFetch = new Set(['onTick', 'onParserTimeout']);

/** Vitest counts the timers of `fetch` too, which keeps its sockets open. */
const countTimers = () => {
  pending.clear();
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const counting = (callback: (...values: unknown[]) => void, ms?: number, ...values: unknown[]) => {
    const timer = set(() => {
      pending.delete(timer);
      callback(...values);
    }, ms);
    if (!timersOfFetch.has(callback.name)) pending.add(timer);
    return timer;
  };
  const clearing = (timer?: NodeJS.Timeout) => {
    if (timer) pending.delete(timer);
    clear(timer);
  };
  Object.assign(globalThis, { setTimeout: counting, clearTimeout: clearing });
};

/** Vitest's fake timers are one for all; the test that made a clock last has them. */
let installed = 0;

/** A second clock in one test is the same time. */
let isInstalledInTest = false;

/** A clock that is made outside a test lasts as long as its file. */
const restoreWhenTestEnds = () => {
  try {
    onTestFinished(() => {
      isInstalledInTest = false;
      vi.useRealTimers();
      Reflect.deleteProperty(machine, 'now');
    });
    isInstalledInTest = true;
  } catch {
    // No test is running.
  }
};
