import type { AuthenticationError } from '../core/errors.ts';
import type { Json } from '../stores/ports/json.ts';
import type { Handled } from '../stores/ports/message-queue.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

/**
 * The waits between the attempts to deliver one message, unless `delaysMs` says otherwise. Source: the interface
 * document, "Limits".
 *
 * @example
 * const longestMs = retryDelaysMs.reduce((sum, delayMs) => sum + delayMs * 1.2, 0); // then it is a dead letter
 */
export const retryDelaysMs: readonly number[] = [1_000, 3_000, 10_000, 30_000, 120_000];

/** Each wait is drawn from this share below to this share above it, so retries spread out. */
export const jitterShare = 0.2;

/**
 * After so many attempts a message is a dead letter, unless `delaysMs` says otherwise.
 *
 * @example
 * for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) receiver.answerWith(503);
 * await outbox.publish({ event, payload, idempotencyKey }); // becomes a dead letter
 */
export const maximumAttempts: number = retryDelaysMs.length + 1;

/** A server that asks for a longer wait than this is not waited for. */
export const longestRetryAfterMs = 86_400_000;

/** The end of an attempt to deliver. */
export type Attempted =
  | { readonly type: 'delivered'; readonly status: number }
  /** The destination said no: a 4xx other than 429. */
  | { readonly type: 'refused'; readonly status: number }
  /** It may work later. */
  | {
      readonly type: 'failed';
      readonly reason: string;
      readonly status?: number | undefined;
      readonly retryAfterMs?: number | undefined;
    }
  /** Nothing was sent, and not because of this message: it keeps its attempt. */
  | {
      readonly type: 'postponed';
      readonly reason: string;
      readonly retryAfterMs: number;
      /** Why there's no credential or secret. */
      readonly error?: AuthenticationError | undefined;
    };

/** The next step for the message. */
export type Decision = Handled & {
  /** The destination says that it is gone: nothing more is sent to it. */
  readonly disables?: true;
};

/**
 * Decides what becomes of a message after an attempt. Pure: time and chance are passed in.
 * A wait is never shorter than the server asks; one that asks for more than a day makes a dead letter.
 */
export const decide = (
  attempted: Attempted,
  {
    attempt,
    now,
    random,
    delaysMs = retryDelaysMs,
  }: {
    readonly attempt: number;
    readonly now: number;
    readonly random: () => number;
    /** @defaultValue {@link retryDelaysMs} */
    readonly delaysMs?: readonly number[] | undefined;
  },
): Decision => {
  switch (attempted.type) {
    case 'delivered':
      return { type: 'done' };
    case 'refused':
      return attempted.status === gone
        ? { type: 'dead', reason: 'gone', note: noteOf(attempted), disables: true }
        : { type: 'dead', reason: 'client_error', note: noteOf(attempted) };
    case 'postponed':
      return {
        type: 'retry-at',
        at: now + jittered(Math.max(attempted.retryAfterMs, shortestPostponementMs), random, 0),
        uncounted: true,
      };
    case 'failed': {
      const { retryAfterMs = 0 } = attempted;
      const delayMs = delaysMs[attempt - 1];
      if (delayMs === undefined) return { type: 'dead', reason: 'attempts_exhausted', note: noteOf(attempted) };
      if (retryAfterMs > longestRetryAfterMs)
        return { type: 'dead', reason: 'retry_after_too_long', note: noteOf(attempted) };
      const at = now + Math.max(jittered(delayMs, random, -jitterShare), retryAfterMs);
      return { type: 'retry-at', at, note: noteOf(attempted) };
    }
  }
};

const gone = 410;

/** A circuit that waits for its probe may say 1 ms, again and again. */
const shortestPostponementMs = 250;

/** From the lowest share, which may be below the time itself, up to {@link jitterShare} above it. */
const jittered = (ms: number, random: () => number, lowest: number): number =>
  Math.ceil(ms * (1 + lowest + (jitterShare - lowest) * random()));

const noteOf = (attempted: Extract<Attempted, { readonly type: 'refused' | 'failed' }>): Json =>
  withoutUndefined({
    reason: attempted.type === 'failed' ? attempted.reason : undefined,
    status: attempted.status,
  });
