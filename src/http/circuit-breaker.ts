import { EventEmitter } from 'node:events';
import Opossum from '#opossum';
import { InvalidArgumentError } from '../core/errors.ts';
import type { CircuitState } from '../observability/events.ts';
import type { CircuitOptions } from './operation.ts';

/** Stops calling what keeps failing, until one request shows that it's back. */
export interface CircuitBreaker {
  /** Lets an attempt through, which must then be ended; `undefined` while the circuit lets nothing through. */
  begin(): CircuitAttempt | undefined;
  /** `begin` would let nothing through now. */
  isOpen(): boolean;
  /** `half-open` as soon as a probe would be let through. */
  state(): CircuitState;
  /** The time for which the circuit stays open; 0 when a request would be let through. */
  retryAfterMs(): number;
  /** Frees opossum's timer and listeners. */
  shutdown(): void;
}

/** The end of an attempt. `refused`: the API works, but said no. `neutral`: it says nothing about the API. */
export type AttemptEnd = 'answered' | 'refused' | 'neutral' | 'failed';

/** An attempt that the circuit let through. */
export interface CircuitAttempt {
  /** The circuit is half-open, and closes or opens by the end of this attempt. */
  readonly isProbe: boolean;
  /** The API answered another attempt meanwhile. */
  wasAnswering(): boolean;
  /** Counts the end. */
  end(end: AttemptEnd): Promise<void>;
}

export interface CircuitBreakerOptions extends CircuitOptions {
  readonly onChange?: ((from: CircuitState, to: CircuitState) => void) | undefined;
}

/**
 * Counts in opossum how attempts end. It has no timer until it opens: its buckets are rotated when a request comes. An open
 * circuit whose time is over is half-open also where no timer survives a request, as on Workers.
 */
export const createCircuitBreaker = (options: CircuitBreakerOptions): CircuitBreaker => {
  const { onChange } = options;
  const settings = readCircuitOptions(options);
  const { openMs } = settings;
  const bucketMs = settings.windowMs / bucketCount;
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
    for (let count = Math.min(times, bucketCount); count > 0; count -= 1) buckets.emit('rotate');
  };

  const create = (state?: OpossumState): Breaker => {
    const breaker = createOpossum(settings, buckets, state);
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
    return !breaker.isShutdown && !breaker.closed && !breaker.pendingClose;
  };

  const beginProbe = (): CircuitAttempt => {
    const works = Promise.withResolvers<boolean>();
    const counted = count(breaker, works.promise);
    return {
      isProbe: true,
      wasAnswering: () => false,
      end: (end) => {
        // Without an answer it has shown nothing, and must not close the circuit.
        works.resolve(end === 'answered' || end === 'refused');
        return counted;
      },
    };
  };

  return {
    begin: () => {
      if (breaker.isShutdown) return uncounted;
      if (isOpen()) return undefined;
      if (!breaker.closed) return beginProbe();
      const own = breaker;
      const startedAt = performance.now();
      return {
        isProbe: false,
        wasAnswering: () => answeredAt > startedAt,
        end: async (end) => {
          if (end === 'answered') answeredAt = performance.now();
          catchUp();
          // What began before it opened says nothing about a later circuit.
          if (own === breaker && own.closed) await count(own, end !== 'failed');
        },
      };
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

/** opossum, as a counter: it's fired with what an attempt shows, once or as soon as that is known. */
type Breaker = Opossum<[works: boolean | Promise<boolean>], void>;

interface OpossumState {
  readonly open: boolean;
  readonly closed: boolean;
  readonly halfOpen: boolean;
}

const createOpossum = (
  { failureShare, minimumVolume, windowMs, openMs }: ReturnType<typeof readCircuitOptions>,
  buckets: EventEmitter,
  state: OpossumState = { open: false, closed: true, halfOpen: false },
): Breaker => {
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
    // Its types leave it out.
    state,
  };
  return new Opossum(async (works) => {
    if (!(await works)) throw failure;
  }, settings);
};

const count = (breaker: Breaker, works: boolean | Promise<boolean>): Promise<void> =>
  breaker.fire(works).catch(() => undefined);

const failure = new Error('the attempt failed');

const uncounted: CircuitAttempt = { isProbe: false, wasAnswering: () => true, end: async () => undefined };

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
