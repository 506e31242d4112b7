import type { Clock } from '../clock.ts';
import { completeError, isIntegrationError, UnexpectedResponseError } from '../errors.ts';
import type { CallEvent, Untold } from '../observability/events.ts';
import { sanitizeBody } from '../observability/sanitize-body.ts';
import { eventError } from './event-error.ts';
import { outcomeOf } from './progress.ts';
import type { HttpRequest } from './request.ts';

/**
 * Writes onto the error what is known of the whole call. An error of the application's own middleware is thrown as it is
 * as long as nothing was sent; after that it becomes the `original` of one that has the outcome.
 */
export const completeCallError = (request: HttpRequest, error: unknown, clock: Clock): unknown => {
  const { operation, effect, progress, idempotencyKey } = request;
  const outcome = outcomeOf(progress);
  if (!isIntegrationError(error) && outcome === 'not_sent') return error;
  return completeError(isIntegrationError(error) ? error : failedAfterSending(request, error), {
    operation,
    attempts: progress.attempts.length,
    elapsedMs: clock.now() - progress.startedAt,
    outcome,
    // The error promises that repeating the call with its key is safe.
    idempotencyKey: effect === 'unsafe-write' ? undefined : idempotencyKey,
  });
};

const failedAfterSending = ({ operation, progress }: HttpRequest, original: unknown): UnexpectedResponseError =>
  new UnexpectedResponseError(`${operation}: your middleware or hook failed after the request was sent`, {
    operation,
    status: progress.status,
    original,
  });

/** What the observer hears of the whole call. */
export const callEvent = (request: HttpRequest, clock: Clock, error?: unknown): Untold<CallEvent> => {
  const { operation, progress, idempotencyKey, plan, deadline } = request;
  return {
    type: 'call',
    operation,
    attempts: progress.attempts.length,
    durationMs: clock.now() - progress.startedAt,
    deadlineMs: deadline.budgetMs,
    deadlineLeftMs: deadline.remainingMs(),
    outcome: error === undefined ? 'ok' : outcomeOf(progress),
    ...(progress.status === undefined ? {} : { status: progress.status }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(request.effect === 'unsafe-write' ? { unsafe: true } : {}),
    ...(progress.isShared ? { shared: true } : {}),
    ...(request.body === undefined ? {} : { body: bodyOf(request.body) }),
    ...(plan.callId === undefined ? {} : { callId: plan.callId }),
    ...(error === undefined ? {} : { error: eventError(error) }),
  };
};

/** Longer ones are transcripts, of which only `[text]` would be left. */
const longestBody = 64 * 1024;

const bodyOf = (text: string): unknown => {
  if (text.length > longestBody) return '[cut]';
  try {
    return sanitizeBody(JSON.parse(text));
  } catch {
    // Middleware of the application may send something else.
    return '[text]';
  }
};
