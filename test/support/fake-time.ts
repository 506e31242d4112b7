import { vi } from 'vitest';
import { passing } from './until.ts';

/** Timers and clocks stand still until {@link inFakeTime} moves them; sockets and promises go on. */
export const useFakeTime = (): void =>
  void vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });

/** Waits for work over real sockets, and moves fake time on whenever nothing happens any more. */
export const inFakeTime = <T>(work: Promise<T>): Promise<T> =>
  passing({ advance: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)) }, work);
