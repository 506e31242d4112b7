import { AbortedError } from '../../core/errors.ts';
import { settleWithin } from '../../core/timers.ts';
import { callLog } from '../call-log.ts';
import { addressOf, type HttpRequest, type Middleware } from '../request.ts';
import type { HttpResponse } from '../response.ts';

/** One read on its way, and who waits for it. */
interface Flight {
  /** As the first of them asked for it. */
  readonly first: HttpRequest;
  readonly waiting: Set<HttpRequest>;
  readonly end: Promise<HttpResponse>;
  readonly stop: AbortController;
}

/**
 * Sends one request for identical reads that are in flight at the same time: all get its answer, or its failure. Each
 * waits no longer than its own deadline and signal. The request has the time of the one that waits longest, and ends when
 * none waits any more. It's never a cache: a later read sends its own request, and no read joins one that began before
 * a write of this client had ended.
 */
export const shareReads = (): Middleware => {
  const flights = new Map<string, Flight>();

  return async function shareReads(request, next) {
    if (request.effect !== 'read') {
      flights.clear();
      // What began to be read while the write was on its way may lack it too.
      return next(request).finally(() => flights.clear());
    }
    const key = identityOf(request);
    const joined = flights.get(key);
    const flight = joined ?? start(request, next);
    const forget = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    if (joined) {
      joined.waiting.add(request);
      callLog(request).shares(callLog(joined.first));
    } else {
      flights.set(key, flight);
      flight.end.then(forget, forget);
    }
    try {
      return await settleWithin(flight.end, { signal: request.signal });
    } finally {
      flight.waiting.delete(request);
      if (joined) callLog(request).becomes(callLog(joined.first));
      // No read may join what is about to end.
      if (request.signal.aborted && flight.waiting.size === 0) {
        forget();
        flight.stop.abort(leftByAll(request));
      }
    }
  };
};

const start = (first: HttpRequest, next: (request: HttpRequest) => Promise<HttpResponse>): Flight => {
  const stop = new AbortController();
  const waiting = new Set([first]);
  const remainingMs = () => Math.max(0, ...[...waiting].map(({ deadline }) => deadline.remainingMs()));
  const deadline = { budgetMs: first.deadline.budgetMs, remainingMs };
  return { first, waiting, stop, end: next({ ...first, deadline, signal: stop.signal }) };
};

/** A live read doesn't wait in the lane of the background. */
const identityOf = (request: HttpRequest): string => {
  const { operation, method, headers, json, body } = request;
  const { lane, attemptTimeoutMs } = callLog(request).plan;
  return JSON.stringify([operation, method, addressOf(request), headers, json, body, lane, attemptTimeoutMs]);
};

const leftByAll = ({ operation }: HttpRequest) =>
  new AbortedError(`${operation}: no call waits for its answer any more`, { operation });
