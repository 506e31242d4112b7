import { InvalidArgumentError, RateLimitedError } from '../core/errors.ts';
import { oneOf } from '../core/option-checks.ts';
import { type Lane, lanes as laneNames, type RateLimiter } from './ports/rate-limiter.ts';
import { setTimer, settleWithin } from '../core/timers.ts';
import type { Ahead, PermitAnswer, Permits, PermitWish, Refusal } from './permits.ts';

export interface WaitingLineOptions {
  readonly permits: Permits;
  /** The greatest weight that can ever be granted. */
  readonly heaviest: number;
  /** Gets each pause that an API asked for. */
  readonly onPause?: ((ms: number) => void) | undefined;
}

/**
 * Lets callers wait for permits: live ones before background ones, each lane in order of arrival. No caller waits behind a
 * tenant that has used up its own share. A caller that can't be served within its `maxWaitMs` is refused at once, also
 * when a pause or live callers push it back.
 */
export const createWaitingLine = ({ permits, heaviest, onPause }: WaitingLineOptions): RateLimiter => {
  const lanes: Lanes = { live: new Set(), background: new Set() };
  /** The number of permits that the waiters of each lane want. */
  const wanted = { live: 0, background: 0 };
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let wakeAt = Number.POSITIVE_INFINITY;
  let cancelTimer: (() => void) | undefined;
  let isServing = false;
  let isClosed = false;

  const aheadOf = ({ key, lane }: PermitWish): Ahead => {
    const app = lane === 'live' ? wanted.live : wanted.live + wanted.background;
    let tenant = 0;
    if (app > 0) for (const waiter of lanes.live) if (waiter.key === key) tenant += waiter.weight;
    if (lane === 'background') for (const waiter of lanes.background) if (waiter.key === key) tenant += waiter.weight;
    return { app, tenant };
  };

  const leave = (waiter: Waiter) => {
    if (lanes[waiter.lane].delete(waiter)) wanted[waiter.lane] -= waiter.weight;
    waiter.signal.removeEventListener('abort', waiter.onAbort);
  };

  const refuse = (waiter: Waiter, error: unknown) => {
    leave(waiter);
    waiter.reject(error);
  };

  const note = ({ waitMs, by }: Refusal): number => {
    const at = performance.now() + waitMs;
    if (by === 'pause') pausedUntil = Math.max(pausedUntil, at);
    return at;
  };

  /** The first waiter that may be granted now. */
  const next = (): Waiter | undefined => {
    const now = performance.now();
    if (pausedUntil > now) return undefined;
    const usedUp = new Set<string>();
    for (const waiter of inOrder(lanes)) {
      if (usedUp.has(waiter.key)) continue;
      const { at, by } = permits.freeAt(waiter, { ahead: none, from: now });
      if (at <= now) return waiter;
      if (by === 'app') return undefined;
      usedUp.add(waiter.key);
    }
    return undefined;
  };

  /** Grants what is free, in order. Doesn't leave the turn while the permits are local. */
  const serve = async () => {
    if (isServing) return;
    isServing = true;
    for (let waiter = next(); waiter; waiter = next()) {
      const { key, weight, lane, deadlineAt } = waiter;
      const maxWaitMs = deadlineAt - performance.now();
      try {
        const asked = permits.tryAcquire({ key, weight, lane, ahead: none, maxWaitMs });
        const answer = asked instanceof Promise ? await asked : asked;
        if (!answer.granted) note(answer);
        else if (lanes[lane].has(waiter)) {
          leave(waiter);
          waiter.resolve();
        } else answer.release();
      } catch (error) {
        refuse(waiter, error);
      }
    }
    isServing = false;
    rest();
  };

  /** Refuses the waiters that can't be served in time any more, then sleeps until the next permit. */
  const rest = () => {
    cancelTimer?.();
    cancelTimer = undefined;
    wakeAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    const from = Math.max(now, pausedUntil);
    let app = 0;
    const tenants = new Map<string, number>();
    for (const waiter of inOrder(lanes)) {
      const tenant = tenants.get(waiter.key) ?? 0;
      const { at } = permits.freeAt(waiter, { ahead: { app, tenant }, from });
      if (at > waiter.deadlineAt + roundingMs) {
        refuse(waiter, tooLong(at - now));
        continue;
      }
      app += waiter.weight;
      tenants.set(waiter.key, tenant + waiter.weight);
      wakeAt = Math.min(wakeAt, at);
    }
    if (wakeAt < Number.POSITIVE_INFINITY) cancelTimer = setTimer(() => void serve(), wakeAt - now);
  };

  return {
    acquire: async ({ key, weight = 1, lane = 'live', maxWaitMs, signal }) => {
      signal.throwIfAborted();
      if (isClosed) throw closed();
      oneOf(lane, 'lane', laneNames)();
      if (!Number.isInteger(weight) || weight < 1 || weight > heaviest)
        throw new InvalidArgumentError('weight', `must be a whole number from 1 to ${heaviest}`);
      const startedAt = performance.now();
      const wish = { key, weight, lane };
      const ahead = aheadOf(wish);
      let at = pausedUntil;
      if (pausedUntil > startedAt) at = permits.freeAt(wish, { ahead, from: pausedUntil }).at;
      else {
        const asked = permits.tryAcquire({ ...wish, ahead, maxWaitMs });
        const answer = asked instanceof Promise ? await unlessAborted(asked, signal) : asked;
        if (answer.granted) return;
        if (isClosed) throw closed();
        at = note(answer);
      }
      const now = performance.now();
      // Those ahead may all wait for a share of their own.
      const mayPass = ahead.app > 0 && pausedUntil <= now && permits.freeAt(wish, { ahead: none, from: now }).at <= now;
      if (at > startedAt + maxWaitMs + roundingMs && !mayPass) throw tooLong(at - now);
      await new Promise<void>((resolve, reject) => {
        const onAbort = () => {
          refuse(waiter, signal.reason);
          void serve();
        };
        const waiter: Waiter = { ...wish, deadlineAt: startedAt + maxWaitMs, signal, onAbort, resolve, reject };
        signal.addEventListener('abort', onAbort, { once: true });
        lanes[lane].add(waiter);
        wanted[lane] += weight;
        // At the end of the line it changes nothing for the others.
        if (mayPass || at < wakeAt || (lane === 'live' && lanes.background.size > 0)) void serve();
      });
    },
    pause: (_key, ms) => {
      if (!(ms > 0)) return;
      const pauseMs = Math.min(ms, longestPauseMs);
      pausedUntil = Math.max(pausedUntil, performance.now() + pauseMs);
      onPause?.(pauseMs);
      void serve();
    },
    state: () => {
      const now = performance.now();
      const from = Math.max(now, pausedUntil);
      const { at } = permits.freeAt(
        { key: '', weight: 1, lane: 'live' },
        { ahead: { app: wanted.live, tenant: 0 }, from },
      );
      return {
        waiting: lanes.live.size + lanes.background.size,
        nextFreeInMs: Math.ceil(at - now),
        pausedForMs: Math.ceil(Math.max(0, pausedUntil - now)),
      };
    },
    close: async () => {
      isClosed = true;
      for (const waiter of inOrder(lanes)) refuse(waiter, closed());
      rest();
    },
  };
};

/** A caller that waits for permits. */
interface Waiter extends PermitWish {
  readonly deadlineAt: number;
  readonly signal: AbortSignal;
  readonly onAbort: () => void;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

type Lanes = Readonly<Record<Lane, Set<Waiter>>>;

function* inOrder(lanes: Lanes): Generator<Waiter> {
  yield* lanes.live;
  yield* lanes.background;
}

const none: Ahead = { app: 0, tenant: 0 };

/** The error of adding up times. */
const roundingMs = 1e-3;

/** One absurd `Retry-After` must not silence an app until it restarts. */
export const longestPauseMs = 600_000;

/** Says that a wait wouldn't end in time, and how long it would be. */
const tooLong = (waitMs: number): RateLimitedError => {
  const retryAfterMs = Math.ceil(waitMs - roundingMs);
  return new RateLimitedError(`the next permit under the rate limit is free in ${Math.ceil(retryAfterMs / 1000)} s`, {
    retryAfterMs,
  });
};

const closed = (): RateLimitedError => new RateLimitedError('the rate limiter was closed');

/** The answer, or the signal's reason as soon as it aborts. Permits that come later are given back. */
const unlessAborted = (asked: Promise<PermitAnswer>, signal: AbortSignal): Promise<PermitAnswer> => {
  asked.then(
    (answer) => {
      if (signal.aborted && answer.granted) answer.release();
    },
    () => undefined,
  );
  return settleWithin(asked, { signal });
};
