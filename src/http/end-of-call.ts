import {
  AttemptFailedError,
  AuthenticationError,
  ClientError,
  IntegrationError,
  RetriesExhaustedError,
  UnexpectedResponseError,
  completeError,
} from '../errors.ts';
import type { CallEvent, EventError, EventInput } from '../observability/events.ts';
import { sanitizeBody } from '../observability/sanitize-body.ts';
import { callLog } from './call-log.ts';
import type { HttpRequest } from './request.ts';

/**
 * Writes onto the error what is known of the whole call. An error of the application's own middleware is thrown as it is
 * as long as nothing was sent; after that it becomes the `original` of one that has the outcome.
 */
export const completeCallError = (request: HttpRequest, error: unknown): unknown => {
  const { operation, effect, idempotencyKey } = request;
  const log = callLog(request);
  const outcome = log.outcome();
  if (!(error instanceof IntegrationError) && outcome === 'not_sent') return error;
  return completeError(error instanceof IntegrationError ? error : failedAfterSending(request, error), {
    operation,
    attempts: log.attempts.length,
    elapsedMs: performance.now() - log.startedAt,
    outcome,
    // The error promises that repeating the call with its key is safe.
    idempotencyKey: effect === 'unsafe-write' ? undefined : idempotencyKey,
  });
};

const failedAfterSending = (request: HttpRequest, original: unknown): UnexpectedResponseError =>
  new UnexpectedResponseError(`${request.operation}: your middleware or hook failed after the request was sent`, {
    operation: request.operation,
    status: callLog(request).status,
    original,
  });

/** The event of the whole call. */
export const callEvent = (request: HttpRequest, error?: unknown): EventInput<CallEvent> => {
  const { operation, idempotencyKey, callId, deadline } = request;
  const log = callLog(request);
  const { attempts, startedAt, status, isShared } = log;
  return {
    type: 'call',
    operation,
    attempts: attempts.length,
    durationMs: performance.now() - startedAt,
    deadlineMs: deadline.budgetMs,
    deadlineLeftMs: deadline.remainingMs(),
    outcome: error === undefined ? 'ok' : log.outcome(),
    status,
    idempotencyKey,
    ...(request.effect === 'unsafe-write' ? { unsafe: true } : {}),
    ...(isShared ? { shared: true } : {}),
    body: request.body === undefined ? sanitizeBody(request.json) : '[text]',
    callId,
    error: error === undefined ? undefined : eventError(error),
  };
};

/** What an event may say of an error: codes and a status, no text. */
export const eventError = (error: unknown): EventError => {
  if (!(error instanceof IntegrationError)) return { code: 'internal_error' };
  return { ...described(error), ...(error.codes ? { codes: error.codes } : {}) };
};

const described = (error: IntegrationError): EventError => {
  if (error instanceof ClientError) return { code: error.code, status: error.status };
  if (error instanceof RetriesExhaustedError) return { code: error.code, reason: error.reason };
  if (error instanceof AuthenticationError && error.reason !== undefined)
    return { code: error.code, reason: error.reason };
  if (!(error instanceof AttemptFailedError)) return { code: error.code };
  return {
    code: error.code,
    reason: error.reason,
    status: error.status,
    networkCode: error.networkCode,
  };
};
