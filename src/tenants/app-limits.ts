import { LRUCache } from 'lru-cache';
import { documentedRateLimit } from '../messaging/create-client.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../stores/memory-rate-limiter.ts';
import { longestPauseMs } from '../stores/waiting-line.ts';

/** One rate limit per messaging app, shared by the tenants that send to it. */
export interface AppLimits {
  /** The limiter of the app at this address. Every address on one origin has the same one. */
  of(baseUrl: string): RateLimiter;
  /** Refuses the callers that still wait. */
  close(): Promise<void>;
}

/** A limiter is kept as long as a request counts for it: evicting a tenant doesn't give the app a new 1,000 requests. */
export const createAppLimits = (): AppLimits => {
  const { perMs } = documentedRateLimit;
  const apps = new LRUCache<string, RateLimiter>({ ttl: perMs, ttlAutopurge: true });

  const appAt = (origin: string, keepMs = perMs) => {
    const app = apps.get(origin) ?? createMemoryRateLimiter(documentedRateLimit);
    apps.set(origin, app, { ttl: Math.max(Math.min(keepMs, longestPauseMs), apps.getRemainingTTL(origin)) });
    return app;
  };

  return {
    of: (baseUrl) => {
      // The client refuses what is no address.
      const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : '';
      return {
        acquire: async (request) => {
          await appAt(origin).acquire(request);
          appAt(origin);
        },
        pause: (key, ms) => appAt(origin, ms).pause(key, ms),
        state: () => appAt(origin).state(),
        close: () => appAt(origin).close(),
      };
    },
    close: async () => {
      await Promise.all([...apps.values()].map((limiter) => limiter.close()));
      apps.clear();
    },
  };
};
