import type { ApiName, OperationName } from './operations.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';

/** In addition to what a fault does. */
interface FaultTiming {
  /** The answer, or what replaces it, comes this late. What is executed is executed at once. */
  readonly latencyMs?: number | undefined;
  /** The number of requests that it meets. @defaultValue 1 */
  readonly times?: number | undefined;
}

/** The request is answered with this instead. */
export interface StatusFault extends FaultTiming {
  readonly status: number;
  /** A string is sent as it is, everything else as JSON. @defaultValue an error in the API's own style */
  readonly body?: unknown;
  /** In addition to those of every answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The header `Retry-After`: seconds, or any text. */
  readonly retryAfter?: number | string | undefined;
  /** The work is done all the same. @defaultValue false */
  readonly executed?: boolean | undefined;
}

/** The connection is reset. Before the headers nothing was done; after them the work was done. */
export interface ResetFault extends FaultTiming {
  readonly reset: 'before-headers' | 'after-headers';
}

/** The server falls silent. Before the headers nothing was done; in the body the work was done. */
export interface StallFault extends FaultTiming {
  readonly stall: 'headers' | 'body';
}

/** The work is done, and the answer ends in the middle of its body. */
export interface TruncateFault extends FaultTiming {
  readonly truncate: true;
}

/** The work is done, and the connection is reset before the first byte of the answer. */
export interface ExecuteThenDropFault extends FaultTiming {
  readonly executeThenDrop: true;
}

/** The credential that the next request carries is refused with 401 for as long as it is used. */
export interface OtherCredentialFault extends FaultTiming {
  readonly unauthorizedUntilOtherCredential: true;
}

/** The request is answered as usual, but late or with more headers. */
export interface UsualAnswerFault extends FaultTiming {
  /** In addition to those of every answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly status?: undefined;
}

/** A fault that one request meets. `ok`: none, the answer is as usual. */
export type Fault =
  | 'ok'
  | StatusFault
  | ResetFault
  | StallFault
  | TruncateFault
  | ExecuteThenDropFault
  | OtherCredentialFault
  | UsualAnswerFault;

/** The way in which the answer reaches the caller. */
export type Delivery =
  | 'whole'
  | 'bytes'
  | 'reset-before-headers'
  | 'reset-after-headers'
  | 'stall-headers'
  | 'stall-body'
  | 'truncate';

/** A fault, spelled out. */
export interface PlannedFault {
  /** The request is worked on as usual. */
  readonly executes: boolean;
  readonly delivery: Delivery;
  readonly latencyMs: number;
  /** Replaces the status of the usual answer. */
  readonly status?: number | undefined;
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Spells a fault out. */
const planFault = (fault: Exclude<Fault, 'ok'>): PlannedFault => {
  const latencyMs = fault.latencyMs ?? 0;
  const usual = { executes: true, delivery: 'whole', latencyMs, headers: {} } as const;
  if ('reset' in fault) {
    return { ...usual, executes: fault.reset === 'after-headers', delivery: `reset-${fault.reset}` };
  }
  if ('stall' in fault) return { ...usual, executes: fault.stall === 'body', delivery: `stall-${fault.stall}` };
  if ('truncate' in fault) return { ...usual, delivery: 'truncate' };
  if ('executeThenDrop' in fault) return { ...usual, delivery: 'reset-before-headers' };
  if ('unauthorizedUntilOtherCredential' in fault) return { ...usual, executes: false, status: 401 };
  const { status, headers = {} } = fault;
  if (status === undefined) return { ...usual, headers };
  const planned = {
    ...usual,
    executes: fault.executed ?? false,
    status,
    headers: { ...headers, ...withoutUndefined({ 'retry-after': fault.retryAfter?.toString() }) },
  };
  return 'body' in fault ? { ...planned, body: fault.body } : planned;
};

/** The faults that wait for the coming requests. */
export interface Faults {
  readonly add: (target: OperationName | ApiName, faults: readonly Fault[]) => void;
  /** Takes the fault that a request meets; those of its operation come before those of its API. */
  readonly take: (api: ApiName, operation: OperationName, credential: string) => PlannedFault | undefined;
  /** Returns the faults that no request has met yet. */
  readonly pending: () => readonly Fault[];
}

interface Queued {
  readonly fault: Fault;
  left: number;
  /** The credential that a 401 was given for. */
  rejected?: string;
}

export const createFaults = (): Faults => {
  const queues = new Map<string, Queued[]>();

  const takeFrom = (queue: Queued[], credential: string): Fault | undefined => {
    const [next] = queue;
    if (!next) return undefined;
    const { fault } = next;
    if (fault !== 'ok' && 'unauthorizedUntilOtherCredential' in fault) {
      next.rejected ??= credential;
      if (next.rejected === credential) return fault;
      queue.shift();
      return takeFrom(queue, credential);
    }
    next.left -= 1;
    if (next.left <= 0) queue.shift();
    return fault;
  };

  return {
    add: (target, faults) => {
      const queue = queues.get(target) ?? [];
      queue.push(...faults.map((fault) => ({ fault, left: fault === 'ok' ? 1 : (fault.times ?? 1) })));
      queues.set(target, queue);
    },
    take: (api, operation, credential) => {
      const fault = takeFrom(queues.get(operation) ?? [], credential) ?? takeFrom(queues.get(api) ?? [], credential);
      return fault === undefined || fault === 'ok' ? undefined : planFault(fault);
    },
    pending: () => [...queues.values()].flatMap((queue) => queue.map(({ fault }) => fault)),
  };
};

/** Returns the problem of a fault that no type has checked: with a misspelt one, a test would show nothing. */
export const faultProblem = (fault: Fault): string | undefined => {
  if (fault === 'ok') return undefined;
  if (typeof fault !== 'object' || fault === null) return `A fault is 'ok' or an object`;
  for (const [name, value] of Object.entries(fault)) {
    if (!Object.hasOwn(checks, name)) return `There is no fault ${name}`;
    if (value !== undefined && !checks[name]?.(value)) return `The fault ${name} cannot be ${String(value)}`;
  }
  return undefined;
};

const isTrue = (value: unknown) => value === true;
const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const isOneOf =
  (...words: readonly unknown[]) =>
  (value: unknown) =>
    words.includes(value);

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  latencyMs: (value) => typeof value === 'number' && value >= 0,
  times: (value) => value === Infinity || (Number.isInteger(value) && Number(value) > 0),
  status: (value) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599,
  body: () => true,
  headers: isObject,
  retryAfter: (value) => ['number', 'string'].includes(typeof value),
  executed: isOneOf(true, false),
  reset: isOneOf('before-headers', 'after-headers'),
  stall: isOneOf('headers', 'body'),
  truncate: isTrue,
  executeThenDrop: isTrue,
  unauthorizedUntilOtherCredential: isTrue,
};
