import { AbortedError } from '../core/errors.ts';
import { oneOf } from '../core/option-checks.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import type { ConsumeOptions, Handled, Lease, MessageHandler, QueuedMessage } from './ports/message-queue.ts';
import { settleWithin } from '../core/timers.ts';
import { attemptsExhausted } from './message-ledger.ts';

/**
 * Runs a handler for at most `leaseMs`, or until the signal of its lease aborts, and says what becomes of the message. Never
 * rejects: a handler that throws or takes too long has made an attempt, one that was aborted hasn't. A message that has had
 * its attempts is dead without another one.
 */
export const runHandler = async (
  handle: MessageHandler,
  message: QueuedMessage,
  { signal: leaseSignal, ...lease }: Lease,
  { leaseMs, maximumAttempts, onError }: ConsumeOptions,
): Promise<Handled> => {
  if (lease.attempt > maximumAttempts) return { type: 'dead', reason: attemptsExhausted };
  let isLate = false;
  const late = () => {
    isLate = true;
    return new AbortedError('the handler took longer than its lease');
  };
  try {
    const handled = await settleWithin((signal) => handle(message, { ...lease, signal }), {
      signal: leaseSignal,
      deadline: leaseMs,
      late,
    });
    oneOf(Object(handled).type ?? null, 'type', ['done', 'retry-at', 'dead'])();
    return handled;
  } catch (error) {
    if (leaseSignal.aborted) return handBack();
    if (!isLate) ignoreErrors(() => onError?.(error));
    if (lease.attempt >= maximumAttempts) return { type: 'dead', reason: attemptsExhausted };
    return { type: 'retry-at', at: Date.now() + (isLate ? 0 : leaseMs) };
  }
};

/** Nothing was tried: the message is handled again at once. */
export const handBack = (): Handled => ({ type: 'retry-at', at: Date.now(), uncounted: true });
