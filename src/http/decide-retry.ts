import {
  type AttemptFailedError,
  type ExhaustedReason,
  type IntegrationError,
  isAttemptFailedError,
} from '../errors.ts';
import type { WaitReason } from '../observability/events.ts';
import type { Effect } from './request.ts';

/** Less time than this is not worth another attempt. */
const shortestAttemptMs = 50;

/** Everything that decides whether a failed attempt is followed by another one. */
export interface RetryQuestion {
  readonly error: IntegrationError;
  readonly effect: Effect;
  /** Whether a look-up can tell if an unrepeatable write was done. */
  readonly canLookUp: boolean;
  /** How many requests were sent, and may be. */
  readonly sent: number;
  readonly maximumAttempts: number;
  readonly remainingMs: number;
  readonly minimumBudgetMs: number;
  /** The back-off before the next attempt. */
  readonly backoffMs: number;
  /** How long the circuit will still refuse. */
  readonly openForMs: number;
}

export type RetryDecision =
  | { readonly retry: true; readonly waitMs: number; readonly waitReason: WaitReason; readonly lookUpFirst: boolean }
  | { readonly retry: false; readonly reason: ExhaustedReason | undefined; readonly retryAfterMs?: number };

/**
 * Retries network errors, time-outs, 429s and 5xx when the request may be repeated, an attempt is left, and the wait
 * fits into the remaining time. The wait is the back-off or what the server asks for, whichever is longer.
 */
export const decideRetry = (question: RetryQuestion): RetryDecision => {
  const { error, effect } = question;
  if (!isAttemptFailedError(error)) return { retry: false, reason: undefined };
  const mayHaveHappened = error.outcome === 'unknown';
  const lookUpFirst = mayHaveHappened && effect === 'unsafe-write';
  const wait = waitFor(error, question);
  const asked = error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs };

  if (lookUpFirst && !question.canLookUp) return { retry: false, reason: error.reason, ...asked };
  if (question.sent >= question.maximumAttempts) return { retry: false, reason: error.reason, ...asked };
  if (wait.waitMs + Math.max(shortestAttemptMs, question.minimumBudgetMs) > question.remainingMs)
    return { retry: false, reason: error.reason, ...asked };
  // Nobody waits for an attempt that will be refused.
  if (question.openForMs > wait.waitMs)
    return { retry: false, reason: 'circuit_open', retryAfterMs: question.openForMs };
  return { retry: true, ...wait, lookUpFirst };
};

const waitFor = (
  error: AttemptFailedError,
  { backoffMs }: RetryQuestion,
): { waitMs: number; waitReason: WaitReason } =>
  error.retryAfterMs === undefined
    ? { waitMs: backoffMs, waitReason: 'backoff' }
    : { waitMs: Math.max(error.retryAfterMs, backoffMs), waitReason: 'retry_after' };
