import { LRUCache } from 'lru-cache';
import { documentedRateLimit } from '../messaging/client.ts';
import type { RateLimiter } from '../stores/ports/rate-limiter.ts';
import { readSetting, type Setting } from '../core/setting.ts';
import { createMemoryRateLimiter } from '../stores/memory-rate-limiter.ts';
import { longestPauseMs } from '../stores/waiting-line.ts';

/** One rate limit per messaging app, shared by the tenants that send to it. */
export interface AppLimits {
  /** The limiter of the app at this address. Every address on one origin has the same one. */
  of(baseUrl: Setting): RateLimiter;
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
      // Read once, when it's needed: by then, the client has refused what is no address.
      let origin: string | undefined;
      const app = (keepMs?: number) =>
        appAt((origin ??= new URL(readSetting('messaging.baseUrl', baseUrl)).origin), keepMs);
      return {
        acquire: async (request) => {
          await app().acquire(request);
          app();
        },
        pause: (key, ms) => app(ms).pause(key, ms),
        state: () => app().state(),
        close: () => app().close(),
      };
    },
    close: async () => {
      await Promise.all([...apps.values()].map((limiter) => limiter.close()));
      apps.clear();
    },
  };
};
