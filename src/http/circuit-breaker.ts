import { EventEmitter } from 'node:events';
import Opossum from '#opossum';
import type { Clock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { CircuitState } from '../observability/events.ts';
import type { CircuitOptions } from './operation.ts';

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
  readonly refused: () => Error;
}

export interface CircuitBreakerOptions extends CircuitOptions {
  readonly clock: Clock;
  readonly onChange?: (from: CircuitState, to: CircuitState) => void;
}

/**
 * opossum around each attempt. It has no timer until it opens: its buckets are rotated when a request comes, and an
 * open circuit whose time is over is half-open also where no timer survives a request, as on Workers.
 */
export const createCircuitBreaker = (options: CircuitBreakerOptions): CircuitBreaker => {
  const { clock, onChange } = options;
  const { failureShare, minimumVolume, windowMs, openMs } = readCircuitOptions(options);
  const bucketMs = windowMs / bucketCount;
  const buckets = new EventEmitter();
  let rotatedAt = clock.now();
  let openUntil = Number.NEGATIVE_INFINITY;
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

  const create = (state?: { readonly open: boolean; readonly closed: boolean; readonly halfOpen: boolean }) => {
    const breaker = new Opossum((attempt: GuardedAttempt<unknown>) => attempt.run(), {
      timeout: false,
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
      ...(state ? { state } : {}),
    });
    breaker.on('open', () => {
      openUntil = clock.now() + openMs;
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
    const now = clock.now();
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

  return {
    fire: async <T>(attempt: GuardedAttempt<T>) => {
      if (breaker.isShutdown) return attempt.run();
      if (isOpen()) throw attempt.refused();
      // opossum gives back what `run` does.
      return (await breaker.fire(attempt)) as T;
    },
    isOpen,
    state: () => {
      catchUp();
      return known;
    },
    retryAfterMs: () => (isOpen() ? Math.max(1, Math.ceil(openUntil - clock.now())) : 0),
    shutdown: () => breaker.shutdown(),
  };
};

const bucketCount = 10;

/** Throws `InvalidArgumentError` for options that can't work. */
export const readCircuitOptions = ({
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
