import { EventEmitter } from 'node:events';
import Opossum from '#opossum';
import {
  AttemptFailedError,
  CircuitOpenError,
  ClientError,
  InvalidArgumentError,
  UnexpectedResponseError,
} from '../../core/errors.ts';
import type { CircuitState } from '../../observability/events.ts';
import { attemptLog } from '../call-log.ts';
import type { CircuitOptions } from '../operation.ts';
import type { HttpRequest, Middleware } from '../request.ts';
import { createUsualTime, type UsualTime } from './attempt.ts';

/** The circuits of one API: one per group of operations, so that one failing endpoint doesn't close the others. */
export interface Circuits {
  of(operation: string): CircuitBreaker;
  /** How long this operation usually takes. */
  usualTime(operation: string): UsualTime;
  /** `open` when any circuit is. */
  state(): CircuitState;
  /** Of the circuit that stays open longest. */
  retryAfterMs(): number;
  shutdown(): void;
}

/** `onChange` gets the group, such as `billing.payments`. */
export const createCircuits = (
  options: CircuitOptions & {
    readonly onChange?: (group: string, from: CircuitState, to: CircuitState) => void;
  },
): Circuits => {
  const { onChange, ...circuit } = options;
  const circuits = new Map<string, CircuitBreaker>();
  const times = new Map<string, UsualTime>();

  const create = (group: string) =>
    createCircuitBreaker({ ...circuit, onChange: (from, to) => onChange?.(group, from, to) });
  // Wrong options are found when the client is made.
  readCircuitOptions(circuit);

  return {
    of: (operation) => {
      const group = keyIn(circuits, operation.split('.', 2).join('.'));
      const known = circuits.get(group) ?? create(group);
      circuits.set(group, known);
      return known;
    },
    usualTime: (operation) => {
      const key = keyIn(times, operation);
      const known = times.get(key) ?? createUsualTime();
      times.set(key, known);
      return known;
    },
    state: () => {
      const states = new Set([...circuits.values()].map((each) => each.state()));
      return states.has('open') ? 'open' : states.has('half-open') ? 'half-open' : 'closed';
    },
    retryAfterMs: () => Math.max(0, ...[...circuits.values()].map((each) => each.retryAfterMs())),
    shutdown: () => {
      for (const each of circuits.values()) each.shutdown();
    },
  };
};

/** Names come from the application too: beyond these, all others are one. */
const mostKeys = 64;

const keyIn = (known: ReadonlyMap<string, unknown>, key: string): string =>
  known.has(key) || known.size < mostKeys ? key : '';

/** Refuses while the circuit is open, before anything is spent or waited for. Throws `CircuitOpenError`. */
export const refuseWhenOpen = (circuits: Circuits): Middleware =>
  async function refuseWhenOpen(request, next) {
    const circuit = circuits.of(request.operation);
    if (circuit.isOpen()) throw refusal(request, circuit);
    return await next(request);
  };

/**
 * Runs the attempt in its circuit: it asks again after the waits, so that what queued before it opened isn't sent
 * afterwards. Network errors, 5xx and time-outs count when their call ends without an answer. A time-out counts at once if
 * nothing else was answered meanwhile: the next one would keep more people waiting. Throws `CircuitOpenError`.
 */
export const guardCircuit = (circuits: Circuits): Middleware =>
  async function guardCircuit(request, next) {
    const circuit = circuits.of(request.operation);
    const usualTime = circuits.usualTime(request.operation);
    const log = attemptLog(request);
    return await circuit.fire({
      run: async () => {
        const startedAt = performance.now();
        try {
          const response = await next(request);
          usualTime.add(performance.now() - (log.leftLineAt ?? startedAt));
          log.call.madeGood();
          return response;
        } catch (error) {
          if (isAnswered(error) && isNeutral(request, error, usualTime)) log.call.madeGood();
          throw error;
        }
      },
      isNeutral: (error) => isNeutral(request, error, usualTime),
      isAnswered,
      count: (error, count, { wasAnswering }) =>
        isTimeout(error) && !wasAnswering ? count() : log.call.countAtEnd(count),
      refused: () => refusal(request, circuit),
    });
  };

const isTimeout = (error: unknown) => error instanceof AttemptFailedError && error.reason === 'timeout';

/**
 * An API that refuses with a 4xx or a 429 works. A wait for a socket of our own says nothing about it, and neither does
 * an attempt that was cut off before most answers would have come.
 */
const isNeutral = (request: HttpRequest, error: unknown, usualTime: UsualTime): boolean => {
  if (!(error instanceof AttemptFailedError) || error.reason === 'rate_limited' || (error.status ?? 500) < 500)
    return true;
  const { isInLine, timeoutMs = Infinity } = attemptLog(request);
  if (isInLine) return true;
  return error.reason === 'timeout' && timeoutMs < (usualTime.p95() ?? enoughMs);
};

/** Enough for an answer, as long as it isn't known how long they take. */
const enoughMs = 1_000;

const isAnswered = (error: unknown): boolean =>
  error instanceof ClientError ||
  error instanceof UnexpectedResponseError ||
  (error instanceof AttemptFailedError && error.status !== undefined);

const refusal = ({ operation }: HttpRequest, circuit: CircuitBreaker) => {
  const retryAfterMs = circuit.retryAfterMs();
  const why =
    circuit.state() === 'open'
      ? `the circuit is open; it lets a probe through in ${Math.ceil(retryAfterMs / 1_000)} s`
      : 'the circuit is half-open, and its probe has no answer yet';
  return new CircuitOpenError(`${operation} was not sent: ${why}`, { operation, outcome: 'not_sent', retryAfterMs });
};

/** Stops calling what keeps failing, until one request shows that it's back. */
export interface CircuitBreaker {
  /** Runs an attempt and counts how it ends. Rejects with its `refused()` while the circuit lets nothing through. */
  fire<T>(attempt: GuardedAttempt<T>): Promise<T>;
  /** Whether `fire` would let a request through now. */
  isOpen(): boolean;
  /** `half-open` as soon as a probe would be let through. */
  state(): CircuitState;
  /** How long the circuit stays open; 0 when a request would be let through. */
  retryAfterMs(): number;
  /** Frees opossum's timer and listeners. */
  shutdown(): void;
}

/** One attempt, and what its failure says. */
export interface GuardedAttempt<T> {
  readonly run: () => Promise<T>;
  /** The error says nothing about the API's health: it counts as a success. */
  readonly isNeutral: (error: unknown) => boolean;
  /** The API answered, if only with a refusal. */
  readonly isAnswered: (error: unknown) => boolean;
  /**
   * Runs `count` when the failure counts: now, or when nothing makes it good. `wasAnswering`: the API answered another one
   * meanwhile. Isn't asked about a probe.
   */
  readonly count: (
    error: unknown,
    count: () => Promise<void>,
    about: { readonly wasAnswering: boolean },
  ) => Promise<void>;
  readonly refused: () => Error;
}

export interface CircuitBreakerOptions extends CircuitOptions {
  readonly onChange?: ((from: CircuitState, to: CircuitState) => void) | undefined;
}

/**
 * opossum counts how calls end, and runs each probe. It has no timer until it opens: its buckets are rotated when a request
 * comes, and an open circuit whose time is over is half-open also where no timer survives a request, as on Workers.
 */
export const createCircuitBreaker = (options: CircuitBreakerOptions): CircuitBreaker => {
  const { onChange } = options;
  const { failureShare, minimumVolume, windowMs, openMs } = readCircuitOptions(options);
  const bucketMs = windowMs / bucketCount;
  const buckets = new EventEmitter();
  let rotatedAt = performance.now();
  let openUntil = Number.NEGATIVE_INFINITY;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let known: CircuitState = 'closed';

  const become = (state: CircuitState) => {
    if (state === known) return;
    const from = known;
    known = state;
    onChange?.(from, state);
  };

  const rotate = (times: number) => {
    for (let turn = Math.min(times, bucketCount); turn > 0; turn -= 1) buckets.emit('rotate');
  };

  const create = (state = { open: false, closed: true, halfOpen: false }) => {
    const settings = {
      timeout: false as const,
      // Its test is "above", ours is "from".
      errorThresholdPercentage: failureShare * 100 - 1e-6,
      volumeThreshold: minimumVolume,
      resetTimeout: openMs,
      rollingCountTimeout: windowMs,
      rollingCountBuckets: bucketCount,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      rotateBucketController: buckets,
      // It knows no neutral outcome. A probe that ends without an answer has shown nothing, and must not close it.
      // opossum passes what `fire` was given as well; its types leave that out.
      errorFilter: ((error: unknown, attempt: GuardedAttempt<unknown>) =>
        attempt.isNeutral(error) && (attempt.isAnswered(error) || !breaker.halfOpen)) as (error: unknown) => boolean,
      // Its types leave it out.
      state,
    };
    const breaker: Opossum<[GuardedAttempt<unknown>]> = new Opossum(
      (attempt: GuardedAttempt<unknown>) => attempt.run(),
      settings,
    );
    breaker.on('open', () => {
      openUntil = performance.now() + openMs;
      become('open');
    });
    breaker.on('halfOpen', () => become('half-open'));
    breaker.on('close', () => {
      // Otherwise one failure opens it again.
      rotate(bucketCount);
      become('closed');
    });
    return breaker;
  };

  let breaker = create();

  const catchUp = () => {
    const now = performance.now();
    const due = Math.floor((now - rotatedAt) / bucketMs);
    if (due > 0) {
      rotatedAt += due * bucketMs;
      rotate(due);
    }
    if (!breaker.opened || now < openUntil) return;
    breaker.shutdown();
    breaker = create({ open: false, closed: false, halfOpen: true });
    become('half-open');
  };

  const isOpen = () => {
    catchUp();
    return !breaker.closed && !breaker.pendingClose;
  };

  // opossum gets a promise of its own: awaiting its answer would cut the stack of an error here (decision 67).
  const probe = async <T>(attempt: GuardedAttempt<T>): Promise<T> => {
    const ended = Promise.withResolvers<T>();
    const counted = breaker.fire({ ...attempt, run: () => ended.promise }).catch(ignore);
    try {
      const result = await attempt.run();
      ended.resolve(result);
      return result;
    } catch (error) {
      ended.reject(error);
      throw error;
    } finally {
      await counted;
    }
  };

  return {
    fire: async (attempt) => {
      if (breaker.isShutdown) return await attempt.run();
      if (isOpen()) throw attempt.refused();
      if (!breaker.closed) return await probe(attempt);
      const own = breaker;
      const startedAt = performance.now();
      // What began before it opened says nothing about a later circuit.
      const count = async (end: () => Promise<unknown>) => {
        if (own === breaker && own.closed) await own.fire({ ...attempt, run: end }).catch(ignore);
      };
      try {
        const result = await attempt.run();
        answeredAt = performance.now();
        await count(async () => result);
        return result;
      } catch (error) {
        const failed = () => count(() => Promise.reject(error));
        const wasAnswering = answeredAt > startedAt;
        await (attempt.isNeutral(error) ? failed() : attempt.count(error, failed, { wasAnswering }));
        throw error;
      }
    },
    isOpen,
    state: () => {
      catchUp();
      return known;
    },
    retryAfterMs: () => (isOpen() ? Math.max(1, Math.ceil(openUntil - performance.now())) : 0),
    shutdown: () => breaker.shutdown(),
  };
};

const ignore = () => undefined;

const bucketCount = 10;

/** Throws `InvalidArgumentError` for options that can't work. */
const readCircuitOptions = ({
  failureShare = 0.5,
  minimumVolume = 8,
  windowMs = 30_000,
  openMs = 5_000,
}: CircuitOptions) => {
  if (!(failureShare > 0 && failureShare <= 1))
    throw new InvalidArgumentError('circuit.failureShare', 'must be above 0 and at most 1');
  if (!Number.isInteger(minimumVolume) || minimumVolume < 1)
    throw new InvalidArgumentError('circuit.minimumVolume', 'must be a whole number above 0');
  for (const [field, ms] of Object.entries({ windowMs, openMs })) {
    if (!(ms > 0 && ms < Number.POSITIVE_INFINITY))
      throw new InvalidArgumentError(`circuit.${field}`, 'must be a number of milliseconds above 0');
  }
  return { failureShare, minimumVolume, windowMs, openMs };
};
