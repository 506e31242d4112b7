import { InvalidArgumentError } from '../core/errors.ts';
import type { Lane } from './ports/rate-limiter.ts';
import { createSlidingWindow } from './sliding-window.ts';

/** Grants permits under a limit, or says how long they'd take. It never waits. */
export interface Permits {
  /** Takes the permits if they're free. A local answer comes in the same turn. */
  tryAcquire(request: PermitRequest): PermitAnswer | Promise<PermitAnswer>;
  /** Returns when the permits are free, as far as this process knows; not before `from`. */
  freeAt(wish: PermitWish, options: { readonly ahead: Ahead; readonly from: number }): FreeAt;
}

/** The permits that a caller asks for. */
export interface PermitWish {
  /** The tenant. */
  readonly key: string;
  readonly weight: number;
  readonly lane: Lane;
}

/** The permits of callers that come first: all of this process, and those of the same tenant. */
export interface Ahead {
  readonly app: number;
  readonly tenant: number;
}

export interface PermitRequest extends PermitWish {
  readonly ahead: Ahead;
  /** The caller doesn't come back if it has to wait longer. */
  readonly maxWaitMs: number;
}

export type PermitAnswer = Grant | Refusal;

interface Grant {
  readonly granted: true;
  /** Gives the permits back: the caller has gone and sent nothing. */
  readonly release: () => void;
}

export interface Refusal {
  readonly granted: false;
  readonly waitMs: number;
  /** The reason. */
  readonly by: 'app' | 'tenant' | 'pause';
}

export interface FreeAt {
  readonly at: number;
  /** The limit that is the reason. */
  readonly by: 'app' | 'tenant';
}

export interface PermitLimit {
  readonly limit: number;
  /** The time for which a permit stays taken. */
  readonly holdMs: number;
}

/** Throws `InvalidArgumentError` for a limit that isn't one; `field` is its name in the options. */
export const toPermitLimit = (
  field: string,
  { limit, perMs }: { readonly limit: number; readonly perMs: number },
): PermitLimit => {
  if (!Number.isInteger(limit) || limit < 1) throw new InvalidArgumentError(field, 'must be a whole number above 0');
  if (!Number.isFinite(perMs) || perMs <= 0)
    throw new InvalidArgumentError(field.replace('limit', 'perMs'), 'must be a number of milliseconds above 0');
  return { limit, holdMs: perMs };
};

/** Permits that only this process hands out. */
export interface LocalPermits extends Permits {
  tryAcquire(request: PermitRequest): PermitAnswer;
  /** Counts permits that were granted elsewhere. */
  note(key: string, weight: number): void;
}

/** Keeps a sliding window for the app and one for each active tenant. */
export const createLocalPermits = ({
  app,
  tenant,
}: {
  readonly app: PermitLimit;
  readonly tenant: PermitLimit | undefined;
}): LocalPermits => {
  const appScope = createScope(app);
  /** The least recently used first. */
  const tenantScopes = new Map<string, Scope>();

  const tenantScope = (key: string, now: number): Scope | undefined => {
    if (!tenant) return undefined;
    const scope = tenantScopes.get(key) ?? createScope(tenant);
    tenantScopes.delete(key);
    for (const [idleKey, other] of tenantScopes) {
      if (!other.isIdle(now)) break;
      tenantScopes.delete(idleKey);
    }
    tenantScopes.set(key, scope);
    return scope;
  };

  const freeAt: Permits['freeAt'] = (wish, { ahead, from }) => {
    const now = performance.now();
    const appAt = appScope.freeAt(wish, { ahead: ahead.app, now, from });
    const tenantAt = tenantScope(wish.key, now)?.freeAt(wish, { ahead: ahead.tenant, now, from }) ?? from;
    return tenantAt > appAt ? { at: tenantAt, by: 'tenant' } : { at: appAt, by: 'app' };
  };

  const note = (key: string, weight: number) => {
    const now = performance.now();
    appScope.take(weight, now);
    tenantScope(key, now)?.take(weight, now);
  };

  return {
    freeAt,
    note,
    tryAcquire: ({ ahead, ...wish }) => {
      const now = performance.now();
      if (wish.lane === 'live') for (const scope of [appScope, tenantScope(wish.key, now)]) scope?.reserve(now);
      const { at, by } = freeAt(wish, { ahead, from: now });
      if (at > now) return { granted: false, waitMs: at - now, by };
      note(wish.key, wish.weight);
      return { granted: true, release: () => undefined };
    },
  };
};

/** Permits that only a server can grant. Until it's asked again, this process knows what its last refusals said. */
export const createRemotePermits = (tryAcquire: (request: PermitRequest) => Promise<PermitAnswer>): Permits => {
  let appFreeAt = Number.NEGATIVE_INFINITY;
  const tenantsFreeAt = new Map<string, number>();

  const note = ({ key, lane, ahead }: PermitRequest, { waitMs, by }: Refusal) => {
    const now = performance.now();
    const at = now + waitMs;
    for (const [each, freeAt] of tenantsFreeAt) if (freeAt <= now) tenantsFreeAt.delete(each);
    if (by === 'tenant') tenantsFreeAt.set(`${lane} ${key}`, at);
    // The callers ahead are asked for first.
    else if (ahead.app === 0) appFreeAt = appFreeAt > now ? Math.min(appFreeAt, at) : at;
  };

  return {
    tryAcquire: async (request) => {
      const answer = await tryAcquire(request);
      if (!answer.granted) note(request, answer);
      return answer;
    },
    freeAt: ({ key, lane }, { from }) => {
      const tenantAt = tenantsFreeAt.get(`${lane} ${key}`) ?? from;
      return tenantAt > from ? { at: tenantAt, by: 'tenant' } : { at: Math.max(from, appFreeAt), by: 'app' };
    },
  };
};

/**
 * The part of a limit that background callers leave free while live ones come. Letting live callers pass isn't enough:
 * if the background takes every free permit, a person on the phone still waits for the next one.
 */
export const reserveOf = (limit: number): number => Math.floor(limit / 10);

type Scope = ReturnType<typeof createScope>;

/** One limit: its window, and whether live callers use it. */
const createScope = ({ limit, holdMs }: PermitLimit) => {
  const window = createSlidingWindow({ limit, perMs: holdMs });
  let reservedUntil = Number.NEGATIVE_INFINITY;
  return {
    take: window.take,
    isIdle: (now: number) => window.isIdle(now) && reservedUntil <= now,
    /** A live caller came: the background leaves the reserve free for one window. */
    reserve: (now: number) => {
      reservedUntil = now + holdMs;
    },
    freeAt: (
      { weight, lane }: PermitWish,
      { ahead, now, from }: { readonly ahead: number; readonly now: number; readonly from: number },
    ) => {
      const isReserved = lane === 'background' && reservedUntil > now;
      const units = isReserved ? Math.min(limit, weight + reserveOf(limit)) : weight;
      return window.freeAt(ahead + units, now, from);
    },
  };
};
