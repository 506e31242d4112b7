import pRetry, { type RetryContext } from 'p-retry';
import type { Sleep } from '../../clock.ts';
import {
  type ExhaustedReason,
  type IntegrationError,
  isAttemptFailedError,
  isClientError,
  isIntegrationError,
  RetriesExhaustedError,
} from '../../errors.ts';
import type { Tell } from '../../observability/teller.ts';
import type { Credential } from '../credential.ts';
import { decideRetry } from '../decide-retry.ts';
import { follow, unfollow, unlessAborted } from '../own-signal.ts';
import { outcomeOf } from '../progress.ts';
import type { HttpRequest, Middleware } from '../request.ts';
import type { HttpResponse } from '../response.ts';
import type { RetryBudget } from '../retry-budget.ts';
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
  readonly tell?: Tell | undefined;
  readonly sleep: Sleep;
  /** How long the circuit of this operation will still refuse. */
  readonly openForMs: (operation: string) => number;
  /** How long the rate limiter is paused, since the API asked for it. */
  readonly pausedForMs: () => number;
}

/**
 * Retries network errors, time-outs, 429s and 5xx, as far as the write may be repeated, the retry budget allows it and
 * the deadline holds the wait; and once after a 401, if the credential source then has another credential.
 * p-retry runs the loop and waits the back-off; `decideRetry` says whether there is another attempt.
 */
export const retry = (options: RetryOptions): Middleware => {
  const { attempts, backoff, budget, credential, tenant, tell, sleep, openForMs, pausedForMs } = options;

  return async function retry(request, next) {
    const { progress, plan, deadline, signal } = request;
    /** Ends p-retry's waits. Never aborted during an attempt: p-retry would throw the answer away. */
    const waiting = new AbortController();
    let isWaiting = false;
    const endWait = () => {
      if (isWaiting) waiting.abort(signal.reason);
    };
    /** A write that may be done and has to be looked up before it is sent again. */
    let inDoubt: IntegrationError | undefined;
    let wasRenewed = false;
    let wasLimited = false;
    let ended: { reason: ExhaustedReason; retryAfterMs?: number } | undefined;

    const send = async (attempt: number): Promise<HttpResponse> => {
      isWaiting = false;
      const found = inDoubt && (await lookUp(inDoubt));
      if (found) return found;
      const response = await next(attempt === 1 ? request : { ...request, attempt });
      budget?.succeeded();
      return response;
    };

    const shouldRetry = async ({ error, retryDelay }: RetryContext): Promise<boolean> => {
      // What couldn't be looked up stays in doubt.
      if (signal.aborted || !isIntegrationError(error) || inDoubt) return false;
      if (isRejectedCredential(error)) {
        if (wasRenewed || progress.attempts.length >= attempts) return false;
        wasRenewed = true;
        return hasAnotherCredential();
      }
      const decision = decideRetry({
        error,
        effect: request.effect,
        canLookUp: plan.lookUp !== undefined,
        sent: progress.attempts.length,
        maximumAttempts: attempts,
        remainingMs: deadline.remainingMs(),
        minimumBudgetMs: plan.minimumBudgetMs,
        backoffMs: retryDelay,
        openForMs: openForMs(request.operation),
      });
      if (!decision.retry) {
        if (decision.reason) ended = { ...decision, reason: decision.reason };
        return false;
      }
      // The API said when to come back: the first such retry of a call adds no load that it didn't ask for.
      const isFree = isRateLimited(error) && !wasLimited;
      wasLimited ||= isRateLimited(error);
      if (budget && !isFree && !budget.take()) {
        ended = { reason: 'retry_budget' };
        return false;
      }
      if (decision.lookUpFirst) inDoubt = error;
      if (waitsInLine(error)) return true;
      progress.waits.push({ reason: decision.waitReason, ms: decision.waitMs });
      isWaiting = true;
      const longerMs = decision.waitMs - retryDelay;
      if (longerMs > 0) await sleep(longerMs, signal);
      return !signal.aborted;
    };

    /** It waits in the line of the rate limit, before those who come later, and not beside it. */
    const waitsInLine = (error: Error): boolean =>
      isIntegrationError(error) && isRateLimited(error) && pausedForMs() >= Math.max(1, (error.retryAfterMs ?? 0) - 1);

    const hasAnotherCredential = async (): Promise<boolean> => {
      if (!progress.credential) return false;
      const context = credentialContext(request, credential, { tenant, tell });
      try {
        return (await unlessAborted(credential.renew(progress.credential, context), signal)) !== undefined;
      } catch {
        return false;
      }
    };

    /** The write, if it was done; `undefined` if it wasn't and may be sent. Throws `failure` when that can't be found out. */
    const lookUp = async (failure: IntegrationError): Promise<HttpResponse | undefined> => {
      let record: unknown;
      try {
        record = await plan.lookUp?.({ deadline, signal });
      } catch {
        throw failure;
      }
      inDoubt = undefined;
      if (record === undefined) return undefined;
      // The last answer to this call was a failure, which the call is not.
      progress.status = undefined;
      return { status: 200, headers: new Map(), text: JSON.stringify(record) };
    };

    follow(signal, endWait);
    try {
      return await pRetry(send, {
        retries: attempts,
        minTimeout: backoff.minimumMs,
        maxTimeout: backoff.maximumMs,
        randomize: true,
        signal: waiting.signal,
        // Without a back-off of p-retry's, and not counted by it: `decideRetry` counts attempts.
        shouldConsumeRetry: ({ error }) => !isRejectedCredential(error) && !waitsInLine(error),
        shouldRetry,
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw isIntegrationError(error) ? conclude(request, error, ended) : error;
    } finally {
      unfollow(signal, endWait);
    }
  };
};

const isRejectedCredential = (error: Error) => isClientError(error) && error.status === 401;

const isRateLimited = (error: IntegrationError) => isAttemptFailedError(error) && error.reason === 'rate_limited';

/** Why the call ends without an answer although something was sent, for errors that by themselves mean "not sent". */
const refusals: Readonly<Record<string, ExhaustedReason>> = {
  circuit_open: 'circuit_open',
  rate_limited: 'rate_limit_wait',
  quota_exceeded: 'quota',
  authentication_failed: 'authentication',
  deadline_exceeded: 'deadline',
};

const conclude = (
  request: HttpRequest,
  error: IntegrationError,
  ended: { reason: ExhaustedReason; retryAfterMs?: number } | undefined,
): IntegrationError => {
  const { operation, progress } = request;
  const sent = progress.attempts.length;
  const reason = isAttemptFailedError(error) ? (ended?.reason ?? error.reason) : sent > 0 && refusals[error.code];
  if (!reason) return error;
  const retryAfterMs = ended?.retryAfterMs ?? error.retryAfterMs;
  const outcome = outcomeOf(progress);
  return new RetriesExhaustedError(
    `${operation} had no answer after ${sent} ${sent === 1 ? 'attempt' : 'attempts'}: ${words[reason]}${detailOf(error, reason)}${
      outcome === 'unknown' && request.effect !== 'read' ? '; whether it was done is not known' : ''
    }`,
    {
      operation,
      reason,
      outcome,
      retryAfterMs,
      requestId: error.requestId,
      codes: error.codes,
      cause: isAttemptFailedError(error) ? error : (progress.lastFailure ?? error),
    },
  );
};

/** What a reader of the log looks for first. */
const detailOf = (error: IntegrationError, reason: ExhaustedReason): string => {
  if (!isAttemptFailedError(error) || (reason !== 'network' && reason !== 'server_error')) return '';
  const detail = error.networkCode ?? error.status;
  return detail === undefined ? '' : ` (${detail})`;
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
  authentication: 'no credential could be had for another attempt',
};
