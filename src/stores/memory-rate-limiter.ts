import { type Clock, systemClock } from '../clock.ts';
import { InvalidArgumentError, type RateLimitedError } from '../errors.ts';
import type { Lane, RateLimiter } from '../ports/rate-limiter.ts';
import { createLaneQueues, inOrder, type Waiter } from './lane-queues.ts';
import { closed, tooLong } from './limit-refusal.ts';
import { longestPauseMs } from './longest-pause.ts';
import { neededPlaces } from './live-reserve.ts';
import { createSlidingWindow, type SlidingWindow } from './sliding-window.ts';

/** The limit of an app, and how it is shared among its tenants. */
export interface MemoryRateLimiterOptions {
  /** Requests of the whole app within `perMs`. */
  readonly limit: number;
  readonly perMs: number;
  /** What each tenant may have of it. @defaultValue as much as the app */
  readonly perTenant?: { readonly limit: number; readonly perMs: number };
  /** The share of each limit that is left free, for what the network bunches together: 0 up to 1. @defaultValue 0 */
  readonly headroom?: number;
  readonly clock?: Clock;
}

/**
 * Keeps one app, and each of its tenants, under a limit within this process: never more than `limit` grants lie in any
 * window of `perMs`, also when the wall clock steps. Live callers always pass before background ones, in the order they
 * came, and find a tenth of the places left free by them; nobody waits for a tenant that has used up its own share.
 *
 * A caller whose wait cannot end within its `maxWaitMs` is refused at once, also while it waits: when a pause or live
 * callers push it back. A pause is at most ten minutes; an API that still means it answers the next request with 429.
 *
 * @example
 * const rateLimit = createMemoryRateLimiter({ limit: 1000, perMs: 60_000, perTenant: { limit: 200, perMs: 60_000 } });
 * const messaging = createMessagingClient({ ...workspace, rateLimit });
 */
export const createMemoryRateLimiter = (options: MemoryRateLimiterOptions): RateLimiter => {
  const { headroom = 0, clock = systemClock } = options;
  const app = toScope('limit', options, headroom);
  const appAlone: Scopes = [app];
  const perTenant = options.perTenant;
  const heaviest = Math.min(app.limit, perTenant ? toScope('perTenant.limit', perTenant, headroom).limit : app.limit);
  /** The least recently used first. */
  const tenants = new Map<string, Scopes>();
  const queues = createLaneQueues<ScopedWaiter>();
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let cancelTimer: (() => void) | undefined;
  let wakeAt = Number.POSITIVE_INFINITY;
  let isClosed = false;

  const waiting = () => queues.live.size + queues.background.size;

  const scopesOf = (key: string, now: number): Scopes => {
    if (!perTenant) return appAlone;
    const scopes = tenants.get(key) ?? [app, toScope('perTenant.limit', perTenant, headroom)];
    tenants.delete(key);
    for (const [idleKey, [, tenant]] of tenants) {
      if (!tenant?.window.isIdle(now) || tenant.waiting.live + tenant.waiting.background > 0) break;
      tenants.delete(idleKey);
    }
    tenants.set(key, scopes);
    return scopes;
  };

  /** When a caller that comes now would be served, if no later one passes it. */
  const placeAt = (scopes: Scopes, lane: Lane, weight: number, now: number) => {
    const from = Math.max(now, pausedUntil);
    let at = from;
    for (const scope of scopes) {
      const ahead = scope.waiting.live + (lane === 'live' ? 0 : scope.waiting.background);
      at = Math.max(at, scope.window.freeAt(ahead + needed(scope, { lane, weight }, now), now, from));
    }
    return at;
  };

  const leave = (waiter: ScopedWaiter) => {
    queues[waiter.lane].delete(waiter);
    for (const scope of waiter.scopes) scope.waiting[waiter.lane] -= waiter.weight;
    waiter.signal.removeEventListener('abort', waiter.onAbort);
  };

  const refuse = (waiter: ScopedWaiter, error: RateLimitedError) => {
    leave(waiter);
    waiter.reject(error);
  };

  const serve = (now: number) => {
    const usedUp = new Set<Scope>();
    for (const waiter of inOrder(queues)) {
      const { scopes, weight } = waiter;
      const [, tenant] = scopes;
      if (!hasRoom(app, waiter, now)) return;
      if (tenant && (usedUp.has(tenant) || !hasRoom(tenant, waiter, now))) {
        usedUp.add(tenant);
        continue;
      }
      leave(waiter);
      for (const scope of scopes) scope.window.take(weight, now);
      waiter.resolve();
    }
  };

  /** Refuses whom no place can reach in time any more; answers when the next place is due. */
  const refuseHopeless = (now: number) => {
    const from = Math.max(now, pausedUntil);
    const ahead = new Map<Scope, number>();
    let nextAt = Number.POSITIVE_INFINITY;
    for (const waiter of inOrder(queues)) {
      let at = from;
      for (const scope of waiter.scopes) {
        const units = (ahead.get(scope) ?? 0) + needed(scope, waiter, now);
        at = Math.max(at, scope.window.freeAt(units, now, from));
      }
      if (at > waiter.deadlineAt + roundingMs) {
        refuse(waiter, tooLong(at - now));
        continue;
      }
      for (const scope of waiter.scopes) ahead.set(scope, (ahead.get(scope) ?? 0) + waiter.weight);
      nextAt = Math.min(nextAt, at);
    }
    return nextAt;
  };

  const pump = () => {
    cancelTimer?.();
    cancelTimer = undefined;
    const now = clock.now();
    if (now >= pausedUntil) serve(now);
    wakeAt = refuseHopeless(now);
    if (waiting() > 0) cancelTimer = clock.setTimer(pump, wakeAt - now);
  };

  return {
    acquire: ({ key, weight = 1, lane = 'live', maxWaitMs, signal }) => {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (isClosed) return Promise.reject(closed());
      if (!Number.isInteger(weight) || weight < 1 || weight > heaviest) {
        return Promise.reject(new InvalidArgumentError('weight', `must be a whole number from 1 to ${heaviest}`));
      }
      const now = clock.now();
      const scopes = scopesOf(key, now);
      if (lane === 'live') for (const scope of scopes) scope.reservedUntil = now + scope.perMs;
      const at = placeAt(scopes, lane, weight, now);
      if (at <= now && waiting() === 0) {
        for (const scope of scopes) scope.window.take(weight, now);
        return Promise.resolve();
      }
      // Those before it may all be waiting for a share of their own, so that it can be served ahead of them.
      const mayPass = now >= pausedUntil && scopes.every((scope) => hasRoom(scope, { lane, weight }, now));
      if (at - now > maxWaitMs && !mayPass) return Promise.reject(tooLong(at - now));
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          leave(waiter);
          reject(signal.reason);
          pump();
        };
        const waiter = { scopes, weight, lane, deadlineAt: now + maxWaitMs, signal, onAbort, resolve, reject };
        signal.addEventListener('abort', onAbort, { once: true });
        queues[lane].add(waiter);
        for (const scope of scopes) scope.waiting[lane] += weight;
        // At the end of the queue it changes nothing for the others.
        if (mayPass || at < wakeAt || (lane === 'live' && queues.background.size > 0)) pump();
      });
    },
    pause: (_key, ms) => {
      if (!(ms > 0)) return;
      pausedUntil = Math.max(pausedUntil, clock.now() + Math.min(ms, longestPauseMs));
      if (waiting() > 0) pump();
    },
    state: () => {
      const now = clock.now();
      return {
        waiting: waiting(),
        nextFreeInMs: Math.ceil(placeAt(appAlone, 'live', 1, now) - now),
        pausedForMs: Math.ceil(Math.max(0, pausedUntil - now)),
      };
    },
    close: async () => {
      isClosed = true;
      for (const waiter of inOrder(queues)) refuse(waiter, closed());
      pump();
    },
  };
};

/** What adding up times may be off by. */
const roundingMs = 1e-3;

/** One limit: its window, and the units that wait for it. */
interface Scope {
  readonly limit: number;
  readonly perMs: number;
  readonly window: SlidingWindow;
  readonly waiting: Record<Lane, number>;
  /** Until then the background leaves something free, since a live caller came. */
  reservedUntil: number;
}

/** The app, then the tenant if tenants have a limit. */
type Scopes = readonly [app: Scope] | readonly [app: Scope, tenant: Scope];

interface ScopedWaiter extends Waiter {
  readonly scopes: Scopes;
}

const toScope = (field: string, { limit, perMs }: { limit: number; perMs: number }, headroom: number): Scope => {
  if (!Number.isInteger(limit) || limit < 1) throw new InvalidArgumentError(field, 'must be a whole number above 0');
  if (!Number.isFinite(perMs) || perMs <= 0) {
    throw new InvalidArgumentError(field.replace('limit', 'perMs'), 'must be a number of milliseconds above 0');
  }
  if (!(headroom >= 0 && headroom < 1)) throw new InvalidArgumentError('headroom', 'must be at least 0 and below 1');
  const usable = Math.max(1, Math.floor(limit * (1 - headroom) + 1e-9));
  return {
    limit: usable,
    perMs,
    window: createSlidingWindow({ limit: usable, perMs }),
    waiting: { live: 0, background: 0 },
    reservedUntil: Number.NEGATIVE_INFINITY,
  };
};

type Wish = Pick<Waiter, 'lane' | 'weight'>;

const needed = ({ limit, reservedUntil }: Scope, { lane, weight }: Wish, now: number) =>
  neededPlaces({ weight, lane, limit, isReserved: reservedUntil > now });

const hasRoom = (scope: Scope, wish: Wish, now: number) => scope.window.freeAt(needed(scope, wish, now), now) <= now;
