import type { Limit } from '../../../http/operation.ts';
import type { RequestMeter } from '../pipeline.ts';
import { Refused } from '../refused.ts';

/**
 * Intercom's limit: windows that follow one another on the wall clock, reported on every answer, and no `Retry-After`:
 * a refused client learns from `X-RateLimit-Reset`, in UNIX seconds, when the next window begins.
 */
export const createIntercomLimit = ({ limit, perMs }: Limit): RequestMeter => {
  let window = Number.NaN;
  let taken = 0;
  const enter = () => {
    const current = Math.floor(Date.now() / perMs);
    if (current !== window) taken = 0;
    window = current;
  };
  return {
    count: () => {
      enter();
      if (taken >= limit) throw new Refused(429, 'rate_limit_exceeded', 'Exceeded rate limit');
      taken += 1;
    },
    headers: () => {
      enter();
      return {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(limit - taken),
        'x-ratelimit-reset': String(Math.ceil(((window + 1) * perMs) / 1_000)),
        // By the clock that the reset follows.
        date: new Date().toUTCString(),
      };
    },
  };
};
