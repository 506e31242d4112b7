import type { Clock } from '../../clock.ts';
import { AttemptFailedError, AuthenticationError, type IntegrationError } from '../../errors.ts';
import { withOwnSignal } from '../own-signal.ts';
import type { HttpRequest, Middleware } from '../request.ts';

/**
 * Ends an attempt that takes longer than `timeoutMsFor` allows, from its first step to the last byte of the body,
 * whether or not the layers below listen to their signal.
 * Throws `AttemptFailedError` with the reason `timeout`; what the attempt did is then unknown, unless the transport knows
 * that it did not even connect. When nothing was handed to the transport yet, it was not the API that was slow: `AuthenticationError`.
 */
export const limitAttemptTime =
  ({ clock, timeoutMsFor }: { clock: Clock; timeoutMsFor: (request: HttpRequest) => number }): Middleware =>
  (request, next) => {
    let cancel = () => {};
    return withOwnSignal(
      request.signal,
      ({ signal, abort }) => {
        const timeoutMs = timeoutMsFor(request);
        cancel = clock.setTimer(() => {
          abort(request.sending.place !== undefined ? timedOut(request, timeoutMs) : credentialTooSlow(request));
        }, timeoutMs);
        return next({ ...request, signal });
      },
      // Also when an abort from outside ended it while the work goes on.
      () => cancel(),
    );
  };

const timedOut = ({ operation, attempt, progress, sending }: HttpRequest, timeoutMs: number): IntegrationError => {
  // Where the transport told that it was still connecting.
  const wasNotSent = sending.place !== undefined && progress.attempts[sending.place] === 'not_sent';
  const what = wasNotSent ? 'connection' : 'complete answer';
  return new AttemptFailedError(`${operation}: attempt ${attempt} had no ${what} within ${Math.round(timeoutMs)} ms`, {
    operation,
    reason: 'timeout',
    outcome: wasNotSent ? 'not_sent' : 'unknown',
  });
};

const credentialTooSlow = ({ operation }: HttpRequest): IntegrationError =>
  new AuthenticationError(`${operation} was not sent: its credential source did not answer in time`, { operation });
