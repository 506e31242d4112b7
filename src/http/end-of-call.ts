import {
  AttemptFailedError,
  AuthenticationError,
  ClientError,
  type ExhaustedReason,
  IntegrationError,
  RetriesExhaustedError,
  UnexpectedResponseError,
  completeError,
  markRead,
} from '../core/errors.ts';
import type { CallEvent, EventError, EventInput } from '../observability/events.ts';
import { thrownAt } from '../observability/thrown-at.ts';
import { sanitizeBody } from '../observability/redaction/sanitize-body.ts';
import { callLog } from './call-log.ts';
import { addressAdvice } from './network-failure.ts';
import type { HttpRequest } from './request.ts';

/**
 * Writes onto the error what is known of the whole call. An error of the application's own middleware is thrown as it
 * is if nothing was sent. Otherwise it becomes the `original` of an error that has the outcome.
 */
export const completeCallError = (request: HttpRequest, error: unknown): unknown => {
  const { operation, effect, idempotencyKey } = request;
  const log = callLog(request);
  const outcome = log.outcome();
  if (!(error instanceof IntegrationError) && outcome === 'not_sent') return error;
  const completed = completeError(error instanceof IntegrationError ? error : failedAfterSending(request, error), {
    operation,
    attempts: log.attempts.length,
    elapsedMs: performance.now() - log.startedAt,
    outcome,
    // The error promises that repeating the call with its key is safe.
    idempotencyKey: effect === 'unsafe-write' ? undefined : idempotencyKey,
  });
  return markRead(completed, effect === 'read');
};

const failedAfterSending = (request: HttpRequest, original: unknown): UnexpectedResponseError =>
  new UnexpectedResponseError(
    `${request.operation}: your middleware or hook failed after the request was sent: ${thrownAt(original)}`,
    {
      operation: request.operation,
      status: callLog(request).status,
      original,
    },
  );

/** The reason why the retries ended. */
export interface CallEnd {
  readonly reason: ExhaustedReason;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Returns the reason why the call ends without an answer although something was sent, for errors that by themselves
 * mean "not sent".
 */
const refusals: Readonly<Record<string, ExhaustedReason>> = {
  circuit_open: 'circuit_open',
  rate_limited: 'rate_limit_wait',
  quota_exceeded: 'quota',
  authentication_failed: 'authentication',
  deadline_exceeded: 'deadline',
};

/** Returns the error of a call without an answer. An error that already says so stays as it is. */
export const conclude = (
  request: HttpRequest,
  error: IntegrationError,
  ended: CallEnd | undefined,
): IntegrationError => {
  const { operation } = request;
  const log = callLog(request);
  const sent = log.attempts.length;
  const outcome = log.outcome();
  const reason =
    error instanceof AttemptFailedError ? (ended?.reason ?? error.reason) : sent > 0 && refusals[error.code];
  if (!reason) return error;
  const retryAfterMs = ended?.retryAfterMs ?? error.retryAfterMs;
  return new RetriesExhaustedError(
    `${operation} had no answer after ${sent} ${sent === 1 ? 'attempt' : 'attempts'}: ${words[reason]}${detailOf(operation, error, reason)}${
      outcome === 'unknown' && request.effect !== 'read' ? '; whether it was done is not known' : ''
    }`,
    {
      operation,
      reason,
      outcome,
      retryAfterMs,
      requestId: error.requestId,
      codes: error.codes,
      cause: error instanceof AttemptFailedError ? error : (log.lastFailure ?? error),
    },
  );
};

/** The facts that a reader of the log looks for first. */
const detailOf = (operation: string, error: IntegrationError, reason: ExhaustedReason): string => {
  if (!(error instanceof AttemptFailedError) || (reason !== 'network' && reason !== 'server_error')) return '';
  const detail = error.networkCode ?? error.status;
  return detail === undefined ? '' : ` (${detail})${addressAdvice(operation, error.networkCode)}`;
};

const words: Readonly<Record<ExhaustedReason, string>> = {
  network: 'the network failed',
  timeout: 'it took too long',
  rate_limited: 'the API says that there are too many requests, and no attempt or no time is left',
  server_error: 'the API failed',
  deadline: 'its time was over',
  may_be_done: 'an earlier call with the same key may have done it',
  retry_budget: 'too many requests to this API fail to send more of them again',
  circuit_open: 'the circuit opened before it could be sent again',
  rate_limit_wait: 'the wait at the rate limit did not fit into its time',
  quota: 'the quota of this period is spent',
  authentication: 'its source gave no credential for another attempt',
};

/** The event of the whole call. */
export const callEvent = (request: HttpRequest, error?: unknown): EventInput<CallEvent> => {
  const { operation, idempotencyKey, callId, deadline } = request;
  const log = callLog(request);
  const { attempts, startedAt, status } = log;
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
    unsafe: request.effect === 'unsafe-write' ? true : undefined,
    body: request.body === undefined ? sanitizeBody(request.json) : '[text]',
    callId,
    error: error === undefined ? undefined : eventError(error),
  };
};

/** Returns what an event may say of an error: codes and a status, no text. */
export const eventError = (error: unknown): EventError => {
  if (!(error instanceof IntegrationError)) return { code: 'internal_error' };
  return { ...described(error), codes: error.codes };
};

const described = (error: IntegrationError): EventError => {
  if (error instanceof ClientError) return { code: error.code, status: error.status };
  if (error instanceof RetriesExhaustedError) return { code: error.code, reason: error.reason };
  if (error instanceof AuthenticationError && error.reason !== undefined)
    return { code: error.code, reason: error.reason };
  if (!(error instanceof AttemptFailedError)) return { code: error.code };
  const { code, reason, status, networkCode } = error;
  return { code, reason, status, networkCode };
};
