import type { Clock } from '../../clock.ts';
import { AbortedError, DeadlineExceededError, type IntegrationError, RetriesExhaustedError } from '../../errors.ts';
import { createOwnSignal, follow, unfollow, unlessAborted } from '../own-signal.ts';
import { outcomeOf } from '../progress.ts';
import type { HttpRequest, Middleware } from '../request.ts';

/**
 * Settles the call when its deadline passes or its caller gives up, whatever the layers below are doing.
 * A payment that may already have been sent is not stopped by its caller: he is released, and it goes on.
 */
export const holdDeadline =
  ({ clock }: { clock: Clock }): Middleware =>
  (request, next) =>
    new Promise((resolve, reject) => {
      const { deadline, signal: caller, plan } = request;
      const remainingMs = deadline.remainingMs();
      if (caller.aborted) return reject(aborted(request));
      if (remainingMs <= 0 || remainingMs < plan.minimumBudgetMs) return reject(noTimeLeft(request));

      const inner = createOwnSignal();
      const settle = () => {
        cancelTimer();
        unfollow(caller, onAbort);
      };
      const giveUp = (error: IntegrationError) => {
        settle();
        inner.abort(error);
        // The layers that listen come to their end first, so that attempts are told before their call. The others are
        // not waited for.
        setImmediate(() => reject(error));
      };
      const cancelTimer = clock.setTimer(() => giveUp(outOfTime(request)), remainingMs);
      const onAbort = () => {
        const mayHaveHappened = outcomeOf(request.progress) === 'unknown';
        if (!plan.onReleased || !mayHaveHappened) return giveUp(aborted(request));
        unfollow(caller, onAbort);
        reject(aborted(request));
        // Bounded like the call itself.
        plan.onReleased(unlessAborted(end, inner.signal));
      };
      follow(caller, onAbort);

      const end = next({ ...request, signal: inner.signal });
      end.then(
        (response) => {
          settle();
          resolve(response);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });

const aborted = (request: HttpRequest): AbortedError => {
  const outcome = outcomeOf(request.progress);
  return new AbortedError(
    outcome === 'unknown'
      ? `${request.operation} was left by its caller after it was sent: whether it was done is not known`
      : `${request.operation} was cancelled by its caller before it was done`,
    { operation: request.operation, outcome },
  );
};

const noTimeLeft = (request: HttpRequest): DeadlineExceededError =>
  new DeadlineExceededError(
    request.plan.minimumBudgetMs > 0
      ? `${request.operation} was not sent: less than the ${request.plan.minimumBudgetMs} ms that it needs were left`
      : `${request.operation} was not sent: no time was left`,
    { operation: request.operation },
  );

const outOfTime = (request: HttpRequest): IntegrationError => {
  const { operation, progress, deadline } = request;
  if (progress.attempts.length === 0)
    return new DeadlineExceededError(`${operation} was not sent: its ${deadline.budgetMs} ms passed while it waited`, {
      operation,
    });
  return new RetriesExhaustedError(`${operation} had no answer when its ${deadline.budgetMs} ms were over`, {
    operation,
    reason: 'deadline',
    outcome: outcomeOf(progress),
    cause: progress.lastFailure,
  });
};
