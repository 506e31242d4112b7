import { InvalidArgumentError, type IntegrationErrorFields } from './errors.ts';

/** A day, in milliseconds. */
export const dayMs = 86_400_000;

const longestTimerMs = 2 ** 31 - 1;

/** Runs `callback` once after `ms`. The function it returns cancels the timer. */
export const setTimer = (callback: () => void, ms: number): (() => void) => {
  const timer = setTimeout(callback, Math.min(Math.max(ms, 0), longestTimerMs));
  return () => clearTimeout(timer);
};

/** Like {@link setTimer}, but the timer doesn't keep the process alive. */
export const setUnrefTimer = (callback: () => void, ms: number): (() => void) => {
  const timer = setTimeout(callback, Math.min(ms, longestTimerMs)).unref();
  return () => clearTimeout(timer);
};

/** Waits `ms`. Rejects with the signal's reason as soon as the signal aborts. */
export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = setTimer(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });

/** The function as it was at the start: a turn under fake timers that are put back would never end. */
const { setImmediate } = globalThis;

/** Lets other work run first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The ends of a wait of {@link settleWithin}. */
export interface Limits {
  /** Rejects with its reason as soon as it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds, or a budget that's shared with others. */
  readonly deadline?: number | { remainingMs(): number } | undefined;
  /** The time that it may still take, asked when the deadline has passed. @defaultValue 0 */
  readonly moreMs?: (() => number) | undefined;
  /** Makes the error for a deadline that has passed. @defaultValue a `TimeoutError`, as of `AbortSignal.timeout` */
  readonly late?: (() => unknown) | undefined;
}

/**
 * Settles as the work does, or rejects as soon as a limit ends the wait, whether the work listens or not. Ignores what the
 * work does afterwards. Work that is a function gets a signal of its own, which aborts with the same reason. It doesn't
 * start under a signal that has aborted. Leaves no listener on `signal`, which may live as long as a phone call.
 */
export const settleWithin = async <T>(
  work: Promise<T> | ((signal: AbortSignal) => Promise<T>),
  { signal, deadline, moreMs, late = timedOut }: Limits,
): Promise<T> => {
  const own = new AbortController();
  const passOn = () => own.abort(signal?.reason);
  let cancelTimer = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      own.signal.addEventListener('abort', () => reject(own.signal.reason), { once: true });
      signal?.addEventListener('abort', passOn, { once: true });
      if (signal?.aborted) passOn();
      const endAfter = (ms: number) => {
        cancelTimer = setTimer(() => {
          const more = moreMs?.() ?? 0;
          if (more > 0) endAfter(more);
          else own.abort(late());
        }, ms);
      };
      if (deadline !== undefined) endAfter(msLeft(deadline));
      if (typeof work !== 'function') work.then(resolve, reject);
      else if (!own.signal.aborted) work(own.signal).then(resolve, reject);
    });
  } finally {
    cancelTimer();
    signal?.removeEventListener('abort', passOn);
  }
};

/** Waits for the work, but not longer than `ms`, and not for its errors. */
export const waitAtMost = async (work: Promise<unknown>, ms: number): Promise<void> => {
  if (ms > 0) await settleWithin(work, { deadline: ms }).catch(() => undefined);
};

const msLeft = (deadline: number | { remainingMs(): number }): number =>
  typeof deadline === 'number' ? deadline : deadline.remainingMs();

const timedOut = () => new DOMException('The work took too long', 'TimeoutError');

/** Throws `InvalidArgumentError` with `name` as its field for what isn't a time span above 0. `undefined` passes. */
export const assertDuration = (name: string, ms: number | undefined, fields?: IntegrationErrorFields): void => {
  if (ms !== undefined && !(typeof ms === 'number' && ms > 0))
    throw new InvalidArgumentError(name, 'must be a number of milliseconds above 0', fields);
};
