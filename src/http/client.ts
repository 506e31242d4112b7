import { type Clock, sleepOn, systemClock } from '../clock.ts';
import {
  completeError,
  InvalidArgumentError,
  isClientError,
  isIntegrationError,
  UnexpectedResponseError,
} from '../errors.ts';
import type { CallEvent, Untold } from '../observability/events.ts';
import { quietly } from '../observability/quietly.ts';
import { createTeller, type Tell } from '../observability/teller.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { ShapeError } from '../schema.ts';
import { createMemoryRateLimiter } from '../stores/memory-rate-limiter.ts';
import { version as packageVersion } from '../version.ts';
import { adoptTransport } from './adopt-transport.ts';
import { attemptTimeMs } from './attempt-time.ts';
import { parseBaseUrl } from './base-url.ts';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts';
import { type Classify, classifyByStatus } from './classify.ts';
import { compose } from './compose.ts';
import { assertDuration } from './duration.ts';
import { eventError } from './event-error.ts';
import { assertHeaderValue } from './headers.ts';
import { JsonError, parseJson } from './json.ts';
import { createKyTransport } from './ky-transport.ts';
import { pinVersion } from './middleware/api-version.ts';
import { limitAttemptTime } from './middleware/attempt-timeout.ts';
import { authenticate } from './middleware/authenticate.ts';
import { guardCircuit, refuseWhenOpen } from './middleware/circuit.ts';
import { holdDeadline } from './middleware/deadline.ts';
import { sendOncePerKey } from './middleware/idempotency.ts';
import { markSent } from './middleware/mark-sent.ts';
import { observeAttempts } from './middleware/observe.ts';
import { spendQuota } from './middleware/quota.ts';
import { limitRate } from './middleware/rate-limit.ts';
import { rejectFailures } from './middleware/reject-failures.ts';
import { retry } from './middleware/retry.ts';
import type { ConnectionOptions, HttpClient, HttpClientStatus, Operation, RequestOptions } from './operation.ts';
import { prepareRequest, type RequestDefaults } from './prepare-request.ts';
import { outcomeOf } from './progress.ts';
import { createQuota, type Quota } from './quota.ts';
import { readerOf } from './reader-of.ts';
import type { HttpRequest, Middleware } from './request.ts';
import type { HttpResponse } from './response.ts';
import { createRetryBudget, type RetryBudget } from './retry-budget.ts';

/** What a client of one API tells the transport core beside the user's options. */
export interface HttpClientOptions extends ConnectionOptions {
  /** `messaging`, `crm` or `billing`: the name on events. */
  readonly api: string;
  /** The pinned version. */
  readonly version: string;
  /** The header that carries the version, in the platform's spelling. */
  readonly versionHeader?: string;
  /** Stands between the base address and every path, such as `/services/data/v60.0`. */
  readonly pathPrefix?: string;
  /** How the API's dialect reads a status. @defaultValue the spec's */
  readonly classify?: Classify;
}

/**
 * Puts the stack together for one API and one tenant. Two clients share nothing but a rate limiter that both were
 * given. Throws `InvalidArgumentError` for options that cannot work.
 */
export const createHttpClient = (options: HttpClientOptions): HttpClient => {
  const { clock = systemClock } = options;
  const defaults = defaultsOf(options, clock);
  const tell = createTeller(options.onEvent, { api: options.api, tenant: options.tenant, clock });
  const parts = partsOf(options, clock, tell);
  const send = compose(
    stackOf(options, parts, clock, tell),
    options.transport
      ? adoptTransport(options.transport)
      : createKyTransport({
          maximumBodyBytes: options.maximumBodyBytes ?? 8 * 1024 * 1024,
          ...(options.fetch ? { fetch: options.fetch } : {}),
        }),
  );

  const read = <T>(operation: Operation<T>, { plan }: HttpRequest, response: HttpResponse): T => {
    const name = operation.operation;
    const callId = plan.callId === undefined ? {} : { callId: plan.callId };
    try {
      return operation.returns(response.status === 404 ? undefined : parseJson(response.text), {
        drift: (fields) => tell({ type: 'schema-drift', operation: name, fields, ...callId }),
      });
    } catch (error) {
      // The message of the application's own schema or function may repeat what it read.
      const isOurs = error instanceof ShapeError || error instanceof JsonError;
      const problem = isOurs ? error.message : 'the answer could not be read';
      throw new UnexpectedResponseError(`${name}: ${problem}`, {
        operation: name,
        status: response.status,
        requestId: response.requestId,
      });
    }
  };

  /** A payment whose caller had gone came to its end. */
  const settleLate = async <T>(
    operation: Operation<T>,
    call: RequestOptions,
    request: HttpRequest,
    end: Promise<HttpResponse>,
  ): Promise<void> => {
    const { idempotencyKey } = request;
    const base = { operation: operation.operation, idempotencyKey };
    const late = (outcome: CallEvent['outcome']) =>
      tell({
        type: 'settled-late',
        operation: operation.operation,
        outcome,
        ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        ...(call.callId === undefined ? {} : { callId: call.callId }),
      });
    try {
      const result = read(operation, request, await end);
      late('ok');
      quietly(() => call.onSettled?.({ ...base, ok: true, result }));
    } catch (error) {
      const finished = finish(request, error, clock);
      late(outcomeOf(request.progress));
      if (isIntegrationError(finished)) quietly(() => call.onSettled?.({ ...base, ok: false, error: finished }));
    }
  };

  const request = async <T>(operation: Operation<T>, call: RequestOptions = {}): Promise<T> => {
    const prepared: HttpRequest = prepareRequest(
      operation,
      call,
      defaults,
      (end) => void settleLate(operation, call, prepared, end),
    );
    try {
      const response = await send(prepared).catch((error: unknown) => {
        if (operation.absentOn404 && isClientError(error) && error.status === 404) return absent;
        throw error;
      });
      const result = read(operation, prepared, response);
      if (options.onEvent) tell(callEvent(prepared, clock));
      if (call.onResponse) {
        const { status, headers, requestId } = response;
        const { onResponse } = call;
        quietly(() => onResponse({ status, headers, ...(requestId === undefined ? {} : { requestId }) }));
      }
      return result;
    } catch (error) {
      const finished = finish(prepared, error, clock);
      if (options.onEvent) tell(callEvent(prepared, clock, finished));
      // Made on the far side of the stack; taken again here, it leads to the line that made the call.
      if (isIntegrationError(finished)) Error.captureStackTrace?.(finished, request);
      throw finished;
    }
  };

  return {
    request,
    custom: ({ returns, ...operation }, call) => request({ ...operation, returns: readerOf(returns) }, call),
    status: () => statusOf(parts),
    close: async () => {
      if (parts.ownsLimiter) await parts.limiter?.close();
    },
  };
};

/** The stateful parts of one client's stack. */
interface Parts {
  readonly breaker: CircuitBreaker | undefined;
  readonly limiter: RateLimiter | undefined;
  readonly ownsLimiter: boolean;
  readonly quota: Quota | undefined;
  readonly budget: RetryBudget | undefined;
}

const partsOf = (options: HttpClientOptions, clock: Clock, tell: Tell): Parts => {
  const { rateLimit, circuit, api } = options;
  const isLimiter = typeof rateLimit === 'object' && 'acquire' in rateLimit;
  return {
    breaker:
      circuit === false
        ? undefined
        : createCircuitBreaker({
            ...circuit,
            clock,
            onChange: (from, to) => tell({ type: 'circuit', operation: api, from, to }),
          }),
    limiter: isLimiter ? rateLimit : rateLimit ? createMemoryRateLimiter({ ...rateLimit, clock }) : undefined,
    ownsLimiter: !isLimiter,
    quota: options.quota && createQuota({ ...options.quota, clock }),
    budget: options.retryBudget === false ? undefined : createRetryBudget({ ...options.retryBudget, clock }),
  };
};

/** The order of the middleware, outermost first. Why it is this one: docs/middleware.md. */
const stackOf = (
  options: HttpClientOptions,
  { breaker, limiter, quota, budget }: Parts,
  clock: Clock,
  tell: Tell,
): readonly Middleware[] => {
  const { attempts = 3, authenticate: credential, tenant, attemptTimeoutMs, version, versionHeader } = options;
  const stack: readonly (Middleware | undefined)[] = [
    ...(options.middleware?.perRequest ?? []),
    holdDeadline({ clock }),
    sendOncePerKey(),
    // Identical reads in flight will share one answer here.
    retry({
      attempts,
      backoff: options.backoff ?? { minimumMs: 100, maximumMs: 1000 },
      budget,
      credential,
      tenant,
      sleep: options.sleep ?? sleepOn(clock),
      random: options.random ?? Math.random,
      openForMs: () => (breaker?.state() === 'open' ? breaker.retryAfterMs() : 0),
    }),
    observeAttempts({ clock, tell: options.onEvent && tell }),
    // A second attempt of a slow read will start here.
    breaker && refuseWhenOpen(breaker),
    quota && spendQuota(quota),
    limiter && limitRate({ limiter, key: tenant ?? '', clock }),
    breaker && guardCircuit(breaker),
    limitAttemptTime({ clock, timeoutMsFor: (request) => attemptTimeMs(request, { attempts, attemptTimeoutMs }) }),
    rejectFailures({ classify: options.classify ?? classifyByStatus, clock }),
    pinVersion({ version, ...(versionHeader ? { header: versionHeader.toLowerCase() } : {}) }, tell),
    authenticate(credential, tenant),
    ...(options.middleware?.perAttempt ?? []),
    markSent,
  ];
  return stack.filter((layer) => layer !== undefined);
};

const defaultsOf = (options: HttpClientOptions, clock: Clock): RequestDefaults => {
  const { attempts = 3, deadlineMs = 8000, maximumDeadlineMs = 10_000, appName } = options;
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new InvalidArgumentError('attempts', 'must be an integer of at least 1');
  if (!(deadlineMs > 0 && deadlineMs <= maximumDeadlineMs))
    throw new InvalidArgumentError('deadlineMs', `must be above 0 and at most maximumDeadlineMs, ${maximumDeadlineMs}`);
  assertDuration('attemptTimeoutMs', options.attemptTimeoutMs);
  if (options.maximumBodyBytes !== undefined && !(options.maximumBodyBytes > 0))
    throw new InvalidArgumentError('maximumBodyBytes', 'must be a number of bytes above 0');
  if (options.backoff && !isRange(options.backoff))
    throw new InvalidArgumentError('backoff', 'must go from minimumMs, 0 or more, up to maximumMs');
  if (typeof options.authenticate?.read !== 'function')
    throw new InvalidArgumentError('authenticate', "must be made by a function of 'voice-agent-integrations/auth'");
  const userAgent = `voice-agent-integrations/${packageVersion}${appName ? ` (${appName})` : ''}`;
  assertHeaderValue('appName', userAgent);
  assertHeaderValue('version', options.version);
  const { origin, pathname } = parseBaseUrl(options.baseUrl, { allowInsecure: options.allowInsecure ?? false });
  return {
    // A URL works its parts out anew each time it is asked.
    baseUrl: { origin, pathname },
    pathPrefix: options.pathPrefix ?? '',
    userAgent,
    deadlineMs,
    maximumDeadlineMs,
    idempotency: options.idempotency ?? 'key',
    clock,
  };
};

const isRange = ({ minimumMs, maximumMs }: { minimumMs: number; maximumMs: number }): boolean =>
  minimumMs >= 0 && maximumMs >= minimumMs && maximumMs < Infinity;

const absent: HttpResponse = { status: 404, headers: new Map(), text: '' };

/** Writes onto the error what is known of the whole call. */
const finish = ({ operation, effect, progress, idempotencyKey }: HttpRequest, error: unknown, clock: Clock): unknown =>
  isIntegrationError(error)
    ? completeError(error, {
        operation,
        attempts: progress.attempts.length,
        elapsedMs: clock.now() - progress.startedAt,
        outcome: outcomeOf(progress),
        // The error promises that repeating the call with its key is safe.
        idempotencyKey: effect === 'unsafe-write' ? undefined : idempotencyKey,
      })
    : error;

const callEvent = (request: HttpRequest, clock: Clock, error?: unknown): Untold<CallEvent> => {
  const { operation, progress, idempotencyKey, plan, deadline } = request;
  return {
    type: 'call',
    operation,
    attempts: progress.attempts.length,
    durationMs: clock.now() - progress.startedAt,
    deadlineMs: deadline.budgetMs,
    outcome: error === undefined ? 'ok' : outcomeOf(progress),
    ...(progress.status === undefined ? {} : { status: progress.status }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(plan.callId === undefined ? {} : { callId: plan.callId }),
    ...(error === undefined ? {} : { error: eventError(error) }),
  };
};

const statusOf = ({ breaker, limiter, quota, budget }: Parts): HttpClientStatus => ({
  circuit: breaker?.state() ?? 'off',
  circuitRetryAfterMs: breaker?.retryAfterMs() ?? 0,
  rateLimit: limiter?.state() ?? { waiting: 0, nextFreeInMs: 0, pausedForMs: 0 },
  ...(quota ? { quotaLeft: quota.left() } : {}),
  ...(budget ? { retriesLeft: budget.left() } : {}),
});
