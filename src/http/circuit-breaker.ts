import { EventEmitter } from 'node:events';
import type OpossumClass from '#opossum';
import type { Clock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { CircuitState } from '../observability/events.ts';
import type { CircuitOptions } from './operation.ts';

/** How a request ended, as far as the API's health shows in it. `neutral` says nothing about it. */
export type CircuitResult = 'success' | 'failure' | 'neutral';

/** Leave to send one request. It has to be settled, whatever happens. */
export interface Permit {
  /**
   * Only the first call counts, and none once the circuit has changed since. The first failure of a circuit gives a
   * promise, until what counts failures is loaded: it is counted then.
   */
  settle(result: CircuitResult): Promise<void> | undefined;
}

/** `retryAfterMs`: at the latest then another probe is let through. */
export interface Refusal {
  readonly admitted: false;
  readonly retryAfterMs: number;
}

/** Stops asking an API that has been failing, until one request at a time shows that it is back. */
export interface CircuitBreaker {
  admit(): { readonly admitted: true; readonly permit: Permit } | Refusal;
  /** What `admit` would say, without becoming the probe. */
  peek(): { readonly admitted: true } | Refusal;
  /** `half-open` as soon as a probe would be let through. */
  state(): CircuitState;
  /** 0 when a request would be let through. */
  retryAfterMs(): number;
}

/**
 * opossum keeps the ledger of outcomes and opens; admission, the probe and all time are decided here.
 * Has no timers: everything follows from the clock when it is asked. Costs nothing until the first request has ended.
 */
export const createCircuitBreaker = (
  options: CircuitOptions & {
    readonly clock: Clock;
    readonly onChange?: (from: CircuitState, to: CircuitState) => void;
  },
): CircuitBreaker => {
  const { openMs = 5_000, probeLeaseMs = 10_000, clock, onChange } = options;
  const settings = readLedgerOptions(options);
  let ledger: Ledger | undefined;
  let Opossum: typeof OpossumClass | undefined;
  let loading: Promise<void> | undefined;
  let told: CircuitState = 'closed';
  /** Moves on with every change of the circuit and every probe, so that what was admitted before is told apart. */
  let generation = 0;
  /** Until when nobody is admitted: open, or a probe under way. */
  let closedOffUntil = 0;

  const become = (state: CircuitState) => {
    if (state === told) return;
    const from = told;
    told = state;
    onChange?.(from, state);
  };

  const open = () => {
    generation += 1;
    closedOffUntil = clock.now() + openMs;
    become('open');
  };

  /** The ledger begins anew, or else one failure would open the circuit again. */
  const close = () => {
    generation += 1;
    ledger = undefined;
    become('closed');
  };

  const settleRequest = (result: CircuitResult): Promise<void> | undefined => {
    if (result === 'neutral') return undefined;
    const now = clock.now();
    ledger ??= startLedger(now);
    if (record(ledger, { settings, Opossum }, result, now)) open();
    return result === 'failure' && !Opossum ? load() : undefined;
  };

  /** opossum is loaded with the first failure; what comes until it is there, a few milliseconds later, is counted then. */
  const load = (): Promise<void> =>
    (loading ??= import('#opossum')
      .then((module) => {
        Opossum = module.default;
        const early = ledger?.early.splice(0) ?? [];
        for (const result of early) if (told === 'closed') void settleRequest(result);
      })
      .catch(() => {
        // Nothing is kept for what may never come; the next failure tries again.
        loading = undefined;
        ledger = undefined;
      }));

  const settleProbe = (result: CircuitResult): undefined => {
    if (result === 'success') close();
    else if (result === 'failure') open();
    else {
      generation += 1;
      closedOffUntil = clock.now();
    }
  };

  const createPermit = (settle: Permit['settle']): Permit => {
    const admittedIn = generation;
    let isSettled = false;
    return {
      settle: (result) => {
        if (isSettled || admittedIn !== generation) return undefined;
        isSettled = true;
        return settle(result);
      },
    };
  };

  const retryAfterMs = () => (told === 'closed' ? 0 : Math.max(0, Math.ceil(closedOffUntil - clock.now())));

  const peek: CircuitBreaker['peek'] = () => {
    const waitMs = retryAfterMs();
    return waitMs > 0 ? { admitted: false, retryAfterMs: waitMs } : admitted;
  };

  return {
    admit: () => {
      const verdict = peek();
      if (!verdict.admitted) return verdict;
      if (told === 'closed') return { admitted: true, permit: createPermit(settleRequest) };
      generation += 1;
      closedOffUntil = clock.now() + probeLeaseMs;
      become('half-open');
      return { admitted: true, permit: createPermit(settleProbe) };
    },
    peek,
    state: () => (told === 'open' && retryAfterMs() === 0 ? 'half-open' : told),
    retryAfterMs,
  };
};

const admitted = { admitted: true } as const;

/** The outcomes of the last while. */
interface Ledger {
  rotatedAt: number;
  /** Successes per bucket, the newest first. */
  readonly successes: number[];
  counter: ReturnType<typeof createCounter> | undefined;
  /** What opossum has not been told, since it is not there yet. */
  readonly early: ('success' | 'failure')[];
}

interface LedgerOptions {
  readonly failureShare: number;
  readonly minimumVolume: number;
  readonly windowMs: number;
}

const bucketCount = 10;

const startLedger = (now: number): Ledger => ({
  rotatedAt: now,
  successes: Array.from({ length: bucketCount }, () => 0),
  counter: undefined,
  early: [],
});

/**
 * The one use of opossum: it is told outcomes, counts them in buckets and opens at the threshold. Successes alone never
 * open it, so that until the first failure ten numbers keep them: most circuits of most tenants need no more.
 * Answers whether enough has failed within the window.
 */
const record = (
  ledger: Ledger,
  { settings, Opossum }: { readonly settings: LedgerOptions; readonly Opossum: typeof OpossumClass | undefined },
  result: 'success' | 'failure',
  now: number,
): boolean => {
  rotate(ledger, settings.windowMs / bucketCount, now);
  if (!ledger.counter && ledger.early.length === 0 && result === 'success') {
    ledger.successes[0] = (ledger.successes[0] ?? 0) + 1;
    return false;
  }
  if (!Opossum) {
    ledger.early.push(result);
    return false;
  }
  ledger.counter ??= createCounter(Opossum, settings, ledger.successes);
  ledger.counter.opossum.fire(result).catch(ignore);
  return ledger.counter.opossum.opened;
};

const rotate = (ledger: Ledger, bucketMs: number, now: number): void => {
  const due = Math.floor((now - ledger.rotatedAt) / bucketMs);
  if (due === 0) return;
  ledger.rotatedAt += due * bucketMs;
  for (let turn = Math.min(due, bucketCount); turn > 0; turn -= 1) {
    if (ledger.counter) ledger.counter.buckets.emit('rotate');
    else ledger.successes.unshift(0);
  }
  ledger.successes.length = bucketCount;
};

const createCounter = (
  Opossum: typeof OpossumClass,
  { failureShare, minimumVolume, windowMs }: LedgerOptions,
  successesBefore: readonly number[],
) => {
  const buckets = new EventEmitter();
  const opossum = new Opossum(report, {
    timeout: false,
    // Its test is "above", ours is "from".
    errorThresholdPercentage: failureShare * 100 - 1e-6,
    volumeThreshold: minimumVolume,
    rollingCountTimeout: windowMs,
    rollingCountBuckets: bucketCount,
    rollingPercentilesEnabled: false,
    enableSnapshots: false,
    rotateBucketController: buckets,
  });
  // Opening would start opossum's own timer towards half-open; that way back is not taken here.
  opossum.removeAllListeners('open');
  for (const [age, bucket] of opossum.status.window.entries()) {
    bucket.fires = successesBefore[age] ?? 0;
    bucket.successes = bucket.fires;
  }
  return { opossum, buckets };
};

/** Throws rather than rejects, so that opossum has counted it when `fire` returns. */
const report = (result: 'success' | 'failure'): Promise<void> => {
  if (result === 'failure') throw reportedFailure;
  return reportedSuccess;
};

const reportedFailure = new Error('the request failed');
const reportedSuccess = Promise.resolve();
const ignore = () => undefined;

const readLedgerOptions = (options: CircuitOptions): LedgerOptions => {
  const { failureShare = 0.5, minimumVolume = 10, windowMs = 10_000 } = options;
  if (!(failureShare > 0 && failureShare <= 1)) {
    throw new InvalidArgumentError('circuit.failureShare', 'must be above 0 and at most 1');
  }
  if (!Number.isInteger(minimumVolume) || minimumVolume < 1) {
    throw new InvalidArgumentError('circuit.minimumVolume', 'must be a whole number above 0');
  }
  for (const [field, ms] of Object.entries({ windowMs, openMs: options.openMs, probeLeaseMs: options.probeLeaseMs })) {
    if (ms !== undefined && !(ms > 0 && ms < Number.POSITIVE_INFINITY)) {
      throw new InvalidArgumentError(`circuit.${field}`, 'must be a number of milliseconds above 0');
    }
  }
  return { failureShare, minimumVolume, windowMs };
};
