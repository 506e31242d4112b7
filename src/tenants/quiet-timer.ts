import { type Clock, systemClock } from '../clock.ts';

/** As the clock's timer; on the machine's own time it does not keep the process alive. */
export const setQuietTimer = (clock: Clock, callback: () => void, ms: number): (() => void) => {
  if (clock !== systemClock) return clock.setTimer(callback, ms);
  const timer = setTimeout(callback, Math.min(ms, longestTimerMs)).unref();
  return () => clearTimeout(timer);
};

const longestTimerMs = 2 ** 31 - 1;
