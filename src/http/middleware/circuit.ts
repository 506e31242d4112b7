import { CircuitOpenError, isAttemptFailedError, isIntegrationError } from '../../errors.ts';
import type { CircuitBreaker, CircuitResult } from '../circuit-breaker.ts';
import { tellOutcome } from '../progress.ts';
import type { HttpRequest, Middleware } from '../request.ts';

/**
 * Refuses while the circuit is open, before anything is spent or waited for. Does not become the probe.
 * Throws `CircuitOpenError`.
 */
export const refuseWhenOpen = (breaker: CircuitBreaker): Middleware =>
  function refuseWhenOpen(request, next) {
    const verdict = breaker.peek();
    return verdict.admitted ? next(request) : Promise.reject(refusal(request, breaker, verdict.retryAfterMs));
  };

/**
 * Asks the circuit again after the waits, so that what queued before it opened is not sent afterwards, and tells it how
 * the attempt ended: only network errors, time-outs and 5xx count against the API.
 * Throws `CircuitOpenError`.
 */
export const guardCircuit = (breaker: CircuitBreaker): Middleware =>
  async function guardCircuit(request, next) {
    const admission = breaker.admit();
    if (!admission.admitted) throw refusal(request, breaker, admission.retryAfterMs);
    try {
      const response = await next(request);
      void admission.permit.settle('success');
      return response;
    } catch (error) {
      const counted = admission.permit.settle(resultOf(error));
      if (counted) {
        // Who gives up meanwhile asks whether anything was sent.
        if (isIntegrationError(error)) tellOutcome(request, error.outcome);
        // Before the next attempt asks, it has to be counted.
        await counted;
      }
      throw error;
    }
  };

/** An API that refuses with a 4xx works, also where its dialect says that repeating may help. */
const resultOf = (error: unknown): CircuitResult =>
  isAttemptFailedError(error) && error.reason !== 'rate_limited' && (error.status ?? 500) >= 500
    ? 'failure'
    : 'neutral';

const refusal = ({ operation }: HttpRequest, breaker: CircuitBreaker, retryAfterMs: number) => {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const why =
    breaker.state() === 'open'
      ? `the circuit is open; it lets a probe through in ${seconds} s`
      : `the circuit is half-open; its probe is out, and another is let through in ${seconds} s at the latest`;
  return new CircuitOpenError(`${operation} was not sent: ${why}`, { operation, outcome: 'not_sent', retryAfterMs });
};
