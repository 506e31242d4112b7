import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AbortedError, InvalidArgumentError, RetriesExhaustedError } from '../../errors.ts';
import { settleWithin } from '../../timers.ts';
import { callLog } from '../call-log.ts';
import { addressOf, bodyOf, type HttpRequest, type Middleware } from '../request.ts';
import type { HttpResponse } from '../response.ts';

/** How many finished writes are remembered, to refuse their keys for other parameters. */
const mostRemembered = 1_000;

interface Flight {
  readonly request: HttpRequest;
  readonly fingerprint: string;
  readonly end: Promise<HttpResponse>;
}

/**
 * Sends the key on every attempt where the API gets it, and sends one request for calls in flight with the same key: all get its answer, also
 * where the API itself knows no keys. The same key with other parameters is refused, while in flight and for some time
 * after. Where the API knows no keys, so is one of a write that may be done already and cannot be looked up.
 */
export const sendOncePerKey = (header = 'idempotency-key'): Middleware => {
  const flights = new Map<string, Flight>();
  const finished = new LRUCache<string, string>({ maxSize: mostRemembered, sizeCalculation: () => 1 });

  return async function sendOncePerKey(request, next) {
    const key = request.idempotencyKey;
    if (key === undefined) return await next(request);
    const log = callLog(request);
    const keyed = log.plan.sendsKey ? { ...request, headers: { ...request.headers, [header]: key } } : request;

    const fingerprint = `${request.operation}\n${addressOf(request)}\n${bodyOf(request) ?? ''}`;
    for (let flight = flights.get(key); flight; flight = flights.get(key)) {
      if (flight.fingerprint !== fingerprint) throw otherParameters(request);
      log.joined();
      try {
        const response = await flight.end;
        log.becomes(callLog(flight.request));
        return response;
      } catch (error) {
        log.becomes(callLog(flight.request));
        if (!flight.request.signal.aborted || request.signal.aborted) throw error;
        // Its owner gave up, this caller has not, and goes on in its place where that is safe.
        const maySendAgain = request.effect === 'keyed-write' || log.outcome() !== 'unknown';
        if (!maySendAgain) throw error instanceof AbortedError ? leftByItsOwner(request) : error;
      }
    }
    const before = finished.get(key);
    if (before !== undefined && before !== digest(fingerprint)) throw otherParameters(request);
    if (before !== undefined && request.effect === 'unsafe-write' && !log.plan.lookUp) {
      log.joined();
      throw mayBeDone(request);
    }

    const flight = { request, fingerprint, end: settleWithin(next(keyed), { signal: request.signal }) };
    flights.set(key, flight);
    try {
      return await flight.end;
    } finally {
      if (flights.get(key) === flight) flights.delete(key);
      if (log.outcome() === 'unknown') finished.set(key, digest(fingerprint));
    }
  };
};

const otherParameters = ({ operation }: HttpRequest) =>
  new InvalidArgumentError(
    'idempotencyKey',
    'was already used with other parameters: use one key for one piece of work',
    { operation },
  );

const mayBeDone = ({ operation }: HttpRequest) =>
  new RetriesExhaustedError(
    `${operation} was not sent again: an earlier call with the same key may have done it, and this API would do it twice`,
    { operation, reason: 'may_be_done', outcome: 'unknown' },
  );

const leftByItsOwner = ({ operation }: HttpRequest) =>
  new RetriesExhaustedError(
    `${operation} was sent by another call with the same key, which was cancelled: whether it was done is not known`,
    { operation, reason: 'deadline', outcome: 'unknown' },
  );

/** What was written may be a whole transcript, which is too much to keep for a comparison. */
const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);
