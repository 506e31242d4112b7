import { InvalidArgumentError } from '../core/errors.ts';
import { assertSpelled, checkOptions, oneOf, type OptionCheck, type OptionNames } from '../core/option-checks.ts';
import { lanes } from '../stores/ports/rate-limiter.ts';
import { assertDuration } from '../core/timers.ts';
import { unsafeInUrls } from './base-url.ts';
import { type CallPlan, createCallLog, withLog } from './call-log.ts';
import { type Deadline, deadlineFrom } from './deadline.ts';
import type { Operation, Query, Repeat, RequestOptions } from './operation.ts';
import { assertHeaderValue, type HttpRequest } from './request.ts';

/** The settings that all requests of one client have in common. */
export interface RequestDefaults {
  readonly baseUrl: Pick<URL, 'origin' | 'pathname'>;
  readonly pathPrefix: string;
  readonly userAgent: string;
  readonly deadlineMs: number;
  readonly maximumDeadlineMs: number;
  readonly maximumBodyBytes: number | undefined;
  readonly idempotency: 'key' | 'sent' | 'given' | 'none';
  /** The headers of the dialect. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
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
  const startedAt = performance.now();
  if (!Object.keys(call).every((field) => Object.hasOwn(callNames, field)))
    naming(name, () => assertSpelled(call, callNames));
  assertDuration('attemptTimeoutMs', call.attemptTimeoutMs, { operation: name });
  assertSignal(call.signal, name);
  if (!hasKnownWords(operation, call))
    naming(name, () => checkOptions(undefined, [...wordChecks(operation), oneOf(call.lane, 'lane', lanes)]));
  const effect = operation.effect ?? (operation.method === 'GET' ? 'read' : 'write');
  const repeat = repeatOf(operation, defaults.idempotency);
  if (effect === 'payment' && repeat === 'again')
    throw new InvalidArgumentError('repeat', "must not be 'again' for a payment: it could be taken twice", {
      operation: name,
    });
  const sendsKey = defaults.idempotency !== 'none' || operation.honoursKeys === true;
  const needsKey = repeat === 'key' || (defaults.idempotency === 'sent' && (operation.repeat ?? 'key') === 'key');
  const idempotencyKey = effect === 'read' ? undefined : keyOf(call.idempotencyKey, needsKey, name);
  const content = typeof operation.body === 'function' ? operation.body(idempotencyKey) : operation.body;
  const sent = content === undefined ? undefined : naming(name, () => toSend[operation.sends ?? 'json'](content));
  const log = createCallLog(
    {
      lane: call.lane ?? 'live',
      attemptTimeoutMs: call.attemptTimeoutMs,
      wholeDeadline: operation.wholeDeadline ?? false,
      isPayment: effect === 'payment',
      isUnread: effect !== 'read' && (operation.isUnread ?? operation.returns.length === 0),
      minimumBudgetMs: operation.minimumBudgetMs ?? 0,
      sendsKey,
      lookUp: typeof repeat === 'object' ? repeat.lookUp : repeat === 'again' ? findsNothing : undefined,
      onReleased,
    },
    startedAt,
  );
  const request: HttpRequest = {
    operation: name,
    effect: effect === 'read' ? 'read' : repeat === 'key' ? 'keyed-write' : 'unsafe-write',
    method: operation.method,
    url: naming(name, () => joinUrl(defaults.baseUrl, pathOf(operation, defaults))),
    searchParams: operation.query && naming(name, () => searchParamsOf('query', operation.query)),
    headers: {
      accept: (operation.reads ?? 'json') === 'json' ? 'application/json' : '*/*',
      ...sent?.headers,
      ...operation.headers,
      ...defaults.headers,
      'user-agent': defaults.userAgent,
    },
    json: sent?.json,
    body: sent?.body,
    readsBytes: operation.reads === 'bytes',
    deadline: deadlineOf(call.deadline ?? defaults.deadlineMs, startedAt, defaults, name),
    signal: call.signal ?? new AbortController().signal,
    attempt: 1,
    idempotencyKey,
    callId: call.callId,
    maximumBodyBytes: defaults.maximumBodyBytes,
  };
  return withLog(request, log.attemptStarted());
};

type OperationWords = Pick<Operation<unknown>, 'method' | 'effect' | 'repeat' | 'withoutKeys' | 'sends' | 'reads'>;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const effects = ['read', 'write', 'payment'] as const;
const bodies = ['json', 'form', 'nested-form', 'text'] as const;
const answers = ['json', 'form', 'text', 'bytes'] as const;
const repeats = ['key', 'again', 'never'] as const;

/** The checks of the words with which an application may describe an operation. */
export const wordChecks = ({ method, effect, sends, reads, ...words }: OperationWords): readonly OptionCheck[] => [
  oneOf(method ?? null, 'method', methods),
  oneOf(effect, 'effect', effects),
  oneOf(sends, 'sends', bodies),
  oneOf(reads, 'reads', answers),
  ...(['repeat', 'withoutKeys'] as const).map((field) =>
    oneOf(isLookUp(words[field]) ? undefined : words[field], field, repeats, '{ lookUp }'),
  ),
];

/** The same without a list of checks, since every request asks it. */
const hasKnownWords = (words: OperationWords, { lane }: RequestOptions): boolean =>
  methods.includes(words.method) &&
  (words.effect === undefined || effects.includes(words.effect)) &&
  (words.sends === undefined || bodies.includes(words.sends)) &&
  (words.reads === undefined || answers.includes(words.reads)) &&
  isRepeat(words.repeat) &&
  isRepeat(words.withoutKeys) &&
  (lane === undefined || lanes.includes(lane));

const isRepeat = (repeat: Repeat | undefined): boolean =>
  repeat === undefined || (typeof repeat === 'string' ? repeats.includes(repeat) : isLookUp(repeat));

const isLookUp = (repeat: Repeat | undefined): boolean =>
  typeof repeat === 'object' && typeof repeat?.lookUp === 'function';

const callNames: OptionNames<RequestOptions> = {
  deadline: true,
  signal: true,
  idempotencyKey: true,
  attemptTimeoutMs: true,
  onResponse: true,
  onSettled: true,
  lane: true,
  callId: true,
};

/** A path may begin with a slash or not, also after a prefix. */
const pathOf = <T>({ path }: Operation<T>, { pathPrefix }: RequestDefaults): string =>
  pathPrefix.endsWith('/') && path.startsWith('/') ? `${pathPrefix}${path.slice(1)}` : `${pathPrefix}${path}`;

const repeatOf = <T>(
  { repeat = 'key', withoutKeys = 'never', honoursKeys = false }: Operation<T>,
  idempotency: RequestDefaults['idempotency'],
): Repeat => (repeat === 'key' && idempotency !== 'key' && !honoursKeys ? withoutKeys : repeat);

/** Sends it again without a look. */
const findsNothing = async () => undefined;

const keyOf = (key: string | undefined, isNeeded: boolean, operation: string): string | undefined => {
  if (key === undefined) return isNeeded ? crypto.randomUUID() : undefined;
  if (typeof key !== 'string' || key === '' || key.length > 255)
    throw new InvalidArgumentError('idempotencyKey', 'must be a text of 1 to 255 characters', { operation });
  naming(operation, () => assertHeaderValue('idempotencyKey', key));
  return key;
};

/** Puts the operation on what is found wrong. */
const naming = <T>(operation: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw error instanceof InvalidArgumentError
      ? new InvalidArgumentError(error.field, error.problem, { operation })
      : error;
  }
};

/** A signal may come from another realm, where `instanceof` says no. */
const assertSignal = (signal: AbortSignal | undefined, operation: string): void => {
  if (signal !== undefined && typeof signal?.throwIfAborted !== 'function')
    throw new InvalidArgumentError('signal', 'must be an AbortSignal', { operation });
};

interface Sent extends Pick<HttpRequest, 'json' | 'body'> {
  readonly headers?: HttpRequest['headers'];
}

const toSend: Readonly<Record<'json' | 'form' | 'nested-form' | 'text', (content: unknown) => Sent>> = {
  json: (content) => {
    try {
      // A copy: each attempt sends the same, whatever happens to the original meanwhile.
      return { json: JSON.parse(JSON.stringify(content)) };
    } catch {
      throw new InvalidArgumentError('body', 'must be something that JSON can hold');
    }
  },
  form: (content) => toForm(Object(content)),
  'nested-form': (content) => toForm(Object.fromEntries(nestedFields(content))),
  text: (content) => ({ headers: { 'content-type': 'text/plain;charset=UTF-8' }, body: String(content) }),
};

const toForm = (fields: Query): Sent => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: String(searchParamsOf('body', fields)),
});

/** Objects and lists as `a[b]` and `a[0]`. What is `undefined` is left out. */
const nestedFields = (content: unknown, name = ''): readonly (readonly [string, Query[string]])[] => {
  // What isn't a text or a number in the end is refused where it's written.
  if (typeof content !== 'object' || content === null) return [[name, content as Query[string]]];
  return Object.entries(content).flatMap(([key, value]) =>
    value === undefined ? [] : nestedFields(value, name === '' ? key : `${name}[${key}]`),
  );
};

const deadlineOf = (
  deadline: Deadline | number,
  startedAt: number,
  { maximumDeadlineMs }: RequestDefaults,
  operation: string,
): Deadline => {
  if (typeof deadline === 'number') {
    if (!(deadline > 0)) throw wrongDeadline('must be greater than 0 milliseconds', operation);
    if (deadline > maximumDeadlineMs) throw wrongDeadline(tooLong(maximumDeadlineMs), operation);
    return deadlineFrom(startedAt, deadline);
  }
  if (typeof deadline.remainingMs !== 'function')
    throw wrongDeadline('must be a number of milliseconds or made by deadlineIn', operation);
  if (deadline.remainingMs() > maximumDeadlineMs) throw wrongDeadline(tooLong(maximumDeadlineMs), operation);
  return deadline;
};

const wrongDeadline = (problem: string, operation: string) =>
  new InvalidArgumentError('deadline', problem, { operation });

const tooLong = (maximumDeadlineMs: number): string =>
  `must be at most ${maximumDeadlineMs} ms, since a person waits: set maximumDeadlineMs on the client to allow more`;

/**
 * Appends a path to a base address and keeps the base's own path: `https://x.test/v1` and `payments` give
 * `https://x.test/v1/payments`.
 * Throws `InvalidArgumentError` for a path that would leave the base: an absolute URL, `..`, a query of its own.
 */
export const joinUrl = (base: Pick<URL, 'origin' | 'pathname'>, path: string): string => {
  assertRelativePath(path);
  const { origin, pathname } = base;
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return `${origin}${folder}${path.startsWith('/') ? path.slice(1) : path}`;
};

/** Most paths are these characters, and no word of them is dangerous. */
const plainPath = /^[\w-][\w/-]*$/;

const assertRelativePath = (path: string): void => {
  if (typeof path === 'string' && plainPath.test(path)) return;
  const refuse = (problem: string): never => {
    throw new InvalidArgumentError('path', problem);
  };
  if (typeof path !== 'string' || !path.isWellFormed()) return refuse('must be well-formed text');
  if (/^\/\/|^[a-z][a-z0-9+.-]*:/i.test(path)) return refuse('must be relative to the base address');
  if (unsafeInUrls.test(path)) return refuse('must not contain spaces, control characters or backslashes');
  if (/[?#]/.test(path)) return refuse('must not contain "?" or "#"; a query is given as query');
  if (path.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)))
    return refuse('must not contain "." or ".." as a segment');
};

/** A list repeats its name: `tag=a&tag=b`. Values that are `undefined` are left out. */
export const searchParamsOf = (where: 'query' | 'body', values: Query = {}): URLSearchParams =>
  new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const list: readonly unknown[] = Array.isArray(value) ? value : [value];
      return list.map((each): [string, string] => [name, textOf(`${where}.${name}`, each)]);
    }),
  );

const textOf = (field: string, value: unknown): string => {
  if (!['string', 'number', 'boolean', 'bigint'].includes(typeof value))
    throw new InvalidArgumentError(field, 'must be a text, a number, a boolean or a list of these');
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new InvalidArgumentError(field, 'must be a finite number');
  const text = String(value);
  if (!text.isWellFormed()) throw new InvalidArgumentError(field, 'must be well-formed Unicode');
  return text;
};
