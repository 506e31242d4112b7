import type { Clock } from '../../clock.ts';
import { AttemptFailedError, AuthenticationError, DeadlineExceededError, type IntegrationError } from '../../errors.ts';
import { withOwnSignal } from '../own-signal.ts';
import type { HttpRequest, Middleware } from '../request.ts';

/**
 * Ends an attempt that takes too long, from its first step to the last byte of the body, whether or not the layers
 * below listen to their signal. An attempt may use what is left of the deadline, up to `attemptTimeoutMs`.
 *
 * Throws `AttemptFailedError` with the reason `timeout`: what the attempt did is unknown, unless the transport knows that
 * it wasn't even connected. When the transport was never reached, the error names what hung: the credential source
 * (`AuthenticationError`) or a middleware of yours (`DeadlineExceededError`).
 */
export const limitAttemptTime = ({
  clock,
  attemptTimeoutMs,
}: {
  readonly clock: Clock;
  readonly attemptTimeoutMs?: number | undefined;
}): Middleware =>
  function limitAttemptTime(request, next) {
    let cancel = () => {};
    return withOwnSignal(
      request.signal,
      ({ signal, abort }) => {
        const timeoutMs = attemptTimeMs(request, attemptTimeoutMs);
        request.sending.timeoutMs = timeoutMs;
        cancel = clock.setTimer(() => abort(timedOut(request, timeoutMs)), timeoutMs);
        return next({ ...request, signal });
      },
      // Also when an abort from outside ended it while the work goes on.
      () => cancel(),
    );
  };

const defaultAttemptTimeoutMs = 5_000;

/** What is kept back of the deadline, so that the last attempt ends before it. */
const reserveMs = 20;

/** An operation may claim all that is left, as a card authorisation must. */
const attemptTimeMs = ({ deadline, plan }: HttpRequest, clientTimeoutMs: number | undefined): number => {
  const leftMs = Math.max(1, deadline.remainingMs() - reserveMs);
  const usualMs = plan.wholeDeadline ? leftMs : defaultAttemptTimeoutMs;
  return Math.min(plan.attemptTimeoutMs ?? clientTimeoutMs ?? usualMs, leftMs);
};

const timedOut = (request: HttpRequest, timeoutMs: number): IntegrationError => {
  const { operation, attempt, progress, sending } = request;
  const within = `within ${Math.round(timeoutMs)} ms`;
  if (sending.place === undefined)
    return sending.isSigned
      ? new DeadlineExceededError(
          `${operation} was not sent: a perAttempt middleware of yours didn't go on ${within}`,
          {
            operation,
          },
        )
      : new AuthenticationError(`${operation} was not sent: its credential source did not answer in time`, {
          operation,
        });
  // The transport knows that it was still connecting.
  const wasNotSent = progress.attempts[sending.place] === 'not_sent';
  const what = sending.waitsForSocket ? 'free socket' : wasNotSent ? 'connection' : 'complete answer';
  const advice = sending.waitsForSocket ? '; raise maximumSocketsPerOrigin or send fewer requests at once' : '';
  return new AttemptFailedError(`${operation}: attempt ${attempt} had no ${what} ${within}${advice}`, {
    operation,
    reason: 'timeout',
    outcome: wasNotSent ? 'not_sent' : 'unknown',
  });
};
