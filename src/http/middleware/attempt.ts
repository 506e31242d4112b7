import { AttemptFailedError, AuthenticationError, DeadlineExceededError, IntegrationError } from '../../core/errors.ts';
import { type Emitter, within } from '../../observability/emitter.ts';
import type { AttemptEvent, EventInput } from '../../observability/events.ts';
import { settleWithin } from '../../core/timers.ts';
import { type AttemptLog, attemptLog, callLog, withLog } from '../call-log.ts';
import { eventError } from '../end-of-call.ts';
import type { HttpRequest, HttpResponse, Middleware } from '../request.ts';

/** Starts the log of an attempt, and emits how it ended and what it waited for. */
export const observeAttempts = ({ emitter }: { emitter: Emitter }): Middleware =>
  async function observeAttempts(request, next) {
    const startedAt = performance.now();
    const { operation, attempt, method, url } = request;
    const span = emitter.startSpan({ type: 'attempt', operation, attempt, method, url });
    const log = callLog(request).attemptStarted(span);
    const end = (response?: HttpResponse, error?: unknown) => {
      if (span || emitter.hasListeners())
        emitter.emit(attemptEvent(request, performance.now() - startedAt, log, response, error), span);
    };
    try {
      const response = await within(span, () => next(withLog(request, log)));
      log.succeeded();
      end(response);
      return response;
    } catch (error) {
      log.failed(error);
      end(undefined, error);
      throw error;
    }
  };

const attemptEvent = (
  { operation, attempt, callId }: HttpRequest,
  durationMs: number,
  { waits }: AttemptLog,
  response: HttpResponse | undefined,
  error: unknown,
): EventInput<AttemptEvent> => {
  const failure = error instanceof IntegrationError ? error : undefined;
  const status = response?.status ?? (failure && 'status' in failure ? failure.status : undefined);
  const requestId = response?.requestId ?? failure?.requestId;
  return {
    type: 'attempt',
    operation,
    attempt,
    durationMs,
    waits: waits.slice(),
    callId,
    status: typeof status === 'number' ? status : undefined,
    requestId,
    error: error === undefined ? undefined : eventError(error),
  };
};

/**
 * Ends an attempt that takes too long, from its first step to the last byte of the body. The layers below needn't
 * listen to their signal. An attempt may use what is left of the deadline, up to `attemptTimeoutMs`. Its time begins
 * when it has left the line for a socket of our own; until then, only the deadline ends it.
 *
 * Throws `AttemptFailedError` with the reason `timeout`: what the attempt did is unknown, unless the transport knows that
 * it wasn't even connected. When the transport was never reached, the error names what hung: the credential source
 * (`AuthenticationError`) or a middleware of yours (`DeadlineExceededError`).
 */
export const limitAttemptTime = ({ attemptTimeoutMs }: { attemptTimeoutMs: number | undefined }): Middleware =>
  async function limitAttemptTime(request, next) {
    const startedAt = performance.now();
    const timeoutMs = attemptTimeMs(request, attemptTimeoutMs);
    const log = attemptLog(request);
    log.limitedTo(timeoutMs);
    const moreMs = () => {
      const { isInLine, leftLineAt = startedAt } = log;
      const ownMs = isInLine ? timeoutMs : leftLineAt + timeoutMs - performance.now();
      return Math.min(ownMs, request.deadline.remainingMs() - reserveMs);
    };
    return await settleWithin((signal) => next({ ...request, signal }), {
      signal: request.signal,
      deadline: timeoutMs,
      moreMs,
      late: () => timedOut(request, log.stage === 'queued' ? performance.now() - startedAt : timeoutMs),
    });
  };

const defaultAttemptTimeoutMs = 5_000;

/** The time that is kept back of the deadline, so that the last attempt ends before it. */
const reserveMs = 20;

/** An operation may claim all that is left, as a card authorisation must. */
const attemptTimeMs = (request: HttpRequest, clientTimeoutMs: number | undefined): number => {
  const { plan } = callLog(request);
  const leftMs = Math.max(1, request.deadline.remainingMs() - reserveMs);
  const usualMs = plan.wholeDeadline ? leftMs : defaultAttemptTimeoutMs;
  return Math.min(plan.attemptTimeoutMs ?? clientTimeoutMs ?? usualMs, leftMs);
};

const timedOut = (request: HttpRequest, timeoutMs: number): IntegrationError => {
  const { operation, attempt } = request;
  const { stage } = attemptLog(request);
  const within = `within ${Math.round(timeoutMs)} ms`;
  if (stage === 'new')
    return new AuthenticationError(`${operation} was not sent: its credential source did not answer in time`, {
      operation,
    });
  if (stage === 'signed')
    return new DeadlineExceededError(
      `${operation} was not sent: a perAttempt middleware of yours didn't go on ${within}`,
      { operation },
    );
  const what = stage === 'queued' ? 'free socket' : stage === 'unsent' ? 'connection' : 'complete answer';
  const advice = stage === 'queued' ? '; raise maximumSocketsPerOrigin or send fewer requests at once' : '';
  return new AttemptFailedError(`${operation}: attempt ${attempt} had no ${what} ${within}${advice}`, {
    operation,
    reason: 'timeout',
    outcome: stage === 'sent' ? 'unknown' : 'not_sent',
  });
};

/** Lets the other side go on with the trace of this attempt. A header that the application set itself is left alone. */
export const propagateTrace: Middleware = async function propagateTrace(request, next) {
  const { span } = attemptLog(request);
  if (!span) return await next(request);
  return await span.send((trace) => next({ ...request, headers: { ...trace, ...request.headers } }));
};

/** Innermost: from here on a byte may have left. The last place where time and the caller's wish are checked. */
export const markSent: Middleware = async function markSent(request, next) {
  const { operation, deadline, signal } = request;
  const log = attemptLog(request);
  signal.throwIfAborted();
  const remainingMs = deadline.remainingMs();
  if (remainingMs <= 0 || remainingMs < log.call.plan.minimumBudgetMs)
    throw new DeadlineExceededError(`${operation} was not sent: too little time was left for it`, { operation });
  log.handedOver();
  return await next(request);
};
