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
import { unlessAborted } from '../own-signal.ts';
import { outcomeOf } from '../progress.ts';
import type { HttpRequest, Middleware } from '../request.ts';
import type { HttpResponse } from '../response.ts';
import type { RetryBudget } from '../retry-budget.ts';
import { credentialContext } from './authenticate.ts';

export interface RetryOptions {
  /** Requests sent in all. */
  readonly attempts: number;
  readonly backoff: { readonly minimumMs: number; readonly maximumMs: number };
  readonly budget: RetryBudget | undefined;
  readonly credential: Credential;
  readonly tenant: string | undefined;
  /** Hears of renewed credentials; absent when nobody listens. */
  readonly tell?: Tell | undefined;
  readonly sleep: Sleep;
  readonly random: () => number;
  /** How long the circuit will still refuse. */
  readonly openForMs: () => number;
  /** How long the rate limit lets nobody pass, since the API asked for it. */
  readonly pausedForMs: () => number;
}

/**
 * Sends again after network errors, time-outs, 429 and 5xx, as far as the write may be repeated, the retry budget
 * allows it and the deadline holds the wait; and once after a 401, if the credential source then has another
 * credential.
 */
export const retry = (options: RetryOptions): Middleware => {
  const { attempts, backoff, budget, credential, tenant, tell, sleep, random, openForMs, pausedForMs } = options;
  const succeeded = (response: HttpResponse) => {
    budget?.succeeded();
    return response;
  };

  return async (request, next) => {
    const { progress, plan, deadline, signal } = request;
    let found: HttpResponse | undefined;
    let wasRenewed = false;
    let ended: { reason: ExhaustedReason; retryAfterMs?: number } | undefined;

    const send = (attempt: number): HttpResponse | Promise<HttpResponse> =>
      found ?? next(attempt === request.attempt ? request : { ...request, attempt }).then(succeeded);

    let firstError: unknown;

    /** p-retry is told of the first attempt once that has failed, since loading it is for naught where nothing fails. */
    const sendAgain = (attempt: number): HttpResponse | Promise<HttpResponse> =>
      attempt === 1 ? Promise.reject(firstError) : send(attempt);

    const shouldRetry = async ({ error }: { error: Error }): Promise<boolean> => {
      if (signal.aborted || !isIntegrationError(error)) return false;
      if (isClientError(error) && error.status === 401 && !wasRenewed && progress.attempts.length < attempts) {
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
        backoff,
        random: random(),
        openForMs: openForMs(),
      });
      if (!decision.retry) {
        if (decision.reason) ended = { ...decision, reason: decision.reason };
        return false;
      }
      if (budget && !budget.take()) {
        ended = { reason: 'retry_budget' };
        return false;
      }
      // It waits in the line of the rate limit, before those who come later, and not beside it.
      const waitsInLine = isRateLimited(error) && pausedForMs() >= decision.waitMs - 1;
      if (!waitsInLine) {
        progress.waits.push({ reason: decision.waitReason, ms: decision.waitMs });
        await sleep(decision.waitMs, signal);
      }
      return !decision.lookUpFirst || lookUp();
    };

    const hasAnotherCredential = async (): Promise<boolean> => {
      if (!progress.credential) return false;
      const context = credentialContext(request, credential, { tenant, tell });
      try {
        return (await unlessAborted(credential.renew(progress.credential, context), signal)) !== undefined;
      } catch {
        return false;
      }
    };

    /** Whether it is now known what to do: the write was found, or it was not done and may be sent. */
    const lookUp = async (): Promise<boolean> => {
      try {
        const record = await plan.lookUp?.({ deadline, signal });
        if (record === undefined) return true;
        found = { status: 200, headers: new Map(), text: JSON.stringify(record) };
        // The last answer to this call was a failure, which the call is not.
        progress.status = undefined;
        return true;
      } catch {
        return false;
      }
    };

    try {
      return await send(1);
    } catch (error) {
      firstError = error;
    }
    // Where the files of a running process were replaced, it is not found; what the attempt did has still to be said.
    const loaded = await import('p-retry').catch(() => undefined);
    try {
      return await (loaded
        ? loaded.default(sendAgain, { retries: attempts, minTimeout: 0, shouldRetry })
        : sendAgain(1));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw isIntegrationError(error) ? conclude(request, error, ended) : error;
    }
  };
};

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
