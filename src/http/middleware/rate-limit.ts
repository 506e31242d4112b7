import type { Clock } from '../../clock.ts';
import { isAttemptFailedError, isRateLimitedError, RateLimitedError } from '../../errors.ts';
import type { WaitReason } from '../../observability/events.ts';
import type { Tell } from '../../observability/teller.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { HttpDialect } from '../dialect.ts';
import type { HttpRequest, Middleware } from '../request.ts';

/**
 * Waits for a place under the rate limit, in the call's lane, for as long as the deadline leaves time to send.
 * A 429 that says how long makes every call of the app wait that long, and so does a success that says nothing is left.
 * Throws `RateLimitedError` at once when the wait does not fit.
 */
export const limitRate = ({
  limiter,
  key,
  clock,
  tell,
  usedUpForMs,
}: {
  readonly limiter: RateLimiter;
  /** The tenant, as the limiter knows it. */
  readonly key: string;
  readonly clock: Clock;
  readonly tell?: Tell | undefined;
  /** How long a success says that no request is left. @defaultValue it isn't read */
  readonly usedUpForMs?: HttpDialect['usedUpForMs'] | undefined;
}): Middleware =>
  async function limitRate(request, next) {
    const { deadline, signal, plan, sending, progress } = request;
    const startedAt = clock.now();
    // A place is of no use when too little time is left behind it.
    const maxWaitMs = Math.max(0, deadline.remainingMs() - plan.minimumBudgetMs);
    try {
      await limiter.acquire({ key, lane: plan.lane, maxWaitMs, signal });
    } catch (error) {
      throw isRateLimitedError(error) ? refusal(request, error) : error;
    }
    const waitedMs = Math.round(clock.now() - startedAt);
    if (waitedMs >= shortestWaitMs) sending.waits.push({ reason: whyOf(progress), ms: waitedMs });
    const pause = (pausedForMs: number) => {
      limiter.pause(key, pausedForMs);
      tell?.({
        type: 'rate-limit',
        operation: request.operation,
        state: 'paused',
        pausedForMs,
        ...(plan.callId === undefined ? {} : { callId: plan.callId }),
      });
    };
    try {
      const response = await next(request);
      const usedUpMs = usedUpForMs?.(response.headers, clock.wallNow()) ?? 0;
      if (usedUpMs > 0) pause(usedUpMs);
      return response;
    } catch (error) {
      if (isAttemptFailedError(error) && error.reason === 'rate_limited' && error.retryAfterMs !== undefined)
        pause(error.retryAfterMs);
      throw error;
    }
  };

/** Whoever was answered 429 waits as the API asked. */
const whyOf = ({ lastFailure }: HttpRequest['progress']): WaitReason =>
  isAttemptFailedError(lastFailure) && lastFailure.reason === 'rate_limited' ? 'retry_after' : 'rate_limit';

/** Below it the time was spent on the way, not on waiting. */
const shortestWaitMs = 2;

const refusal = ({ operation }: HttpRequest, { retryAfterMs }: RateLimitedError) => {
  const why =
    retryAfterMs === undefined
      ? 'the rate limiter was closed'
      : `the next place under the rate limit is free in ${Math.ceil(retryAfterMs / 1_000)} s`;
  return new RateLimitedError(`${operation} was not sent: ${why}`, { operation, outcome: 'not_sent', retryAfterMs });
};
