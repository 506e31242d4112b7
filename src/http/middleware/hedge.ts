import type { Clock } from '../../clock.ts';
import { AbortedError } from '../../errors.ts';
import { withOwnSignal } from '../own-signal.ts';
import type { HttpRequest, Middleware } from '../request.ts';
import type { HttpResponse } from '../response.ts';
import type { RetryBudget } from '../retry-budget.ts';
import { createUsualTime, type UsualTime } from '../usual-time.ts';

export interface HedgeLayerOptions {
  /** The reads that may be sent twice. */
  readonly operations: readonly string[];
  /** When the second attempt starts. @defaultValue after the operation's usual time */
  readonly afterMs?: number | undefined;
  /** Holds second attempts to a share of all. */
  readonly budget: RetryBudget;
  /** Something else is waiting for what a second attempt would use up. */
  readonly isShort: () => boolean;
  /** Requests sent in all, the hedged ones included. */
  readonly attempts: number;
  readonly clock: Clock;
}

/**
 * Starts a second attempt of a read that takes longer than usual, and gives the answer that comes first; the other
 * attempt is aborted. Writes are never sent twice.
 */
export const hedge = ({ operations, afterMs, budget, isShort, attempts, clock }: HedgeLayerOptions): Middleware => {
  const usualTimes = new Map(operations.map((operation) => [operation, createUsualTime()]));

  return async (request, next) => {
    const usual = usualTimes.get(request.operation);
    if (!usual || request.effect !== 'read' || request.plan.lane !== 'live') return await next(request);
    budget.succeeded();
    const secondAfterMs = afterMs ?? usual.value();
    if (secondAfterMs === undefined) return timed(clock, usual, () => next(request));
    const maySendSecond = () => request.progress.attempts.length < attempts && !isShort() && budget.take();
    return timed(clock, usual, () => race(request, next, { secondAfterMs, maySendSecond, clock }));
  };
};

const timed = async (clock: Clock, usual: UsualTime, work: () => Promise<HttpResponse>): Promise<HttpResponse> => {
  const startedAt = clock.now();
  const response = await work();
  usual.add(clock.now() - startedAt);
  return response;
};

interface RaceOptions {
  readonly secondAfterMs: number;
  readonly maySendSecond: () => boolean;
  readonly clock: Clock;
}

/** Ends with the first answer; with the first attempt's failure when there is none. */
const race = (
  request: HttpRequest,
  next: (request: HttpRequest) => Promise<HttpResponse>,
  { secondAfterMs, maySendSecond, clock }: RaceOptions,
): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const first = start(request, next);
    let second: Running | undefined;
    let isFirstOver = false;

    const cancelTimer = clock.setTimer(() => {
      if (request.signal.aborted || !maySendSecond()) return;
      request.progress.waits.push({ reason: 'hedge', ms: Math.round(secondAfterMs) });
      second = start({ ...request, attempt: request.attempt + 1 }, next);
      second.end.then(
        (response) => {
          first.stop(answeredElsewhere(request));
          resolve(response);
        },
        // The first goes on, or has said why there is no answer.
        () => {
          if (isFirstOver) void first.end.catch(reject);
        },
      );
    }, secondAfterMs);

    first.end.then(
      (response) => {
        cancelTimer();
        second?.stop(answeredElsewhere(request));
        resolve(response);
      },
      (error: unknown) => {
        cancelTimer();
        isFirstOver = true;
        if (!second || second.isOver()) reject(error);
      },
    );
  });

interface Running {
  readonly end: Promise<HttpResponse>;
  readonly stop: (reason: unknown) => void;
  readonly isOver: () => boolean;
}

const start = (request: HttpRequest, next: (request: HttpRequest) => Promise<HttpResponse>): Running => {
  let stop: (reason: unknown) => void = () => {};
  let isOver = false;
  const end = withOwnSignal(request.signal, ({ signal, abort }) => {
    stop = abort;
    return next({ ...request, signal });
  }).finally(() => {
    isOver = true;
  });
  return { end, stop: (reason) => stop(reason), isOver: () => isOver };
};

const answeredElsewhere = ({ operation }: HttpRequest) =>
  new AbortedError(`${operation}: another attempt was answered first`, { operation });
