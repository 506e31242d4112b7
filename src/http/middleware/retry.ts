import pRetry from 'p-retry';
import {
  AttemptFailedError,
  ClientError,
  type ExhaustedReason,
  IntegrationError,
  InvalidArgumentError,
  RetriesExhaustedError,
} from '../../core/errors.ts';
import type { Emitter } from '../../observability/emitter.ts';
import type { WaitReason } from '../../observability/events.ts';
import { settleWithin, sleep } from '../../core/timers.ts';
import { callLog } from '../call-log.ts';
import type { Credential } from '../credential.ts';
import { type CallEnd, conclude } from '../end-of-call.ts';
import type { RetryBudgetOptions } from '../operation.ts';
import type { Effect, HttpRequest, HttpResponse, Middleware } from '../request.ts';
import { credentialContext } from './authenticate.ts';

export interface RetryOptions {
  /** Requests sent in all. */
  readonly attempts: number;
  /** The first back-off is `minimumMs` to twice that; each next one doubles, up to `maximumMs`. */
  readonly backoff: { readonly minimumMs: number; readonly maximumMs: number };
  readonly budget: RetryBudget | undefined;
  readonly credential: Credential;
  readonly tenant: string | undefined;
  /** Emits renewed credentials; absent when nothing listens. */
  readonly emitter?: Emitter | undefined;
  /** The time for which the circuit of this operation will still refuse. */
  readonly openForMs: (operation: string) => number;
  /** The time for which the rate limiter is paused, since the API asked for it. */
  readonly pausedForMs: () => number;
}

/**
 * Retries network errors, time-outs, 429s and 5xx where the write may be repeated, the retry budget allows it and the
 * deadline holds the wait. A 401 is retried once, if the credential source then has another credential.
 */
export const retry = (options: RetryOptions): Middleware => {
  const { attempts, backoff, budget, openForMs, pausedForMs } = options;

  return async function retry(request, next) {
    const { deadline, signal } = request;
    const log = callLog(request);
    const { plan } = log;
    /** A write that may be done and has to be looked up before it is sent again, by this call or an earlier one. */
    let inDoubt = doubtOf(request);
    let wasRenewed = false;
    let wasLimited = false;
    let ended: CallEnd | undefined;

    const send = async (attempt: number): Promise<HttpResponse> => {
      if (inDoubt) {
        const found = await lookUp(request, inDoubt);
        inDoubt = undefined;
        if (found) return found;
      }
      const response = await next(attempt === 1 ? request : { ...request, attempt });
      budget?.succeeded();
      return response;
    };

    const waitAfter = async (error: Error, backoffMs: number): Promise<number | 'no-wait' | undefined> => {
      // What couldn't be looked up stays in doubt.
      if (signal.aborted || !(error instanceof IntegrationError) || inDoubt) return undefined;
      if (isRejectedCredential(error)) {
        if (wasRenewed || log.attempts.length >= attempts) return undefined;
        wasRenewed = true;
        return (await hasAnotherCredential(request, options)) ? 'no-wait' : undefined;
      }
      const decision = decideRetry({
        error,
        effect: request.effect,
        isPayment: plan.isPayment,
        canLookUp: plan.lookUp !== undefined,
        sent: log.attempts.length,
        maximumAttempts: attempts,
        remainingMs: deadline.remainingMs(),
        minimumBudgetMs: plan.minimumBudgetMs,
        backoffMs,
        openForMs: openForMs(request.operation),
      });
      if (!decision.retry) {
        if (decision.reason) ended = { ...decision, reason: decision.reason };
        return undefined;
      }
      // The API said when to come back: the first such retry of a call adds no load that it didn't ask for.
      const isFree = isRateLimited(error) && !wasLimited;
      wasLimited ||= isRateLimited(error);
      if (budget && !isFree && !budget.take()) {
        ended = { reason: 'retry_budget' };
        return undefined;
      }
      if (decision.lookUpFirst) inDoubt = error;
      // It waits in the line of the rate limit, ahead of later calls, instead of here.
      if (isRateLimited(error) && pausedForMs() >= Math.max(1, (error.retryAfterMs ?? 0) - 1)) return 'no-wait';
      log.waited({ reason: decision.waitReason, ms: decision.waitMs });
      return decision.waitMs;
    };

    const end = log.mayRetry();
    try {
      return await repeat(send, { attempts, backoff, signal, waitAfter });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error instanceof IntegrationError ? conclude(request, error, ended) : error;
    } finally {
      await end();
    }
  };
};

interface RepeatOptions extends Pick<RetryOptions, 'attempts' | 'backoff'> {
  readonly signal: AbortSignal;
  /** Returns the wait before the next attempt. `no-wait`: it isn't counted either. `undefined`: the error is final. */
  readonly waitAfter: (error: Error, backoffMs: number) => Promise<number | 'no-wait' | undefined>;
}

/**
 * Sends until an answer comes or an error is final. p-retry runs the loop, makes the back-off and waits for it. A longer
 * wait begins here.
 */
const repeat = <T>(
  send: (attempt: number) => Promise<T>,
  { attempts, backoff, signal, waitAfter }: RepeatOptions,
): Promise<T> => {
  // Ends p-retry's waits alone: aborted during an attempt, p-retry would throw the answer away.
  const waiting = new AbortController();
  const endWait = () => waiting.abort(signal.reason);
  let wait: number | 'no-wait' | undefined;

  const attempt = (count: number) => {
    signal.removeEventListener('abort', endWait);
    return send(count);
  };
  return pRetry(attempt, {
    retries: attempts,
    minTimeout: backoff.minimumMs,
    maxTimeout: backoff.maximumMs,
    randomize: true,
    signal: waiting.signal,
    shouldConsumeRetry: async ({ error, retryDelay }) => {
      wait = await waitAfter(error, retryDelay);
      return wait !== 'no-wait';
    },
    shouldRetry: async ({ retryDelay }) => {
      if (wait === undefined) return false;
      if (wait !== 'no-wait' && wait > retryDelay) await sleep(wait - retryDelay, signal);
      signal.addEventListener('abort', endWait, { once: true });
      return !signal.aborted;
    },
  });
};

/** Returns the write, if it was done; `undefined` if it wasn't and may be sent. Throws `failure` when that can't be found out. */
const lookUp = async (request: HttpRequest, failure: IntegrationError): Promise<HttpResponse | undefined> => {
  const { deadline, signal } = request;
  const log = callLog(request);
  let record: unknown;
  try {
    record = await log.plan.lookUp?.({ deadline, signal });
  } catch {
    throw failure;
  }
  if (record === undefined) return undefined;
  // The last answer to this call was a failure, which the call is not.
  log.answered(undefined);
  return { status: 200, headers: new Map(), text: JSON.stringify(record) };
};

const hasAnotherCredential = async (
  request: HttpRequest,
  { credential, tenant, emitter }: RetryOptions,
): Promise<boolean> => {
  const { credential: rejected } = callLog(request);
  if (!rejected) return false;
  const context = credentialContext(request, credential, { tenant, emitter });
  try {
    return (await settleWithin(credential.renew(rejected, context), { signal: request.signal })) !== undefined;
  } catch {
    return false;
  }
};

/** An earlier call with the same key may have done it. */
const doubtOf = (request: HttpRequest): IntegrationError | undefined => {
  const { plan, isRepetition } = callLog(request);
  if (request.effect !== 'unsafe-write' || !plan.lookUp || !isRepetition()) return undefined;
  return new RetriesExhaustedError(
    `${request.operation} was not sent again: an earlier call with the same key may have done it, and looking it up failed`,
    { operation: request.operation, reason: 'may_be_done', outcome: 'unknown' },
  );
};

const isRejectedCredential = (error: Error) => error instanceof ClientError && error.status === 401;

const isRateLimited = (error: IntegrationError) =>
  error instanceof AttemptFailedError && error.reason === 'rate_limited';

/** The least time that is worth another attempt. */
const shortestAttemptMs = 50;

/** Everything that decides whether a failed attempt is followed by another one. */
export interface RetryQuestion {
  readonly error: IntegrationError;
  readonly effect: Effect;
  readonly isPayment: boolean;
  /** A look-up can show if an unrepeatable write was done. */
  readonly canLookUp: boolean;
  /** Requests that were sent, and those that may be. */
  readonly sent: number;
  readonly maximumAttempts: number;
  readonly remainingMs: number;
  readonly minimumBudgetMs: number;
  /** The back-off before the next attempt. */
  readonly backoffMs: number;
  /** The time for which the circuit will still refuse. */
  readonly openForMs: number;
}

export type RetryDecision =
  | { readonly retry: true; readonly waitMs: number; readonly waitReason: WaitReason; readonly lookUpFirst: boolean }
  | { readonly retry: false; readonly reason: ExhaustedReason | undefined; readonly retryAfterMs: number | undefined };

/**
 * Retries network errors, time-outs, 408, 429s and 5xx if the request may be repeated. An attempt must be left, and the
 * wait must fit into the remaining time. A payment that was sent and timed out isn't sent again. The wait is the
 * back-off, or what the server asks for where that is longer.
 */
export const decideRetry = (question: RetryQuestion): RetryDecision => {
  const { error, effect } = question;
  if (!(error instanceof AttemptFailedError)) return { retry: false, reason: undefined, retryAfterMs: undefined };
  const mayHaveHappened = error.outcome === 'unknown';
  const lookUpFirst = mayHaveHappened && effect === 'unsafe-write';
  const wait = waitFor(error, question);
  const giveUp = { retry: false, reason: error.reason, retryAfterMs: error.retryAfterMs } as const;

  if (lookUpFirst && !question.canLookUp) return giveUp;
  // A bank that takes its time isn't helped by a second request.
  if (question.isPayment && mayHaveHappened && error.reason === 'timeout') return giveUp;
  if (question.sent >= question.maximumAttempts) return giveUp;
  if (wait.waitMs + Math.max(shortestAttemptMs, question.minimumBudgetMs) > question.remainingMs) return giveUp;
  // Don't wait for an attempt that will be refused.
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

/** The retries that an API is still sent, so that a dead one is not hammered by all callers at once. */
export interface RetryBudget {
  /** Takes one retry; `false` when none is left. */
  take(): boolean;
  /** A request succeeded: a part of a retry is given back. */
  succeeded(): void;
  /** Whole retries left. */
  left(): number;
}

/** A token bucket that starts full. By default 100 retries; each success gives back a fifth of one, each second one. */
export const createRetryBudget = ({
  capacity = 100,
  perSuccess = 0.2,
  perSecond = 1,
}: RetryBudgetOptions = {}): RetryBudget => {
  for (const [field, amount] of Object.entries({ capacity, perSuccess, perSecond })) {
    if (!(amount >= 0)) throw new InvalidArgumentError(`retryBudget.${field}`, 'must be a number of 0 or more');
  }
  let tokens = capacity;
  let filledAt = performance.now();

  const add = (more: number) => {
    tokens = Math.min(capacity, tokens + more);
  };

  const left = () => {
    const now = performance.now();
    add(((now - filledAt) / 1_000) * perSecond);
    filledAt = now;
    return Math.floor(tokens + roundingTokens);
  };

  return {
    take: () => {
      if (left() < 1) return false;
      tokens = Math.max(0, tokens - 1);
      return true;
    },
    succeeded: () => add(perSuccess),
    left,
  };
};

/** Ten tenths are one, also in binary. */
const roundingTokens = 1e-9;
