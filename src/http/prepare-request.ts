import type { Clock } from '../clock.ts';
import { InvalidArgumentError, isInvalidArgumentError } from '../errors.ts';
import { joinUrl } from './base-url.ts';
import { type Deadline, deadlineFrom } from './deadline.ts';
import { assertDuration } from './duration.ts';
import { assertHeaderValue } from './headers.ts';
import type { Operation, Repeat, RequestOptions } from './operation.ts';
import { neverAborts } from './own-signal.ts';
import type { CallPlan } from './plan.ts';
import { startProgress, startSending } from './progress.ts';
import type { HttpRequest } from './request.ts';

/** What all requests of one client have in common. */
export interface RequestDefaults {
  readonly baseUrl: Pick<URL, 'origin' | 'pathname'>;
  readonly pathPrefix: string;
  readonly userAgent: string;
  readonly deadlineMs: number;
  readonly maximumDeadlineMs: number;
  readonly maximumBodyBytes?: number;
  readonly idempotency: 'key' | 'none';
  /** Layers of the application are given the caller's signal, and may attach to it whatever they like. */
  readonly hasOwnLayers: boolean;
  readonly clock: Clock;
}

/**
 * Turns an operation and what its caller said into the request that goes down the stack. Whatever can be wrong with
 * them is found here: `InvalidArgumentError`, and nothing is sent. The idempotency key is chosen here, once.
 */
export const prepareRequest = <T>(
  operation: Operation<T>,
  call: RequestOptions,
  defaults: RequestDefaults,
  onReleased?: CallPlan['onReleased'],
): HttpRequest => {
  const name = operation.operation;
  const startedAt = defaults.clock.now();
  assertDuration('attemptTimeoutMs', call.attemptTimeoutMs, { operation: name });
  assertSignal(call.signal, name);
  const effect = operation.effect ?? (operation.method === 'GET' ? 'read' : 'write');
  const repeat = repeatOf(operation, defaults.idempotency);
  const idempotencyKey = effect === 'read' ? undefined : keyOf(call.idempotencyKey, repeat, name);
  const content = typeof operation.body === 'function' ? operation.body(idempotencyKey) : operation.body;
  const body = content === undefined ? undefined : serialise(content, name);
  return {
    operation: name,
    effect: effect === 'read' ? 'read' : repeat === 'key' ? 'keyed-write' : 'unsafe-write',
    method: operation.method,
    url: joinUrl(defaults.baseUrl, pathOf(operation, defaults), operation.query),
    headers: {
      ...operation.headers,
      accept: 'application/json',
      'user-agent': defaults.userAgent,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
    deadline: deadlineOf(call.deadline ?? defaults.deadlineMs, startedAt, defaults, name),
    signal: call.signal ?? (defaults.hasOwnLayers ? new AbortController().signal : neverAborts),
    attempt: 1,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    plan: planOf(operation, call, {
      repeat,
      maximumBodyBytes: defaults.maximumBodyBytes,
      onReleased,
    }),
    progress: startProgress(startedAt),
    sending: startSending(),
  };
};

/** A path may begin with a slash or not, also behind a prefix. */
const pathOf = <T>({ path }: Operation<T>, { pathPrefix }: RequestDefaults): string =>
  pathPrefix.endsWith('/') && path.startsWith('/') ? `${pathPrefix}${path.slice(1)}` : `${pathPrefix}${path}`;

const repeatOf = <T>({ repeat = 'key', withoutKeys = 'never' }: Operation<T>, idempotency: 'key' | 'none'): Repeat =>
  repeat === 'key' && idempotency === 'none' ? withoutKeys : repeat;

const keyOf = (given: string | undefined, repeat: Repeat, operation: string): string | undefined => {
  if (given === undefined) return repeat === 'key' ? crypto.randomUUID() : undefined;
  if (typeof given !== 'string' || given === '' || given.length > 255)
    throw new InvalidArgumentError('idempotencyKey', 'must be a text of 1 to 255 characters', { operation });
  try {
    assertHeaderValue('idempotencyKey', given);
  } catch (error) {
    throw isInvalidArgumentError(error) ? new InvalidArgumentError(error.field, error.problem, { operation }) : error;
  }
  return given;
};

/** A signal may come from another realm, where `instanceof` says no. */
const assertSignal = (signal: AbortSignal | undefined, operation: string): void => {
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function')
    throw new InvalidArgumentError('signal', 'must be an AbortSignal', { operation });
};

const serialise = (content: object, operation: string): string => {
  try {
    return JSON.stringify(content);
  } catch {
    throw new InvalidArgumentError('body', 'must be something that JSON can hold', { operation });
  }
};

const deadlineOf = (
  given: Deadline | number,
  startedAt: number,
  { clock, maximumDeadlineMs }: RequestDefaults,
  operation: string,
): Deadline => {
  if (typeof given === 'number') {
    if (!(given > 0)) throw wrongDeadline('must be greater than 0 milliseconds', operation);
    if (given > maximumDeadlineMs) throw wrongDeadline(tooLong(maximumDeadlineMs), operation);
    return deadlineFrom(startedAt, given, clock);
  }
  if (typeof given.remainingMs !== 'function')
    throw wrongDeadline('must be a number of milliseconds or made by deadlineIn', operation);
  if (given.remainingMs() > maximumDeadlineMs) throw wrongDeadline(tooLong(maximumDeadlineMs), operation);
  return given;
};

const wrongDeadline = (problem: string, operation: string) =>
  new InvalidArgumentError('deadline', problem, { operation });

const tooLong = (maximumDeadlineMs: number): string =>
  `must be at most ${maximumDeadlineMs} ms, since a person waits: set maximumDeadlineMs on the client to allow more`;

const planOf = <T>(
  operation: Operation<T>,
  call: RequestOptions,
  {
    repeat,
    maximumBodyBytes,
    onReleased,
  }: { repeat: Repeat; maximumBodyBytes: number | undefined; onReleased: CallPlan['onReleased'] },
): CallPlan => ({
  lane: call.lane ?? 'live',
  wholeDeadline: operation.wholeDeadline ?? false,
  minimumBudgetMs: operation.minimumBudgetMs ?? 0,
  ...(call.callId === undefined ? {} : { callId: call.callId }),
  ...(call.attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs: call.attemptTimeoutMs }),
  ...(maximumBodyBytes === undefined ? {} : { maximumBodyBytes }),
  ...(typeof repeat === 'object' ? { lookUp: repeat.lookUp } : {}),
  ...(onReleased ? { onReleased } : {}),
});
