import { AbortedError, DeadlineExceededError } from '../../core/errors.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { settleWithin } from '../../core/timers.ts';

/** Lets work that must not overlap run one after the other. */
export interface Turns {
  /** Waits for the work before, then runs this. Stops waiting when `call` is aborted or its deadline passes. */
  take<Result>(operation: string, work: () => Promise<Result>, call?: TurnLimits): Promise<Result>;
}

/** What ends the wait for a turn. */
export type TurnLimits = Pick<RequestOptions, 'signal' | 'deadline'>;

/** Makes a queue of its own. */
export const createTurns = (): Turns => {
  let lastTurn: Promise<unknown> = Promise.resolve();
  return {
    take: (operation, work, call = {}) => {
      const before = lastTurn;
      const turn = untilTurn(before, { operation, call }).then(work);
      lastTurn = Promise.allSettled([before, turn]);
      return turn;
    },
  };
};

const untilTurn = async (
  before: Promise<unknown>,
  { operation, call: { signal, deadline } }: { readonly operation: string; readonly call: TurnLimits },
): Promise<void> => {
  const late = () =>
    new DeadlineExceededError(`${operation} was not sent: its time passed while another step was at it`, { operation });
  try {
    await settleWithin(before, { signal, deadline, late });
  } catch (error) {
    throw signal?.aborted ? new AbortedError(`${operation} was not sent: its caller gave up`, { operation }) : error;
  }
};
