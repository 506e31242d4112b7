import { InvalidArgumentError } from '../../core/errors.ts';
import { type Deadline, shareDeadline } from '../../http/deadline.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { OwnParts } from '../billing-from.ts';
import type { BoundCall } from './bound-api.ts';
import type { OwnFunction } from './own-failure.ts';

/** The limits that all requests of one function share, and what else its caller said of them. */
interface OwnLimits {
  readonly deadline: Deadline;
  readonly signal: AbortSignal | undefined;
  readonly rest: RequestOptions;
}

/** Throws `InvalidArgumentError` for a deadline or a signal that is none. */
export const limitsOf = (
  { operation }: OwnFunction,
  call: RequestOptions,
  options: Pick<OwnParts['options'], 'deadlineMs'>,
): OwnLimits => {
  const { deadline, signal, idempotencyKey: _key, onSettled: _onSettled, ...rest } = shareDeadline(call, options);
  if (typeof deadline !== 'object' || typeof deadline?.remainingMs !== 'function')
    throw new InvalidArgumentError('deadline', 'must be a number of milliseconds above 0, or made by deadlineIn', {
      operation,
    });
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function')
    throw new InvalidArgumentError('signal', 'must be an AbortSignal', { operation });
  return { deadline, signal, rest };
};

/**
 * Leaves a function a moment after its deadline while a request of it is about to end: that error says more. A function
 * that goes on by itself gets no more time.
 */
export const moreForPending = (calls: readonly BoundCall[]): (() => number) => {
  let left = 10;
  return () => (calls.some(({ state }) => state === 'pending') && left-- > 0 ? stepMs : 0);
};

const stepMs = 25;
