import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown } from '../core/option-checks.ts';
import type { RateLimiter } from './ports/rate-limiter.ts';
import { createLocalPermits, toPermitLimit } from './permits.ts';
import { createWaitingLine } from './waiting-line.ts';

/** The limit of an app, and how it is shared among its tenants. */
export interface MemoryRateLimiterOptions {
  /** Requests of the whole app within `perMs`. */
  readonly limit: number;
  readonly perMs: number;
  /** The share of each tenant. @defaultValue as much as the app */
  readonly perTenant?: { readonly limit: number; readonly perMs: number } | undefined;
  /** The share of each limit to leave free, for what the network bunches together: 0 up to 1. @defaultValue 0 */
  readonly headroom?: number | undefined;
}

/**
 * Keeps one app, and each of its tenants, under a limit within this process. Any window of `perMs` has at most `limit`
 * requests, even if the wall clock steps. Live callers pass background ones, which leave a tenth of the limit free for
 * them. A tenant that has used up its own share doesn't hold up the others.
 *
 * A caller that can't be served within its `maxWaitMs` is refused at once. So is one that waits already, when a pause or
 * live callers push it back. A pause lasts ten minutes at most; if the API still means it, the next request gets a 429.
 *
 * @example
 * const rateLimit = createMemoryRateLimiter({ limit: 1000, perMs: 60_000, perTenant: { limit: 200, perMs: 60_000 } });
 * const messaging = createMessagingClient({ ...workspace, rateLimit });
 */
export const createMemoryRateLimiter = (options: MemoryRateLimiterOptions): RateLimiter => {
  assertKnown(options, { limit: true, perMs: true, perTenant: true, headroom: true });
  const { headroom = 0, perTenant, ...app } = options;
  if (!(headroom >= 0 && headroom < 1)) throw new InvalidArgumentError('headroom', 'must be at least 0 and below 1');
  const usable = (field: string, options: { readonly limit: number; readonly perMs: number }) => {
    const { limit, holdMs } = toPermitLimit(field, options);
    return { limit: Math.max(1, Math.floor(limit * (1 - headroom) + 1e-9)), holdMs };
  };
  const limits = { app: usable('limit', app), tenant: perTenant && usable('perTenant.limit', perTenant) };
  return createWaitingLine({
    permits: createLocalPermits(limits),
    heaviest: Math.min(limits.app.limit, limits.tenant?.limit ?? limits.app.limit),
  });
};
