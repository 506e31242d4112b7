/** Where the package reads time and waits. Replace it in tests. */
export interface Clock {
  /** Milliseconds on a clock that never steps back; only differences mean something. */
  readonly now: () => number;
  /** Milliseconds since 1970, for dates and time stamps. */
  readonly wallNow: () => number;
  /** Runs `callback` once after `ms`; the returned function takes that back. */
  readonly setTimer: (callback: () => void, ms: number) => () => void;
}

/** Waits; rejects with the signal's reason as soon as the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

const longestTimerMs = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  setTimer: (callback, ms) => {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), longestTimerMs));
    return () => clearTimeout(timer);
  },
};

/** As the clock's timer; on the machine's own time it does not keep the process alive. */
export const setQuietTimer = (clock: Clock, callback: () => void, ms: number): (() => void) => {
  if (clock !== systemClock) return clock.setTimer(callback, ms);
  const timer = setTimeout(callback, Math.min(ms, longestTimerMs)).unref();
  return () => clearTimeout(timer);
};

/** A {@link Sleep} on this clock. */
export const sleepOn =
  (clock: Clock): Sleep =>
  (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const onAbort = () => {
        cancel();
        reject(signal.reason);
      };
      const cancel = clock.setTimer(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal.addEventListener('abort', onAbort, { once: true });
    });
