import { AttemptFailedError, CircuitOpenError, ClientError, UnexpectedResponseError } from '../../core/errors.ts';
import type { CircuitState } from '../../observability/events.ts';
import { attemptLog } from '../call-log.ts';
import { type AttemptEnd, type CircuitBreaker, createCircuitBreaker, readCircuitOptions } from '../circuit-breaker.ts';
import type { CircuitOptions } from '../operation.ts';
import type { HttpRequest, Middleware } from '../request.ts';

/** The circuits of one API: one per group of operations, so that one failing endpoint doesn't close the others. */
export interface Circuits {
  of(operation: string): CircuitBreaker;
  /** The usual time of this operation. */
  usualTime(operation: string): UsualTime;
  /** `open` when any circuit is. */
  state(): CircuitState;
  /** The time of the circuit that stays open longest. */
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

/** The usual time of one operation, from its latest answers. */
export interface UsualTime {
  add(ms: number): void;
  /** The 95th percentile; `undefined` until enough answers are known. */
  p95(): number | undefined;
}

export const createUsualTime = ({ latest = 40, enough = 20 } = {}): UsualTime => {
  const times: number[] = [];
  let added = 0;
  let known: number | undefined;
  return {
    add: (ms) => {
      times[added % latest] = ms;
      added += 1;
      if (added % 16 === 0) known = undefined;
    },
    p95: () => {
      if (added >= enough) known ??= times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1];
      return known;
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
 * Counts the attempt in its circuit, and asks again after the waits, so that what queued before it opened isn't sent
 * afterwards. Network errors, 5xx and time-outs count when their call ends without an answer. A time-out counts at once if
 * nothing else was answered meanwhile: the next one would keep more people waiting. Throws `CircuitOpenError`.
 */
export const guardCircuit = (circuits: Circuits): Middleware =>
  async function guardCircuit(request, next) {
    const circuit = circuits.of(request.operation);
    const usualTime = circuits.usualTime(request.operation);
    const log = attemptLog(request);
    const attempt = circuit.begin();
    if (!attempt) throw refusal(request, circuit);
    const startedAt = performance.now();
    try {
      const response = await next(request);
      usualTime.add(performance.now() - (log.leftLineAt ?? startedAt));
      log.call.madeGood();
      await attempt.end('answered');
      return response;
    } catch (error) {
      const end = endOf(request, error, usualTime);
      if (end === 'refused') log.call.madeGood();
      const countsNow = end !== 'failed' || attempt.isProbe || (isTimeout(error) && !attempt.wasAnswering());
      if (countsNow) await attempt.end(end);
      else await log.call.countAtEnd(() => attempt.end(end));
      throw error;
    }
  };

/** Returns what the failure of an attempt says about the API. */
const endOf = (request: HttpRequest, error: unknown, usualTime: UsualTime): AttemptEnd => {
  if (!isNeutral(request, error, usualTime)) return 'failed';
  return isAnswered(error) ? 'refused' : 'neutral';
};

const isTimeout = (error: unknown) => error instanceof AttemptFailedError && error.reason === 'timeout';

/**
 * An API that refuses with a 4xx or a 429 works. A wait for a socket of our own says nothing about it. Neither does an
 * attempt that was cut off before most answers would have come.
 */
const isNeutral = (request: HttpRequest, error: unknown, usualTime: UsualTime): boolean => {
  if (!(error instanceof AttemptFailedError) || error.reason === 'rate_limited' || (error.status ?? 500) < 500)
    return true;
  const { isInLine, timeoutMs = Infinity } = attemptLog(request);
  if (isInLine) return true;
  return error.reason === 'timeout' && timeoutMs < (usualTime.p95() ?? enoughMs);
};

/** The time that is enough for an answer, as long as it isn't known how long they take. */
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
