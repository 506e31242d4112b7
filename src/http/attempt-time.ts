import type { HttpRequest } from './request.ts';

/** What is kept back of the deadline, so that the last attempt ends before it. */
const reserveMs = 20;

/**
 * The time of the coming attempt: what the caller allows, or its share of what is left, so that the attempts after
 * it fit too. An operation may claim all that is left, as a card authorisation must.
 */
export const attemptTimeMs = (
  { deadline, plan, progress }: Pick<HttpRequest, 'deadline' | 'plan' | 'progress'>,
  options: { readonly attempts: number; readonly attemptTimeoutMs?: number | undefined },
): number => {
  const leftMs = Math.max(1, deadline.remainingMs() - reserveMs);
  const attemptsLeft = Math.max(1, options.attempts - progress.attempts.length);
  const share = plan.wholeDeadline ? leftMs : leftMs / attemptsLeft;
  return Math.min(plan.attemptTimeoutMs ?? options.attemptTimeoutMs ?? share, leftMs);
};
