import { AbortedError, DeadlineExceededError, type IntegrationError, RetriesExhaustedError } from '../core/errors.ts';
import { nextTurn, settleWithin } from '../core/timers.ts';
import { callLog, outcomeOf } from './call-log.ts';
import type { Deadline, HttpRequest, Middleware } from './request.ts';

export type { Deadline } from './request.ts';

/**
 * Starts a budget of `ms` now. Give the same one to several calls and they share it.
 *
 * @example
 * const deadline = deadlineIn(5_000);
 * const contact = await messaging.contacts.findByPhone(phone, { deadline });
 * const invoices = await billing.invoices.listOpen(customerId, { deadline });
 */
export const deadlineIn = (ms: number): Deadline => deadlineFrom(performance.now(), ms);

/** A budget of `ms` that started at a moment of this clock. */
export const deadlineFrom = (startedAt: number, ms: number): Deadline => ({
  budgetMs: ms,
  remainingMs: () => Math.max(0, startedAt + ms - performance.now()),
});

/**
 * Makes one budget of what a caller allows, for a method that sends several requests: together they take no longer than
 * one would. Leaves a number that isn't a budget for the request to refuse.
 */
export const shareDeadline = <Call extends { readonly deadline?: Deadline | number | undefined }>(
  call: Call,
  { deadlineMs = 8_000 }: { readonly deadlineMs?: number | undefined },
): Call => {
  const { deadline = deadlineMs } = call;
  return typeof deadline === 'number' && deadline > 0 ? { ...call, deadline: deadlineIn(deadline) } : call;
};

/**
 * Settles the call when its deadline passes or its caller gives up, whatever the layers below do. A payment that may
 * have been sent goes on without its caller.
 */
export const holdDeadline = (): Middleware =>
  async function holdDeadline(request, next) {
    const { deadline, signal: caller } = request;
    const log = callLog(request);
    const { onReleased, minimumBudgetMs } = log.plan;
    const remainingMs = deadline.remainingMs();
    if (caller.aborted) throw aborted(request);
    if (remainingMs <= 0 || remainingMs < minimumBudgetMs) throw noTimeLeft(request);

    const stop = new AbortController();
    const released = Promise.withResolvers<never>();
    let gaveUp: IntegrationError | undefined;
    const end = settleWithin((signal) => next({ ...request, signal }), {
      signal: stop.signal,
      deadline: remainingMs,
      late: () => (gaveUp = outOfTime(request)),
    });
    const onAbort = () => {
      const error = aborted(request);
      if (!onReleased || outcomeOf(log.attempts) !== 'unknown') return stop.abort((gaveUp = error));
      released.reject(error);
      onReleased(end);
    };
    caller.addEventListener('abort', onAbort, { once: true });
    // The layers below may have run the caller's code already.
    if (caller.aborted) onAbort();
    try {
      return await Promise.race([end, released.promise]);
    } catch (error) {
      // The layers that listen end first, so attempts are emitted before their call. The others aren't waited for.
      if (error === gaveUp) await nextTurn();
      throw error;
    } finally {
      caller.removeEventListener('abort', onAbort);
    }
  };

const aborted = (request: HttpRequest): AbortedError => {
  const outcome = outcomeOf(callLog(request).attempts);
  return new AbortedError(
    outcome === 'unknown'
      ? `${request.operation} was left by its caller after it was sent: whether it was done is not known`
      : `${request.operation} was cancelled by its caller before it was done`,
    { operation: request.operation, outcome },
  );
};

const noTimeLeft = (request: HttpRequest): DeadlineExceededError => {
  const { operation } = request;
  const { minimumBudgetMs } = callLog(request).plan;
  const why = minimumBudgetMs > 0 ? `less than the ${minimumBudgetMs} ms that it needs were left` : 'no time was left';
  return new DeadlineExceededError(`${operation} was not sent: ${why}`, { operation });
};

const outOfTime = (request: HttpRequest): IntegrationError => {
  const { operation, deadline } = request;
  const log = callLog(request);
  if (log.attempts.length === 0)
    return new DeadlineExceededError(`${operation} was not sent: its ${deadline.budgetMs} ms passed while it waited`, {
      operation,
    });
  return new RetriesExhaustedError(`${operation} had no answer when its ${deadline.budgetMs} ms were over`, {
    operation,
    reason: 'deadline',
    outcome: log.outcome(),
    cause: log.lastFailure,
  });
};
