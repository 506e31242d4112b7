import { AbortedError, DeadlineExceededError } from '../../core/errors.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { settleWithin } from '../../core/timers.ts';

/** Lets work that must not overlap run one after the other. */
export interface StepQueue {
  /** Waits for the work before, then runs this. Stops waiting when `call` is aborted or its deadline passes. */
  run<Result>(operation: string, work: () => Promise<Result>, call?: WaitLimits): Promise<Result>;
}

/** The limits of the wait for the work before. */
export type WaitLimits = Pick<RequestOptions, 'signal' | 'deadline'>;

export const createStepQueue = (): StepQueue => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (operation, work, call = {}) => {
      const before = last;
      const own = untilDone(before, { operation, call }).then(work);
      last = Promise.allSettled([before, own]);
      return own;
    },
  };
};

const untilDone = async (
  before: Promise<unknown>,
  { operation, call: { signal, deadline } }: { readonly operation: string; readonly call: WaitLimits },
): Promise<void> => {
  const late = () =>
    new DeadlineExceededError(`${operation} was not sent: its time passed while another step was at it`, { operation });
  try {
    await settleWithin(before, { signal, deadline, late });
  } catch (error) {
    throw signal?.aborted ? new AbortedError(`${operation} was not sent: its caller gave up`, { operation }) : error;
  }
};
