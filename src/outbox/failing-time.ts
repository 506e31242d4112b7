import type { Clock } from '../clock.ts';

/** Knows since when a destination has been failing. */
export interface FailingTime {
  succeeded(): false;
  /** Whether it has failed for longer than it may: said once, then the time begins anew. */
  failed(): boolean;
}

export const createFailingTime = (longestMs: number, clock: Clock): FailingTime => {
  let since: number | undefined;
  return {
    succeeded: () => {
      since = undefined;
      return false;
    },
    failed: () => {
      since ??= clock.now();
      if (clock.now() - since < longestMs) return false;
      since = undefined;
      return true;
    },
  };
};
