import { InvalidArgumentError, isAbortedError, RetriesExhaustedError } from '../../errors.ts';
import { nodeCrypto } from '../../node-crypto.ts';
import { unlessAborted } from '../own-signal.ts';
import { outcomeOf } from '../progress.ts';
import type { HttpRequest, Middleware } from '../request.ts';
import type { HttpResponse } from '../response.ts';

/** How many finished writes are remembered, to refuse their keys for other parameters. */
const mostRemembered = 1_000;

interface Flight {
  readonly request: HttpRequest;
  readonly fingerprint: string;
  readonly end: Promise<HttpResponse>;
}

/**
 * Sends the key on every attempt, and sends one request for calls in flight with the same key: all get its answer, also
 * where the API itself knows no keys. The same key with other parameters is refused, while in flight and for some time
 * after. Where the API knows no keys, so is one of a write that may be done already and cannot be looked up.
 */
export const sendOncePerKey = (): Middleware => {
  const flights = new Map<string, Flight>();
  const finished = createMemory(mostRemembered);

  return async (request, next) => {
    const key = request.idempotencyKey;
    if (key === undefined) return await next(request);
    const keyed = { ...request, headers: { ...request.headers, 'idempotency-key': key } };

    const fingerprint = `${request.operation}\n${request.url}\n${request.body ?? ''}`;
    for (let flight = flights.get(key); flight; flight = flights.get(key)) {
      if (flight.fingerprint !== fingerprint) throw otherParameters(request);
      const { attempts } = request.progress;
      attempts.push('sent');
      try {
        const response = await flight.end;
        request.progress.status = response.status;
        attempts.splice(0, Infinity, ...flight.request.progress.attempts);
        return response;
      } catch (error) {
        attempts.splice(0, Infinity, ...flight.request.progress.attempts);
        if (!flight.request.signal.aborted || request.signal.aborted) throw error;
        // Its owner gave up, this caller has not, and goes on in its place where that is safe.
        const maySendAgain = request.effect === 'keyed-write' || outcomeOf(request.progress) !== 'unknown';
        if (!maySendAgain) throw isAbortedError(error) ? leftByItsOwner(request) : error;
      }
    }
    const before = finished.get(key);
    if (before !== undefined && before !== digest(fingerprint)) throw otherParameters(request);
    if (before !== undefined && request.effect === 'unsafe-write' && !request.plan.lookUp) {
      request.progress.attempts.push('unknown');
      throw mayBeDone(request);
    }

    const flight = { request, fingerprint, end: unlessAborted(next(keyed), request.signal) };
    flights.set(key, flight);
    try {
      return await flight.end;
    } finally {
      if (flights.get(key) === flight) flights.delete(key);
      if (outcomeOf(request.progress) === 'unknown') finished.set(key, digest(fingerprint));
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

/** What was written may be a whole transcript: nobody holds on to it only to tell it from another. */
const digest = (text: string): string =>
  nodeCrypto().createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** Forgets the oldest entries once there are more than `most`. */
const createMemory = (most: number) => {
  let entries: Map<string, string> | undefined;
  return {
    get: (key: string) => entries?.get(key),
    set: (key: string, value: string) => {
      entries ??= new Map();
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
  };
};
