import type { Clock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { Lane, RateLimiter } from '../ports/rate-limiter.ts';
import { createLaneQueues, inOrder, type Waiter } from './lane-queues.ts';
import { closed, tooLong } from './limit-refusal.ts';
import { longestPauseMs } from './longest-pause.ts';
import type { Places } from './places.ts';

export interface WaitingLineOptions {
  readonly places: Places;
  /** The greatest weight that can ever be served. */
  readonly heaviest: number;
  /** Hears of the pause that an API has asked for. */
  readonly onPause: (ms: number) => void;
  readonly clock: Clock;
}

/**
 * Lets the callers of one process wait for places that are given out elsewhere: live ones before background ones, each
 * lane in the order of arrival, nobody behind a tenant that has used up its own share, and nobody longer than its
 * `maxWaitMs`. `createMemoryRateLimiter` does without: it knows every place itself, gives a free one in the same turn,
 * and can tell exactly how long somebody would wait.
 */
export const createWaitingLine = ({ places, heaviest, onPause, clock }: WaitingLineOptions): RateLimiter => {
  const queues = createLaneQueues<KeyedWaiter>();
  /** When a tenant that has used up its share may be asked for again. */
  const usedUpUntil = new Map<string, number>();
  let pausedUntil = Number.NEGATIVE_INFINITY;
  /** Before it the app has no place for the first who waits. */
  let nextAskAt = Number.NEGATIVE_INFINITY;
  let cancelTimer: (() => void) | undefined;
  let isAsking = false;
  let isClosed = false;

  const waiting = () => queues.live.size + queues.background.size;
  const wanted = (lane: Lane) => {
    let units = 0;
    for (const { weight } of queues[lane]) units += weight;
    return units;
  };

  const isUsedUp = (key: string, now: number) => (usedUpUntil.get(key) ?? 0) > now;

  /** What the others want who will be asked for first. */
  const aheadOf = (lane: Lane, now: number) => {
    let units = 0;
    for (const waiter of inOrder(queues)) {
      if (waiter.lane !== lane && lane === 'live') break;
      if (!isUsedUp(waiter.key, now)) units += waiter.weight;
    }
    return units;
  };

  const note = (key: string, by: 'app' | 'tenant' | 'pause', at: number) => {
    if (by === 'tenant') usedUpUntil.set(key, at);
    else nextAskAt = nextAskAt > clock.now() ? Math.min(nextAskAt, at) : at;
    if (by === 'pause') pausedUntil = Math.max(pausedUntil, at);
  };

  const leave = (waiter: KeyedWaiter) => {
    queues[waiter.lane].delete(waiter);
    waiter.signal.removeEventListener('abort', waiter.onAbort);
  };

  const refuse = (waiter: KeyedWaiter, error: unknown) => {
    leave(waiter);
    waiter.reject(error);
  };

  /** Refuses whom no place can reach in time, then sleeps until something may have changed. */
  const rest = () => {
    cancelTimer?.();
    cancelTimer = undefined;
    const now = clock.now();
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const waiter of inOrder(queues)) {
      const at = Math.max(
        now,
        pausedUntil,
        isUsedUp(waiter.key, now) ? (usedUpUntil.get(waiter.key) ?? now) : nextAskAt,
      );
      if (at > waiter.deadlineAt) refuse(waiter, tooLong(at - now));
      else wakeAt = Math.min(wakeAt, at);
    }
    for (const [key, at] of usedUpUntil) if (at <= now) usedUpUntil.delete(key);
    if (waiting() > 0) cancelTimer = clock.setTimer(() => void serve(), wakeAt - now);
  };

  const next = (now: number) => {
    for (const waiter of inOrder(queues)) if (!isUsedUp(waiter.key, now)) return waiter;
    return undefined;
  };

  const serve = async () => {
    if (isAsking) return;
    isAsking = true;
    nextAskAt = Number.NEGATIVE_INFINITY;
    for (let waiter = next(clock.now()); waiter && pausedUntil <= clock.now(); waiter = next(clock.now())) {
      const { key, weight, lane, deadlineAt } = waiter;
      const maxWaitMs = deadlineAt - clock.now();
      try {
        const answer = await places.ask({ key, weight, lane, ahead: 0, wanted: wanted(lane), maxWaitMs });
        const isGone = !queues[lane].has(waiter);
        if (answer.granted && isGone) answer.giveBack();
        if (answer.granted && !isGone) {
          leave(waiter);
          waiter.resolve();
        }
        if (!answer.granted) note(key, answer.by, clock.now() + answer.waitMs);
        if (!answer.granted && answer.by !== 'tenant') break;
      } catch (error) {
        refuse(waiter, error);
      }
    }
    isAsking = false;
    rest();
  };

  return {
    acquire: async ({ key, weight = 1, lane = 'live', maxWaitMs, signal }) => {
      if (signal.aborted) throw signal.reason;
      if (isClosed) throw closed();
      if (!Number.isInteger(weight) || weight < 1 || weight > heaviest)
        throw new InvalidArgumentError('weight', `must be a whole number from 1 to ${heaviest}`);
      const startedAt = clock.now();
      const deadlineAt = startedAt + maxWaitMs;
      if (pausedUntil > deadlineAt) throw tooLong(pausedUntil - startedAt);

      if (pausedUntil <= startedAt) {
        const ahead = aheadOf(lane, startedAt);
        const answer = await orAborted(
          places.ask({ key, weight, lane, ahead, wanted: wanted(lane) + weight, maxWaitMs }),
          signal,
        );
        if (answer.granted) return;
        const at = clock.now() + answer.waitMs;
        if (isClosed) throw closed();
        // Who stands behind others is asked for after them.
        if (ahead === 0 || answer.by !== 'app') note(key, answer.by, at);
        if (at > deadlineAt) throw tooLong(answer.waitMs);
      }
      await new Promise<void>((resolve, reject) => {
        const onAbort = () => {
          leave(waiter);
          reject(signal.reason);
          if (!isAsking) rest();
        };
        const waiter: KeyedWaiter = { key, weight, lane, deadlineAt, signal, onAbort, resolve, reject };
        signal.addEventListener('abort', onAbort, { once: true });
        queues[lane].add(waiter);
        if (!isAsking) rest();
      });
    },
    pause: (_key, ms) => {
      if (!(ms > 0)) return;
      const pauseMs = Math.min(ms, longestPauseMs);
      pausedUntil = Math.max(pausedUntil, clock.now() + pauseMs);
      onPause(pauseMs);
      if (!isAsking) rest();
    },
    state: () => {
      const now = clock.now();
      const freeAt = waiting() > 0 ? Math.max(now, nextAskAt, pausedUntil) : Math.max(now, pausedUntil);
      return {
        waiting: waiting(),
        nextFreeInMs: Math.ceil(freeAt - now),
        pausedForMs: Math.ceil(Math.max(0, pausedUntil - now)),
      };
    },
    close: async () => {
      isClosed = true;
      for (const waiter of inOrder(queues)) refuse(waiter, closed());
      rest();
    },
  };
};

interface KeyedWaiter extends Waiter {
  readonly key: string;
}

/** The answer; when the signal aborts before it, its reason at once, and a place that comes too late is given back. */
const orAborted = <Answer extends Awaited<ReturnType<Places['ask']>>>(
  asked: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    asked.then(
      (answer) => {
        signal.removeEventListener('abort', onAbort);
        if (signal.aborted && answer.granted) answer.giveBack();
        resolve(answer);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      },
    );
  });
