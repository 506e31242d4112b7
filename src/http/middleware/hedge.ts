import { AbortedError } from '../../core/errors.ts';
import { settleWithin } from '../../core/timers.ts';
import { callLog } from '../call-log.ts';
import type { HttpRequest, Middleware } from '../request.ts';
import type { HttpResponse } from '../response.ts';
import { createUsualTime, type UsualTime } from './attempt.ts';
import type { RetryBudget } from './retry.ts';

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
}

/**
 * Starts a second attempt of a read that takes longer than usual, and gives the answer that comes first; the other
 * attempt is aborted. Writes are never sent twice.
 */
export const hedge = ({ operations, afterMs, budget, isShort, attempts }: HedgeLayerOptions): Middleware => {
  const usualTimes = new Map(operations.map((operation) => [operation, createUsualTime()]));

  return async function hedge(request, next) {
    const log = callLog(request);
    const usual = usualTimes.get(request.operation);
    if (!usual || request.effect !== 'read' || log.plan.lane !== 'live') return await next(request);
    budget.succeeded();
    const secondAfterMs = afterMs ?? usual.value();
    if (secondAfterMs === undefined) return timed(usual, () => next(request));
    const maySendSecond = () => log.attempts.length < attempts && !isShort() && budget.take();
    return timed(usual, () => race(request, next, { secondAfterMs, maySendSecond }));
  };
};

const timed = async (usual: UsualTime, work: () => Promise<HttpResponse>): Promise<HttpResponse> => {
  const startedAt = performance.now();
  const response = await work();
  usual.add(performance.now() - startedAt);
  return response;
};

interface RaceOptions {
  readonly secondAfterMs: number;
  readonly maySendSecond: () => boolean;
}

/** Ends with the first answer; with the first attempt's failure when there is none. */
const race = async (
  request: HttpRequest,
  next: (request: HttpRequest) => Promise<HttpResponse>,
  { secondAfterMs, maySendSecond }: RaceOptions,
): Promise<HttpResponse> => {
  const first = start(request, next);
  try {
    return await settleWithin(first.end, { deadline: secondAfterMs, late: () => isSlow });
  } catch (error) {
    if (error !== isSlow || request.signal.aborted || !maySendSecond()) return first.end;
  }
  callLog(request).waited({ reason: 'hedge', ms: Math.round(secondAfterMs) });
  const second = start({ ...request, attempt: request.attempt + 1 }, next);
  try {
    return await Promise.any([first.end, second.end]);
  } catch {
    return await first.end;
  } finally {
    for (const { stop } of [first, second]) stop.abort(answeredElsewhere(request));
  }
};

const isSlow = Symbol('slow');

const start = (request: HttpRequest, next: (request: HttpRequest) => Promise<HttpResponse>) => {
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  return { stop, end: settleWithin((own) => next({ ...request, signal: own }), { signal }) };
};

const answeredElsewhere = ({ operation }: HttpRequest) =>
  new AbortedError(`${operation}: another attempt was answered first`, { operation });
