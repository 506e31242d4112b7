import { AbortedError } from '../../errors.ts';
import { unlessAborted } from '../own-signal.ts';
import type { HttpRequest, Middleware } from '../request.ts';
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
 * waits no longer than its own deadline and signal; the request has the time of whoever waits longest, and ends when
 * nobody waits any more. Never a cache: what is there is given to nobody who asks later, and no read joins one that
 * began before a write of this client had ended.
 */
export const shareReads = (): Middleware => {
  const flights = new Map<string, Flight>();

  return async (request, next) => {
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
    if (joined) join(flight, request);
    else {
      flights.set(key, flight);
      flight.end.then(forget, forget);
    }
    try {
      return await unlessAborted(flight.end, request.signal);
    } finally {
      flight.waiting.delete(request);
      if (joined) tellOf(flight, request);
      // Nobody may join what is about to end.
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

const join = ({ first, waiting }: Flight, request: HttpRequest): void => {
  waiting.add(request);
  // What is asked of the call meanwhile, such as whether anything was sent, is answered by the request that it shares.
  request.progress.attempts = first.progress.attempts;
  request.progress.isShared = true;
};

/** What came of the request is also what came of the call that joined it. */
const tellOf = ({ first }: Flight, { progress }: HttpRequest): void => {
  progress.attempts = [...first.progress.attempts];
  progress.status = first.progress.status;
  progress.lastFailure = first.progress.lastFailure;
};

/** Whoever is on the phone does not wait in the lane of the background. */
const identityOf = ({ operation, method, url, headers, body, plan }: HttpRequest): string =>
  JSON.stringify([operation, method, url, headers, body, plan.lane, plan.attemptTimeoutMs]);

const leftByAll = ({ operation }: HttpRequest) =>
  new AbortedError(`${operation}: nobody waits for its answer any more`, { operation });
