import { hash } from 'node:crypto';
import { AbortedError, RetriesExhaustedError } from '../../core/errors.ts';
import { settleWithin } from '../../core/timers.ts';
import { callLog, outcomeOf } from '../call-log.ts';
import { createOpenKeys, keyOfOtherWork, type OpenKey } from '../open-keys.ts';
import { addressOf, bodyOf, type HttpRequest, type HttpResponse, type Middleware } from '../request.ts';

interface Flight {
  readonly request: HttpRequest;
  readonly fingerprint: string;
  readonly end: Promise<HttpResponse>;
}

/**
 * Sends the key on every attempt where the API gets it. Sends one request for calls in flight with the same key: all get
 * its answer, also where the API itself knows no keys. The same key with other parameters is refused, while in flight and for some time
 * after. Where the API knows no keys, so is one of a write that may be done already and cannot be looked up.
 */
export const sendOncePerKey = (header = 'idempotency-key', openKeys = createOpenKeys()): Middleware => {
  const flights = new Map<string, Flight>();

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
        const maySendAgain = request.effect === 'keyed-write' || outcomeOf(log.attempts) !== 'unknown';
        if (!maySendAgain) throw error instanceof AbortedError ? leftByItsOwner(request) : error;
      }
    }
    const before = openKeys.get(key);
    if (before && before.fingerprint !== digest(fingerprint)) throw otherParameters(request);
    if (before && request.effect === 'unsafe-write' && !log.plan.lookUp) {
      log.joined();
      throw mayBeDone(request);
    }

    let known: OpenKey | undefined;
    /** The key is open if the work may be done. */
    const remember = () => {
      if (log.outcome() === 'unknown') {
        known = { fingerprint: digest(fingerprint), answer: before?.answer };
        openKeys.set(key, known);
      } else if (known && openKeys.get(key) === known) openKeys.delete(key);
    };
    // A payment goes on when its caller has gone.
    const end = next(keyed).finally(remember);
    const flight = { request, fingerprint, end: settleWithin(end, { signal: request.signal }) };
    flights.set(key, flight);
    try {
      return await flight.end;
    } finally {
      if (flights.get(key) === flight) flights.delete(key);
      if (!known) remember();
    }
  };
};

const otherParameters = (request: HttpRequest) => {
  // It isn't the work that may be done.
  callLog(request).repeats(false);
  return keyOfOtherWork(request);
};

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

/** Shortens what was written: a whole transcript is too much to keep for a comparison. */
const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);
