import { RateLimitedError } from '../errors.ts';

/** Says to a caller that its wait would not end in time, and how long it would be. */
export const tooLong = (waitMs: number): RateLimitedError => {
  const retryAfterMs = Math.ceil(waitMs);
  return new RateLimitedError(`the next place under the rate limit is free in ${Math.ceil(retryAfterMs / 1000)} s`, {
    retryAfterMs,
  });
};

/** Says to a caller that nobody is served any more. */
export const closed = (): RateLimitedError => new RateLimitedError('the rate limiter was closed');
