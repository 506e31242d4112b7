import type { Clock } from '../clock.ts';
import { documentedRateLimit } from '../messaging/create-client.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../stores/memory-rate-limiter.ts';

/** One rate limit per messaging app, shared by the tenants that send to it. */
export interface AppLimits {
  /** The limiter of the app at this address. Every address on one origin has the same one. */
  of(baseUrl: string): RateLimiter;
  /** Drops the limiters that no request counts for any more. */
  sweep(): void;
  /** Refuses the callers that still wait. */
  close(): Promise<void>;
}

/** A limiter outlives the tenants that use it: evicting one doesn't give the app a new 1,000 requests. */
export const createAppLimits = ({ clock }: { readonly clock: Clock }): AppLimits => {
  const apps = new Map<string, { readonly limiter: RateLimiter; keptUntil: number }>();

  const appAt = (origin: string) => {
    const app = apps.get(origin) ?? {
      limiter: createMemoryRateLimiter({ ...documentedRateLimit, clock }),
      keptUntil: Number.NEGATIVE_INFINITY,
    };
    apps.set(origin, app);
    return app;
  };

  return {
    of: (baseUrl) => {
      // The client refuses what is no address.
      const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : '';
      return {
        acquire: async (request) => {
          const app = appAt(origin);
          await app.limiter.acquire(request);
          app.keptUntil = clock.now() + documentedRateLimit.perMs;
        },
        pause: (key, ms) => appAt(origin).limiter.pause(key, ms),
        state: () => appAt(origin).limiter.state(),
        close: () => appAt(origin).limiter.close(),
      };
    },
    sweep: () => {
      for (const [origin, { limiter, keptUntil }] of apps) {
        const { waiting, pausedForMs } = limiter.state();
        if (waiting === 0 && pausedForMs === 0 && keptUntil <= clock.now()) apps.delete(origin);
      }
    },
    close: async () => {
      await Promise.all([...apps.values()].map(({ limiter }) => limiter.close()));
    },
  };
};
