import { AbortedError } from '../core/errors.ts';
import { checkOptions, must, oneOf } from '../core/option-checks.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import type { ConsumeOptions, Handled, Lease, MessageHandler, QueuedMessage } from './ports/message-queue.ts';
import { settleWithin } from '../core/timers.ts';
import { toPlain } from './hand-over.ts';
import { attemptsExhausted } from './message-ledger.ts';

/**
 * Runs a handler for at most `leaseMs`, or until the signal of its lease aborts, and says what becomes of the message. Never
 * rejects: a handler that throws or takes too long has made an attempt, one that was aborted hasn't. A message that has had
 * its attempts is dead without another one.
 *
 * @example
 * const handled = await runHandler(handle, message, { attempt, enqueuedAt, signal }, options);
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
    return readHandled(handled);
  } catch (error) {
    if (leaseSignal.aborted) return handBack();
    if (!isLate) ignoreErrors(() => onError?.(error));
    if (lease.attempt >= maximumAttempts) return { type: 'dead', reason: attemptsExhausted };
    return { type: 'retry-at', at: Date.now() + (isLate ? 0 : leaseMs) };
  }
};

/** An end that an engine can store. Throws for any other: a message would wait for ever. */
const readHandled = (handled: Handled): Handled => {
  const { type, at, reason }: { readonly [field: string]: unknown } = Object(handled);
  checkOptions(undefined, [
    oneOf(type ?? null, 'type', ['done', 'retry-at', 'dead']),
    must(type !== 'retry-at' || Number.isFinite(at), 'at', 'must be milliseconds since 1970'),
    must(type !== 'dead' || typeof reason === 'string', 'reason', 'must be a word, such as client_error'),
  ]);
  return toPlain(handled);
};

/** Nothing was tried: the message is handled again at once. */
export const handBack = (): Handled => ({ type: 'retry-at', at: Date.now(), uncounted: true });
