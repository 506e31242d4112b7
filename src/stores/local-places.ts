import type { Clock } from '../clock.ts';
import { neededPlaces } from './live-reserve.ts';
import type { PlaceRequest, Places } from './places.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';

/** One process's share of a limit, for when nobody can be asked. */
export interface LocalPlaces extends Places {
  /** Counts a place that was given out elsewhere, so that a share is what is left of it. */
  note(key: string, weight: number): void;
}

export interface LocalLimit {
  readonly limit: number;
  /** How long a place stays taken. */
  readonly holdMs: number;
}

/** Sliding windows in the memory of this process, for the app and for each tenant that is active. */
export const createLocalPlaces = ({
  app,
  tenant,
  retryMs,
  clock,
}: {
  readonly app: LocalLimit;
  readonly tenant: LocalLimit | undefined;
  /** When to ask again for what is heavier than the share. */
  readonly retryMs: number;
  readonly clock: Clock;
}): LocalPlaces => {
  const ofApp = toWindow(app);
  const ofTenants = new Map<string, SlidingWindow>();
  let reservedUntil = Number.NEGATIVE_INFINITY;

  const ofTenant = (key: string, now: number) => {
    if (!tenant) return undefined;
    const window = ofTenants.get(key) ?? toWindow(tenant);
    ofTenants.delete(key);
    for (const [idleKey, other] of ofTenants) {
      if (!other.isIdle(now)) break;
      ofTenants.delete(idleKey);
    }
    ofTenants.set(key, window);
    return window;
  };

  const note = (key: string, weight: number) => {
    const now = clock.now();
    ofApp.take(weight, now);
    ofTenant(key, now)?.take(weight, now);
  };

  const needed = ({ limit }: LocalLimit, { weight, lane }: PlaceRequest, now: number) =>
    neededPlaces({ weight, lane, limit, isReserved: reservedUntil > now });

  return {
    note,
    ask: async (request) => {
      const { key, weight, ahead, lane } = request;
      const now = clock.now();
      if (lane === 'live') reservedUntil = now + app.holdMs;
      if (weight > Math.min(app.limit, tenant?.limit ?? app.limit))
        return { granted: false, waitMs: retryMs, by: 'app' };
      const appWaitMs = ofApp.freeAt(ahead + needed(app, request, now), now) - now;
      const window = ofTenant(key, now);
      const tenantWaitMs = tenant && window ? window.freeAt(needed(tenant, request, now), now) - now : 0;
      if (tenantWaitMs > appWaitMs) return { granted: false, waitMs: tenantWaitMs, by: 'tenant' };
      if (appWaitMs > 0) return { granted: false, waitMs: appWaitMs, by: 'app' };
      note(key, weight);
      return { granted: true, giveBack: () => undefined };
    },
  };
};

const toWindow = ({ limit, holdMs }: LocalLimit) => createSlidingWindow({ limit, perMs: holdMs });
