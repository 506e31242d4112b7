import type { Clock } from '../../clock.ts';
import { CircuitOpenError, isAttemptFailedError, isClientError, isUnexpectedResponseError } from '../../errors.ts';
import type { CircuitState } from '../../observability/events.ts';
import { type CircuitBreaker, createCircuitBreaker, readCircuitOptions } from '../circuit-breaker.ts';
import type { CircuitOptions } from '../operation.ts';
import type { HttpRequest, Middleware } from '../request.ts';
import { createUsualTime, type UsualTime } from '../usual-time.ts';

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
    readonly clock: Clock;
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
      const known = times.get(key) ?? createUsualTime({ latest: 40 });
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
  function refuseWhenOpen(request, next) {
    const circuit = circuits.of(request.operation);
    return circuit.isOpen() ? Promise.reject(refusal(request, circuit)) : next(request);
  };

/**
 * Runs the attempt in its circuit: it asks again after the waits, so that what queued before it opened isn't sent
 * afterwards. Network errors, time-outs and 5xx count against the API. Throws `CircuitOpenError`.
 */
export const guardCircuit = (circuits: Circuits, clock: Clock): Middleware =>
  function guardCircuit(request, next) {
    const circuit = circuits.of(request.operation);
    const usualTime = circuits.usualTime(request.operation);
    return circuit.fire({
      run: async () => {
        const startedAt = clock.now();
        const response = await next(request);
        usualTime.add(clock.now() - startedAt);
        return response;
      },
      isNeutral: (error) => isNeutral(request, error, usualTime),
      isAnswered,
      refused: () => refusal(request, circuit),
    });
  };

/**
 * An API that refuses with a 4xx or a 429 works. A wait for a socket of our own says nothing about it, and neither does
 * an attempt that was cut off before most answers would have come.
 */
const isNeutral = ({ sending }: HttpRequest, error: unknown, usualTime: UsualTime): boolean => {
  if (!isAttemptFailedError(error) || error.reason === 'rate_limited' || (error.status ?? 500) < 500) return true;
  if (sending.waitsForSocket) return true;
  return error.reason === 'timeout' && (sending.timeoutMs ?? Number.POSITIVE_INFINITY) < (usualTime.p95() ?? enoughMs);
};

/** Enough for an answer, as long as it isn't known how long they take. */
const enoughMs = 1_000;

const isAnswered = (error: unknown): boolean =>
  isClientError(error) ||
  isUnexpectedResponseError(error) ||
  (isAttemptFailedError(error) && error.status !== undefined);

const refusal = ({ operation }: HttpRequest, circuit: CircuitBreaker) => {
  const retryAfterMs = circuit.retryAfterMs();
  const why =
    circuit.state() === 'open'
      ? `the circuit is open; it lets a probe through in ${Math.ceil(retryAfterMs / 1_000)} s`
      : 'the circuit is half-open, and its probe has no answer yet';
  return new CircuitOpenError(`${operation} was not sent: ${why}`, { operation, outcome: 'not_sent', retryAfterMs });
};
