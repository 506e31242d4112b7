import { hash } from 'node:crypto';
import {
  AttemptFailedError,
  AuthenticationError,
  CircuitOpenError,
  ClientError,
  DeadlineExceededError,
  IntegrationError,
  RateLimitedError,
} from '../core/errors.ts';
import { callLog, createCallLog, withLog } from '../http/call-log.ts';
import { deadlineIn, holdDeadline } from '../http/deadline.ts';
import { limitAttemptTime, markSent, observeAttempts, propagateTrace } from '../http/middleware/attempt.ts';
import { authenticate, credentialContext } from '../http/middleware/authenticate.ts';
import { createCircuits, guardCircuit, refuseWhenOpen } from '../http/middleware/circuit.ts';
import { limitRate } from '../http/middleware/rate-limit.ts';
import { rejectFailures } from '../http/middleware/reject-failures.ts';
import { compose, type HttpRequest, type Middleware, type Transport } from '../http/request.ts';
import type { Emitter } from '../observability/emitter.ts';
import type { RateLimiter } from '../stores/ports/rate-limiter.ts';
import { createMemoryRateLimiter } from '../stores/memory-rate-limiter.ts';
import { version as packageVersion } from '../core/version.ts';
import type { Attempted } from './decide.ts';
import { type Destination, type Signing, urlFor } from './destination.ts';
import type { OutboxMessage } from './message.ts';
import { readSecrets } from '../core/secret.ts';
import { type SignatureScheme, xSignature } from '../signature/scheme.ts';
import { isDeliveryId, signBytes } from '../signature/sign.ts';

/** Delivers to one destination. */
export interface Attempts {
  /** Sends a message once. Rejects only when the signal aborts. */
  send(message: OutboxMessage, signal: AbortSignal): Promise<Attempted>;
  close(): Promise<void>;
}

/** The longest wait for the rate limit, after which an attempt is put off. */
export const longestQueueingMs = 2_000;

export const defaultAttemptTimeoutMs = 10_000;

/** From the lease of a message to the end of its attempt. */
export const longestAttemptMs = ({ attemptTimeoutMs = defaultAttemptTimeoutMs, rateLimit }: Destination): number =>
  attemptTimeoutMs + (rateLimit === undefined ? 0 : longestQueueingMs);

/** The wait before a missing credential is asked for again. */
const credentialDelayMs = 30_000;

/** The transport core around one request, with the destination's own breaker and rate limit. */
export const createAttempts = (
  destination: Destination,
  { transport, emitter }: { transport: Transport; emitter: Emitter },
): Attempts => {
  const { name, circuit, rateLimit, attemptTimeoutMs = defaultAttemptTimeoutMs, method = 'POST' } = destination;
  const operation = `outbox.${name}`;
  const circuits =
    circuit === false
      ? undefined
      : createCircuits({
          ...circuit,
          onChange: (_group, from, to) => emitter.emit({ type: 'circuit', operation, from, to }),
        });
  const ownsLimiter = rateLimit !== undefined && !('acquire' in rateLimit);
  const limiter: RateLimiter | undefined = ownsLimiter ? createMemoryRateLimiter({ ...rateLimit }) : rateLimit;

  const stack: readonly (Middleware | undefined)[] = [
    holdDeadline(),
    circuits && refuseWhenOpen(circuits),
    limiter && limitRate({ limiter, key: name, emitter, reserveMs: attemptTimeoutMs }),
    // Listeners get one event per delivery; its attempts are spans only.
    observeAttempts({ emitter: { ...emitter, emit: emitter.endSpan, hasListeners: () => false } }),
    // Below the start of the attempt's log, which knows what it waited for.
    circuits && guardCircuit(circuits),
    limitAttemptTime({ attemptTimeoutMs }),
    rejectFailures({ dialect: destination.dialect }),
    destination.authenticate && authenticate(destination.authenticate, { emitter }),
    destination.signing && signDelivery(destination.signing, { emitter }),
    propagateTrace,
    markSent,
  ];
  const send = compose(
    stack.filter((layer) => layer !== undefined),
    transport,
  );

  const headersFor = ({ version, idempotencyKey }: OutboxMessage): Record<string, string> => {
    const headers: Record<string, string> = {
      accept: '*/*',
      'user-agent': `voice-agent-integrations/${packageVersion}`,
      'idempotency-key': idempotencyKey,
    };
    if (method !== 'GET') headers['content-type'] = 'application/json';
    const { versionHeader } = destination;
    if (versionHeader !== undefined) headers[versionHeader.toLowerCase()] = String(version);
    return { ...headers, ...lowerCased(destination.headers ?? {}) };
  };

  const requestFor = (message: OutboxMessage, signal: AbortSignal): HttpRequest => {
    const { version, body, idempotencyKey } = message;
    const isGet = method === 'GET';
    const url = urlFor(destination, version);
    const request: HttpRequest = {
      operation,
      effect: isGet ? 'read' : 'keyed-write',
      method,
      url: isGet && body !== '' ? `${url}${url.includes('?') ? '&' : '?'}${body}` : url,
      headers: headersFor(message),
      body: isGet ? undefined : body,
      deadline: deadlineIn(longestQueueingMs + attemptTimeoutMs),
      signal,
      attempt: 1,
      idempotencyKey,
    };
    return withLog(request, createCallLog({ lane: 'background', wholeDeadline: true }).attemptStarted());
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
          error instanceof ClientError &&
          error.status === 401 &&
          (await renewCredential(destination, request, emitter));
        return isRenewed ? { type: 'failed', reason: 'unauthorized', status: 401 } : attemptedOf(error);
      }
    },
    close: async () => {
      circuits?.shutdown();
      if (ownsLimiter) await limiter?.close();
    },
  };
};

/** A token may have come to its end: with another one, the next attempt may be let in. */
const renewCredential = async (
  { authenticate: credential }: Destination,
  request: HttpRequest,
  emitter: Emitter,
): Promise<boolean> => {
  const rejected = callLog(request).credential;
  if (!credential || !rejected) return false;
  try {
    return (await credential.renew(rejected, credentialContext(request, credential, { emitter }))) !== undefined;
  } catch {
    return false;
  }
};

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]));

/** Reads the end of an attempt from an error of the stack. */
export const attemptedOf = (error: unknown): Attempted => {
  if (error instanceof ClientError) return { type: 'refused', status: error.status };
  if (error instanceof CircuitOpenError) return postponed('circuit_open', error.retryAfterMs);
  if (error instanceof RateLimitedError) return postponed('rate_limit', error.retryAfterMs);
  if (error instanceof DeadlineExceededError) return postponed('no_time', undefined);
  if (error instanceof AuthenticationError) return { ...postponed('no_credential', credentialDelayMs), error };
  if (error instanceof AttemptFailedError) {
    const { reason, networkCode, status, retryAfterMs } = error;
    return { type: 'failed', reason: networkCode ?? reason, status, retryAfterMs };
  }
  const status = error instanceof IntegrationError && 'status' in error ? error.status : undefined;
  const reason = error instanceof IntegrationError ? error.code : 'internal_error';
  return { type: 'failed', reason, status: typeof status === 'number' ? status : undefined };
};

const postponed = (reason: string, retryAfterMs = 1_000) =>
  ({ type: 'postponed', reason, retryAfterMs }) as const satisfies Attempted;

/** Signs the bytes of each attempt with the secrets of that moment. Throws `AuthenticationError` without any. */
export const signDelivery = (
  { secrets, scheme = xSignature }: Signing,
  { emitter }: { readonly emitter?: Emitter | undefined },
): Middleware => {
  const schemes: readonly SignatureScheme[] = 'header' in scheme ? [scheme] : scheme;
  return async function signDelivery(request, next) {
    const { operation, body = '', idempotencyKey = '' } = request;
    const id = deliveryId(idempotencyKey);
    const headers = await readHeaders(async () => {
      const current = await readSecrets('signing.secrets', secrets);
      emitter?.hide(current);
      return schemes.map((each) => signBytes(body, { secrets: current, scheme: each, id }));
    }, operation);
    return next({ ...request, headers: Object.assign({}, request.headers, ...headers) });
  };
};

/** The key itself, or its hash where a signed id can't hold it: one with a dot or a space. The same for each attempt. */
const deliveryId = (idempotencyKey: string): string =>
  isDeliveryId(idempotencyKey) ? idempotencyKey : `msg_${hash('sha256', idempotencyKey, 'hex').slice(0, 32)}`;

const readHeaders = async (
  read: () => Promise<readonly Readonly<Record<string, string>>[]>,
  operation: string,
): Promise<readonly Readonly<Record<string, string>>[]> => {
  try {
    return await read();
  } catch (original) {
    throw new AuthenticationError(`${operation} was not sent: there is no usable secret to sign it with`, {
      operation,
      original,
    });
  }
};
