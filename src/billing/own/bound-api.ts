import { hash } from 'node:crypto';
import type { ApiCallOptions, ApiConnection, ApiEndpoint, ApiPages, EndpointInfo } from '../../api/api-client.ts';
import { endpointOf } from '../../api/endpoint-of.ts';
import {
  AbortedError,
  DeadlineExceededError,
  IntegrationError,
  InvalidArgumentError,
  type Outcome,
} from '../../core/errors.ts';
import { settleWithin } from '../../core/timers.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { Deadline } from '../../http/deadline.ts';
import type { CustomRequest, RequestOptions } from '../../http/operation.ts';

/** A request that a function of the application made with its bound client. */
export interface BoundCall {
  /** The words that make it, such as `api.charge(…)`. */
  readonly name: string;
  readonly isPayment: boolean;
  /** `pending` until it ends, even if its caller has gone. */
  readonly state: 'pending' | 'ok' | Outcome;
  /** The error that it ended with. */
  readonly error: unknown;
}

/** A client that is bound to one call of a function, and what the function has done with it. */
export interface BoundApi {
  readonly api: ApiConnection;
  readonly calls: readonly BoundCall[];
}

/** The limits of one call of a function. */
export interface Binding {
  /** The caller's own options, without the key. */
  readonly call: RequestOptions;
  readonly deadline: Deadline;
  readonly signal: AbortSignal | undefined;
  /** Of a payment. */
  readonly key?: string | undefined;
  /** No payment is sent with less time left than this. */
  readonly minimumBudgetMs?: number | undefined;
  /** Called when a payment that may have been sent goes on without its caller. */
  readonly onReleased?: ((error: AbortedError) => void) | undefined;
}

/** Makes a copy of a client whose every request has these limits, and notes how each one ends. */
export const bindApi = (api: ApiConnection, binding: Binding): BoundApi => {
  const calls: BoundCall[] = [];
  const track = createTracker(calls, binding);
  const methods = Object.entries(api).flatMap(([name, method]: [string, unknown]) => {
    const { [endpointOf]: info }: { readonly [endpointOf]?: EndpointInfo<ApiEndpoint> } = Object(method);
    if (!info) return [];
    // What carries its endpoint is the method of that endpoint.
    const send = method as (args: Arguments, call: ApiCallOptions) => Answer;
    const made = { name: `api.${name}(…)`, operation: info.operation, effect: effectOf(info.endpoint) };
    const bound = (args: Arguments = {}, own: ApiCallOptions = {}) =>
      track({ ...made, own, args }, (call) => send(args, call));
    return [[name, Object.defineProperty(bound, endpointOf, { value: { ...info, send: bound } })]];
  });
  const request = <T>(custom: CustomRequest<T>, own: RequestOptions = {}) => {
    const made = { name: 'api.request(…)', operation: custom.operation, effect: effectOf(custom), own, args: custom };
    return track(made, (call) => api.request(custom, call));
  };
  return { api: { ...api, ...Object.fromEntries(methods), request }, calls };
};

type Arguments = Readonly<Record<string, unknown>>;
type Answer = ApiPages<unknown, unknown>;
type Effect = 'read' | 'write' | 'payment';

const effectOf = ({ method, effect }: Pick<CustomRequest<unknown>, 'method' | 'effect'>): Effect =>
  effect ?? (method === 'GET' ? 'read' : 'write');

interface TrackedRequest {
  readonly name: string;
  readonly operation: string;
  readonly effect: Effect;
  /** The function's own options of this request. */
  readonly own: ApiCallOptions;
  readonly args: object;
}

const createTracker =
  (calls: BoundCall[], binding: Binding) =>
  <Sent extends Promise<unknown>>(request: TrackedRequest, send: (call: ApiCallOptions) => Sent): Sent => {
    const { name, effect } = request;
    const isPayment = effect === 'payment';
    const record: { -readonly [Field in keyof BoundCall]: BoundCall[Field] } = {
      name,
      isPayment,
      state: 'pending',
      error: undefined,
    };
    calls.push(record);
    const note = (end: Promise<unknown>) =>
      void end.then(
        () => {
          record.state = 'ok';
        },
        (error: unknown) => {
          // An error of the application's own middleware stays as it is only if nothing was sent.
          record.state = error instanceof IntegrationError ? error.outcome : 'not_sent';
          record.error = error;
        },
      );
    const problem = problemWith(request, binding);
    if (problem) {
      const refused = Promise.reject(problem);
      note(refused);
      return Object.assign(refused, { withResponse: () => refused }) as Promise<unknown> as Sent;
    }
    const call = optionsOf(request, binding);
    if (!isPayment) {
      const answer = send(call);
      note(answer);
      return answer;
    }
    const late = Promise.withResolvers<unknown>();
    late.promise.catch(() => {});
    const answer = send({
      ...call,
      onSettled: (end) => {
        if (end.ok) late.resolve(end.result);
        else late.reject(end.error);
        request.own.onSettled?.(end);
      },
    });
    const settled = answer.catch((error: unknown) => {
      if (!(error instanceof AbortedError) || error.outcome !== 'unknown') throw error;
      binding.onReleased?.(error);
      return settleWithin(late.promise, { deadline: binding.deadline.remainingMs() + graceMs, late: () => error });
    });
    note(settled);
    // The pages of a payment are its answer.
    return Object.assign(settled, answer) as Promise<unknown> as Sent;
  };

/** The end of a payment comes a little after its deadline. */
const graceMs = 250;

/** Returns why a request can't be sent. */
const problemWith = ({ operation, effect, own }: TrackedRequest, binding: Binding): Error | undefined => {
  if (effect !== 'payment') return undefined;
  const { key, deadline, minimumBudgetMs = 0 } = binding;
  if (key === undefined)
    return new InvalidArgumentError('effect', "must not be 'payment' here: only pay may send one", { operation });
  if (own.idempotencyKey !== undefined)
    return new InvalidArgumentError('idempotencyKey', 'must be left out: a repetition of pay needs the same key', {
      operation,
    });
  if (deadline.remainingMs() >= minimumBudgetMs) return undefined;
  const why = `less than the ${minimumBudgetMs} ms that it needs were left`;
  return new DeadlineExceededError(`${operation} was not sent: ${why}`, { operation });
};

const optionsOf = (request: TrackedRequest, { call, deadline, signal, key }: Binding): ApiCallOptions => {
  const { own } = request;
  return withoutUndefined({
    ...call,
    ...withoutUndefined(own),
    deadline: sooner(own.deadline, deadline),
    signal: own.signal && signal ? AbortSignal.any([own.signal, signal]) : (own.signal ?? signal),
    idempotencyKey: own.idempotencyKey ?? (key === undefined ? undefined : keyOf(request, key)),
  });
};

/** A wrong deadline is left for the request to refuse. */
const sooner = (own: Deadline | number | undefined, deadline: Deadline): Deadline | number => {
  if (own === undefined) return deadline;
  const ownMs = typeof own === 'number' ? own : own.remainingMs();
  return ownMs > deadline.remainingMs() ? deadline : own;
};

/** A write besides the payment has a key of its own, the same each time that the payment is repeated. */
const keyOf = ({ effect, operation, args }: TrackedRequest, key: string): string | undefined => {
  if (effect === 'read') return undefined;
  return effect === 'payment' ? key : hash('sha256', JSON.stringify([key, operation, textOf(args)]), 'hex');
};

const textOf = (args: object): string => {
  try {
    return JSON.stringify(args);
  } catch {
    // What JSON can't hold is refused by the request.
    return '';
  }
};
