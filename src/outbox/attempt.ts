import type { Clock } from '../clock.ts';
import {
  isAttemptFailedError,
  isAuthenticationError,
  isCircuitOpenError,
  isClientError,
  isDeadlineExceededError,
  isIntegrationError,
  isRateLimitedError,
} from '../errors.ts';
import { compose } from '../http/compose.ts';
import { deadlineIn } from '../http/deadline.ts';
import { limitAttemptTime } from '../http/middleware/attempt-timeout.ts';
import { authenticate, credentialContext } from '../http/middleware/authenticate.ts';
import { createCircuits, guardCircuit, refuseWhenOpen } from '../http/middleware/circuit.ts';
import { holdDeadline } from '../http/middleware/deadline.ts';
import { markSent } from '../http/middleware/mark-sent.ts';
import { observeAttempts } from '../http/middleware/observe.ts';
import { propagateTrace } from '../http/middleware/propagate-trace.ts';
import { limitRate } from '../http/middleware/rate-limit.ts';
import { rejectFailures } from '../http/middleware/reject-failures.ts';
import { startProgress, startSending } from '../http/progress.ts';
import type { HttpRequest, Middleware, Transport } from '../http/request.ts';
import type { Tell } from '../observability/teller.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../stores/memory-rate-limiter.ts';
import { version as packageVersion } from '../version.ts';
import type { Attempted } from './decide.ts';
import { type Destination, urlFor } from './destination.ts';
import type { OutboxMessage } from './message.ts';
import { signDelivery } from './sign-delivery.ts';

/** Delivers to one destination. */
export interface Attempts {
  /** Sends a message once. Rejects only when the signal aborts. */
  send(message: OutboxMessage, signal: AbortSignal): Promise<Attempted>;
  close(): Promise<void>;
}

/** An attempt waits for a place under the rate limit for so long, and is put off when that is not enough. */
export const longestQueueingMs = 2_000;

export const defaultAttemptTimeoutMs = 10_000;

/** From the lease of a message to the end of its attempt. */
export const longestAttemptMs = ({ attemptTimeoutMs = defaultAttemptTimeoutMs, rateLimit }: Destination): number =>
  attemptTimeoutMs + (rateLimit === undefined ? 0 : longestQueueingMs);

/** How long until somebody asks again for a credential that could not be had. */
const credentialDelayMs = 30_000;

/** The transport core around one request, with the destination's own breaker and rate limit. */
export const createAttempts = (
  destination: Destination,
  { transport, clock, tell }: { transport: Transport; clock: Clock; tell: Tell },
): Attempts => {
  const { name, circuit, rateLimit, attemptTimeoutMs = defaultAttemptTimeoutMs, method = 'POST' } = destination;
  const operation = `outbox.${name}`;
  const circuits =
    circuit === false
      ? undefined
      : createCircuits({
          ...circuit,
          clock,
          onChange: (_group, from, to) => tell({ type: 'circuit', operation, from, to }),
        });
  const ownsLimiter = rateLimit !== undefined && !('acquire' in rateLimit);
  const limiter: RateLimiter | undefined = ownsLimiter ? createMemoryRateLimiter({ ...rateLimit, clock }) : rateLimit;

  const stack: readonly (Middleware | undefined)[] = [
    holdDeadline({ clock }),
    circuits && refuseWhenOpen(circuits),
    limiter && queueBriefly(limitRate({ limiter, key: name, clock, tell }), attemptTimeoutMs),
    circuits && guardCircuit(circuits, clock),
    // The delivery is told by the worker.
    observeAttempts({ clock, tell: tell.toTracers }),
    limitAttemptTime({ clock, attemptTimeoutMs }),
    rejectFailures({ clock, dialect: destination.dialect }),
    destination.authenticate && authenticate(destination.authenticate, { tell }),
    destination.signing && signDelivery(destination.signing, { clock, tell }),
    propagateTrace,
    markSent,
  ];
  const send = compose(
    stack.filter((layer) => layer !== undefined),
    transport,
  );

  const requestFor = (message: OutboxMessage, signal: AbortSignal): HttpRequest => {
    const { version, body, idempotencyKey } = message;
    const isGet = method === 'GET';
    const url = urlFor(destination, version);
    return {
      operation,
      effect: isGet ? 'read' : 'keyed-write',
      method,
      url: isGet && body !== '' ? `${url}${url.includes('?') ? '&' : '?'}${body}` : url,
      headers: {
        accept: '*/*',
        'user-agent': `voice-agent-integrations/${packageVersion}`,
        'idempotency-key': idempotencyKey,
        ...(isGet ? {} : { 'content-type': 'application/json' }),
        ...(destination.versionHeader === undefined
          ? {}
          : { [destination.versionHeader.toLowerCase()]: String(version) }),
        ...lowerCased(destination.headers ?? {}),
      },
      ...(isGet ? {} : { body }),
      deadline: deadlineIn(longestQueueingMs + attemptTimeoutMs, { clock }),
      signal,
      attempt: 1,
      idempotencyKey,
      plan: { lane: 'background', wholeDeadline: true, minimumBudgetMs: 0 },
      progress: startProgress(clock.now()),
      sending: startSending(),
    };
  };

  return {
    send: async (message, signal) => {
      const request = requestFor(message, signal);
      try {
        const { status } = await send(request);
        return { type: 'delivered', status };
      } catch (error) {
        signal.throwIfAborted();
        const isRenewed =
          isClientError(error) && error.status === 401 && (await renewCredential(destination, request, tell));
        return isRenewed ? { type: 'failed', reason: 'unauthorized', status: 401 } : attemptedOf(error);
      }
    },
    close: async () => {
      if (ownsLimiter) await limiter?.close();
    },
  };
};

/** A token may have come to its end: with another one, the next attempt may be let in. */
const renewCredential = async (
  { authenticate: credential }: Destination,
  request: HttpRequest,
  tell: Tell,
): Promise<boolean> => {
  const rejected = request.progress.credential;
  if (!credential || !rejected) return false;
  try {
    return (await credential.renew(rejected, credentialContext(request, credential, { tell }))) !== undefined;
  } catch {
    return false;
  }
};

/** Lets the limiter wait only as long as the attempt keeps its whole time. */
const queueBriefly =
  (limit: Middleware, attemptTimeoutMs: number): Middleware =>
  ({ plan, ...request }, next) =>
    limit({ ...request, plan: { ...plan, minimumBudgetMs: attemptTimeoutMs } }, (inner) => next({ ...inner, plan }));

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]));

/** What an error of the stack says about the attempt. */
export const attemptedOf = (error: unknown): Attempted => {
  if (isClientError(error)) return { type: 'refused', status: error.status };
  if (isCircuitOpenError(error)) return postponed('circuit_open', error.retryAfterMs);
  if (isRateLimitedError(error)) return postponed('rate_limit', error.retryAfterMs);
  if (isDeadlineExceededError(error)) return postponed('no_time', undefined);
  if (isAuthenticationError(error)) return postponed('no_credential', credentialDelayMs);
  if (isAttemptFailedError(error)) {
    const { reason, networkCode, status, retryAfterMs } = error;
    return {
      type: 'failed',
      reason: networkCode ?? reason,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
  }
  const status = isIntegrationError(error) && 'status' in error ? error.status : undefined;
  const reason = isIntegrationError(error) ? error.code : 'internal_error';
  return { type: 'failed', reason, ...(typeof status === 'number' ? { status } : {}) };
};

const postponed = (reason: string, retryAfterMs = 1_000): Attempted => ({ type: 'postponed', reason, retryAfterMs });
