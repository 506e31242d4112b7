import { AttemptFailedError, RateLimitedError } from '../../core/errors.ts';
import type { WaitReason } from '../../observability/events.ts';
import type { Emitter } from '../../observability/emitter.ts';
import type { RateLimiter } from '../../stores/ports/rate-limiter.ts';
import { attemptLog, type CallLog } from '../call-log.ts';
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
  emitter,
  usedUpForMs,
  reserveMs = 0,
}: {
  readonly limiter: RateLimiter;
  /** The tenant, as the limiter knows it. */
  readonly key: string;
  readonly emitter?: Emitter | undefined;
  /** Returns how long a success says that no request is left. @defaultValue it isn't read */
  readonly usedUpForMs?: HttpDialect['usedUpForMs'] | undefined;
  /** The time that the wait leaves of the deadline at least. @defaultValue 0 */
  readonly reserveMs?: number;
}): Middleware =>
  async function limitRate(request, next) {
    const { operation, deadline, signal, callId } = request;
    const log = attemptLog(request);
    const { lane, minimumBudgetMs } = log.call.plan;
    const startedAt = performance.now();
    // A place is of no use when too little time is left after it.
    const maxWaitMs = Math.max(0, deadline.remainingMs() - Math.max(reserveMs, minimumBudgetMs));
    try {
      await limiter.acquire({ key, lane, maxWaitMs, signal });
    } catch (error) {
      throw error instanceof RateLimitedError ? refusal(request, error) : error;
    }
    const waitedMs = Math.round(performance.now() - startedAt);
    if (waitedMs >= shortestWaitMs) log.waited({ reason: whyOf(log.call), ms: waitedMs });
    const pause = (pausedForMs: number) => {
      limiter.pause(key, pausedForMs);
      emitter?.emit({
        type: 'rate-limit',
        operation,
        state: 'paused',
        pausedForMs,
        callId,
      });
    };
    try {
      const response = await next(request);
      const usedUpMs = usedUpForMs?.(response.headers, Date.now()) ?? 0;
      if (usedUpMs > 0) pause(usedUpMs);
      return response;
    } catch (error) {
      if (error instanceof AttemptFailedError && error.reason === 'rate_limited' && error.retryAfterMs !== undefined)
        pause(error.retryAfterMs);
      throw error;
    }
  };

/** Holds back the requests that have a limit of their own, and no others. */
export const limitSearches = (
  { isSearch }: NonNullable<HttpDialect['searchLimit']>,
  options: Parameters<typeof limitRate>[0],
): Middleware => {
  const limit = limitRate(options);
  return async function limitSearches(request, next) {
    return isSearch(request) ? limit(request, next) : next(request);
  };
};

/** After a 429 the wait is the one that the API asked for. */
const whyOf = ({ lastFailure }: CallLog): WaitReason =>
  lastFailure instanceof AttemptFailedError && lastFailure.reason === 'rate_limited' ? 'retry_after' : 'rate_limit';

/** The shortest wait that counts: less is the way to the limiter and back. */
const shortestWaitMs = 2;

const refusal = ({ operation }: HttpRequest, { retryAfterMs }: RateLimitedError) => {
  const why =
    retryAfterMs === undefined
      ? 'the rate limiter was closed'
      : `the next place under the rate limit is free in ${Math.ceil(retryAfterMs / 1_000)} s`;
  return new RateLimitedError(`${operation} was not sent: ${why}`, { operation, outcome: 'not_sent', retryAfterMs });
};
