import type { Clock } from '../clock.ts';
import type { Deadline } from '../http/deadline.ts';

/** How waiting for a tool ended. */
export type Waited<Value> =
  | { readonly how: 'ended'; readonly value: Value }
  | { readonly how: 'cancelled' }
  | { readonly how: 'late' };

export interface LetGoOptions {
  readonly signal: AbortSignal | undefined;
  readonly deadline: Deadline;
  readonly clock: Clock;
}

/**
 * Waits for work, but not longer than its deadline and its signal allow, whether the work minds them or not. Both
 * leave it a moment to say by itself how it ended. The work must not reject.
 */
export const letGoInTime = <Value>(
  work: Promise<Value>,
  { signal, deadline, clock }: LetGoOptions,
): Promise<Waited<Value>> =>
  new Promise((resolve) => {
    const timers: (() => void)[] = [];
    const end = (awaited: Waited<Value>) => {
      for (const cancelTimer of timers) cancelTimer();
      signal?.removeEventListener('abort', onAbort);
      resolve(awaited);
    };
    const onAbort = () => void timers.push(clock.setTimer(() => end({ how: 'cancelled' }), graceAfterAbortMs));
    timers.push(clock.setTimer(() => end({ how: 'late' }), deadline.remainingMs() + graceAfterDeadlineMs));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    void work.then((value) => end({ how: 'ended', value }));
  });

const graceAfterAbortMs = 50;
const graceAfterDeadlineMs = 250;
