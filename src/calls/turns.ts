import type { Clock } from '../clock.ts';
import { AbortedError, DeadlineExceededError } from '../errors.ts';
import type { RequestOptions } from '../http/operation.ts';

/** Lets work that must not overlap run one after the other. */
export interface Turns {
  /** Waits for the work before, then runs this. Stops waiting when `call` is aborted or its deadline passes. */
  take<Result>(operation: string, work: () => Promise<Result>, call?: TurnLimits): Promise<Result>;
}

/** What ends the wait for a turn. */
export type TurnLimits = Pick<RequestOptions, 'signal' | 'deadline'>;

/** Makes a queue of its own. */
export const createTurns = ({ clock }: { readonly clock: Clock }): Turns => {
  let lastTurn: Promise<unknown> = Promise.resolve();
  return {
    take: (operation, work, call = {}) => {
      const before = lastTurn;
      const turn = untilTurn(before, { operation, call, clock }).then(work);
      lastTurn = Promise.allSettled([before, turn]);
      return turn;
    },
  };
};

const untilTurn = (
  before: Promise<unknown>,
  { operation, call, clock }: { readonly operation: string; readonly call: TurnLimits; readonly clock: Clock },
): Promise<void> =>
  new Promise((resolve, reject) => {
    const { signal, deadline } = call;
    const gaveUp = () => new AbortedError(`${operation} was not sent: its caller gave up`, { operation });
    const outOfTime = () =>
      new DeadlineExceededError(`${operation} was not sent: its time passed while another step was at it`, {
        operation,
      });
    if (signal?.aborted) return reject(gaveUp());
    const settle = (end: () => void) => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
      end();
    };
    const onAbort = () => settle(() => reject(gaveUp()));
    const leftMs = typeof deadline === 'object' ? deadline.remainingMs() : deadline;
    const cancelTimer =
      leftMs === undefined ? () => {} : clock.setTimer(() => settle(() => reject(outOfTime())), leftMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    void before.then(() => settle(resolve));
  });
