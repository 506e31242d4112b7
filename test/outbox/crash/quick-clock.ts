import { type Clock, systemClock } from '../../../src/clock.ts';

/** The machine's time, passing faster: the same in all processes, and a schedule of minutes takes seconds. */
export const quickClock = (factor: number): Clock => ({
  now: () => systemClock.now() * factor,
  wallNow: () => Math.floor(base + (systemClock.wallNow() - base) * factor),
  setTimer: (callback, ms) => systemClock.setTimer(callback, ms / factor),
});

const base = Date.UTC(2026, 0, 1);
