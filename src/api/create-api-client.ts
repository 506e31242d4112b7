import { InvalidArgumentError } from '../core/errors.ts';
import { isUnread, readerOf } from '../http/client.ts';
import type { HttpClient, Query, RequestOptions, ResponseInfo, Settled } from '../http/operation.ts';
import { ownError, runOwn } from '../http/own-code.ts';
import { pace } from '../http/pace.ts';
import { readPages } from '../http/read-pages.ts';
import { wordChecks } from '../http/prepare-request.ts';
import { assertKnown, checkOptions, flag, type OptionNames } from '../core/option-checks.ts';
import { wordsFor } from '../core/problem-words.ts';
import { itemsWithin } from '../core/envelope.ts';
import { fieldOf, type Reader, ShapeError, type StandardSchema } from '../core/schema.ts';
import type {
  ApiCallOptions,
  ApiClient,
  ApiClientOptions,
  ApiEndpoint,
  ApiEndpoints,
  ApiNext,
  ApiPages,
} from './api-client.ts';
import { connectApi, type OwnOptionNames } from './connect-api.ts';
import { endpointOf } from './endpoint-of.ts';
import { checkIds, type Entry, namesIn, operationOf } from './entry.ts';
import { madeOf } from './made-of.ts';
import { placeVersion } from './version.ts';

/**
 * Makes a client of an API of your own choice, with the same retries, limits, deadlines, events and errors as the
 * built-in clients.
 * Throws `InvalidArgumentError` for options that can't work; nothing is sent before the first call.
 *
 * @example
 * const orders = createApiClient({
 *   name: 'orders',
 *   baseUrl: 'https://orders.example.com/v2',
 *   version: 'in-base-url',
 *   authenticate: apiKey('X-Key', fromEnv('ORDERS_KEY')),
 *   endpoints: {
 *     get: { method: 'GET', path: '/orders/{id}', returns: z.object({ id: z.string(), total: z.number() }) },
 *   },
 * });
 * const { total } = await orders.get({ id: 'A-17' });
 */
export const createApiClient = <const Endpoints extends ApiEndpoints>(
  options: ApiClientOptions<Endpoints> & { readonly endpoints: Spelled<Endpoints> },
): ApiClient<Endpoints> => {
  const { name, version, endpoints } = options;
  checkName(name);
  // Keys protect a write only where you say that the API knows them.
  const { idempotency = 'given' } = options;
  const { http, connection } = connectApi(name, options, {
    optionNames,
    checks: [() => placeVersion(version), () => checkEndpoints(endpoints)],
    settings: () => ({ ...placeVersion(version), idempotency }),
  });
  const methods = Object.entries(endpoints).map(([key, endpoint]) => {
    const operation = `${name}.${key}`;
    const knowsKeys = idempotency !== 'none' && idempotency !== 'given' && (endpoint.repeat ?? 'key') === 'key';
    const send = methodOf(http, operation, endpoint);
    const value = { operation, endpoint, knowsKeys, send };
    return [key, Object.defineProperty(send, endpointOf, { value })];
  });

  const client = { ...Object.fromEntries(methods), ...connection };
  Object.defineProperty(client, madeOf, { value: options });
  // Each endpoint has become the method that its type says.
  return client as ApiClient<Endpoints>;
};

/** A misspelt field of an endpoint doesn't compile: without its `effect`, a payment would be an ordinary write. */
type Spelled<Endpoints> = {
  readonly [Name in keyof Endpoints]: Readonly<Record<Exclude<keyof Endpoints[Name], keyof ApiEndpoint>, never>>;
};

const optionNames: OwnOptionNames<ApiClientOptions<ApiEndpoints>> = {
  name: true,
  dialect: true,
  version: true,
  endpoints: true,
};

const checkName = (name: string): void => {
  if (typeof name !== 'string' || !/^[a-z][\w-]*$/i.test(name))
    throw new InvalidArgumentError('name', 'must be a word such as orders: it begins the name of every operation');
  if (builtInNames.includes(name))
    throw new InvalidArgumentError('name', `must not be ${name}: events of that name are those of what's built in`);
};

const checkEndpoints = (endpoints: ApiEndpoints): void => {
  for (const [key, endpoint] of Object.entries(endpoints)) {
    const field = `endpoints.${key}`;
    assertKnown<ApiEndpoint>(endpoint, fieldNames, field);
    checkOptions(field, [...wordChecks(endpoint), flag(endpoint.absentOn404, 'absentOn404')]);
    const { path, effect, repeat } = endpoint;
    if (taken.includes(key))
      throw new InvalidArgumentError(field, 'must have another name: every client has a method of this one');
    const fixed = typeof path === 'string' ? path.replaceAll(/\{\w+\}/g, '') : '{';
    const [wrong] = /\{[^{}]+\}/.exec(fixed) ?? [];
    if (wrong)
      throw new InvalidArgumentError(
        field,
        `must have a path without ${wrong}: a name in braces has letters, digits and _`,
      );
    if (/[{}]/.test(fixed)) throw new InvalidArgumentError(field, 'must have a path such as /orders/{id}');
    if (effect === 'payment' && endpoint.absentOn404)
      throw new InvalidArgumentError(
        `${field}.absentOn404`,
        'must be left out for a payment: a 404 is no answer to it',
      );
    if (effect === 'payment' && repeat === 'again')
      throw new InvalidArgumentError(`${field}.repeat`, "must not be 'again' for a payment: it could be taken twice");
  }
};

const fieldNames: OptionNames<ApiEndpoint> = {
  method: true,
  path: true,
  query: true,
  body: true,
  sends: true,
  reads: true,
  returns: true,
  absentOn404: true,
  headers: true,
  effect: true,
  repeat: true,
  next: true,
  items: true,
};

/** The values of `api` on events of this package's own parts. */
export const builtInNames: readonly string[] = ['messaging', 'crm', 'billing', 'tools', 'webhooks', 'outbox'];

/** An object with a method `then` is taken for a promise, and an `await` of it would never end. */
const taken = ['request', 'warmUp', 'status', 'close', 'then'];

/** An answer and what leads to the page after it. */
interface Page {
  readonly answer: unknown;
  readonly items: readonly unknown[];
  readonly next: ApiNext | undefined;
}

/** The arguments of an endpoint besides those in its path, as they're sent. */
interface Input {
  readonly query: Query;
  readonly body: unknown;
}

/** An endpoint as the entry that the built-in clients have of each operation. */
const entryOf = (operation: string, endpoint: ApiEndpoint): Entry<string, Input, Page> => {
  const { method, path, sends, reads, absentOn404, headers, effect, repeat } = endpoint;
  return {
    method,
    path,
    sends,
    reads,
    absentOn404,
    effect,
    headers: lowerCase(headers),
    wholeDeadline: effect === 'payment',
    repeat,
    query: ({ query }) => query,
    // JSON may be anything, not only an object.
    body: ({ body }) => body as object,
    isUnread: method !== 'GET' && effect !== 'read' && isUnread(endpoint.returns),
    returns: pageReader(operation, endpoint),
  };
};

const pageReader = (operation: string, { absentOn404, returns, items, next }: ApiEndpoint): Reader<Page> => {
  // The application says what it takes; a wrong answer makes it throw.
  const read = readerOf(
    operation,
    (returns as StandardSchema | ((answer: unknown) => unknown)) ?? ((answer) => answer),
  );
  return (json, context) => {
    const isAbsent = absentOn404 && json === undefined;
    const answer = isAbsent ? undefined : read(json, context);
    if (next === undefined || isAbsent) return { answer, items: [], next: undefined };
    return { answer, items: itemsOf(answer, items), next: nextPage(operation, next, { json, answer }) };
  };
};

const methodOf = (http: HttpClient, operation: string, endpoint: ApiEndpoint) => {
  const entry = entryOf(operation, endpoint);

  return (args: Readonly<Record<string, unknown>> = {}, call: ApiCallOptions = {}): ApiPages<unknown, unknown> => {
    let response: ResponseInfo | undefined;
    const { headers, onSettled, ...options } = call;
    const checked = checkArguments(operation, endpoint, args);

    const read = async (next: ApiNext = {}, onResponse = call.onResponse): Promise<Page> => {
      const { ids, input } = await checked;
      const request = operationOf(operation, entry, ids, withNext(input, next));
      const send = (own: RequestOptions) =>
        http.request({ ...request, headers: { ...request.headers, ...lowerCase(headers) } }, own);
      const own = { ...options, onResponse, onSettled: onSettled && ((end: Settled) => onSettled(withAnswer(end))) };
      return endpoint.effect === 'payment' ? http.keepAnswer(own, send) : send(own);
    };

    const first = read(undefined, (info) => {
      response = info;
      call.onResponse?.(info);
    });
    const promise = first.then(({ answer }) => answer);

    return Object.assign(promise, {
      withResponse: async () => {
        const data = await promise;
        // Every answer is announced before its call ends.
        return { data, response: response as ResponseInfo };
      },
      [Symbol.asyncIterator]: async function* () {
        await promise;
        for await (const { items } of readPages(operation, pace(read), first)) yield* items;
      },
    });
  };
};

/** Returns what a payment gave, without what only pages need. */
const withAnswer = (settled: Settled): Settled =>
  // `returns` of every operation here gives a page.
  settled.ok ? { ...settled, result: (settled.result as Page).answer } : settled;

/** Takes everything but the body for the query. */
const withNext = ({ query, body }: Input, { body: nextBody, ...nextQuery }: ApiNext): Input => ({
  // What isn't a text, a number or a boolean is refused where it's written.
  query: { ...query, ...(nextQuery as Query) },
  body: nextBody ? { ...Object(body), ...nextBody } : body,
});

/** Sorts the arguments into ids, query and body. Throws `InvalidArgumentError` that names the first wrong one. */
const checkArguments = async (operation: string, endpoint: ApiEndpoint, args: Readonly<Record<string, unknown>>) => {
  const { path, query, body } = endpoint;
  const names = namesIn(path);
  const values = names.map((name) => (Number.isFinite(args[name]) ? String(args[name]) : args[name]));
  const ids = checkIds(operation, names, values);
  const others = Object.entries(args).filter(
    ([name, value]) => !names.includes(name) && !(body && name === 'body') && value !== undefined,
  );
  const [unknown] = others;
  if (!query && unknown) throw new InvalidArgumentError(unknown[0], unknownProblem(unknown[0]), { operation });
  const input: Input = {
    // Its values are checked where it's written.
    query: query ? ((await check(operation, query, Object.fromEntries(others))) as Query) : {},
    body: body && (await check(operation, body, args['body'], 'body')),
  };
  return { ids, input };
};

/** Says what would make it one. */
const unknownProblem = (name: string): string =>
  name === 'body'
    ? 'is not an argument of this operation: give its endpoint the schema `body`'
    : 'is not an argument of this operation: its endpoint has no `query`, and its path no such name';

const check = async <T>(operation: string, schema: StandardSchema<T>, value: unknown, prefix = ''): Promise<T> => {
  const run = async () => schema['~standard'].validate(value);
  const result = await run().catch((error: unknown) => {
    throw ownError({ name: prefix || 'query', operation, isSent: false }, error);
  });
  if (!result.issues) return result.value;
  const [issue] = result.issues;
  const field = [prefix, fieldOf(issue?.path)].filter(Boolean).join('.') || 'arguments';
  throw new InvalidArgumentError(field, issue ? wordsFor(issue) : 'is not valid', { operation });
};

/** `json` is the answer as it came: a schema may have left the cursor out of the page. */
const nextPage = (
  operation: string,
  next: NonNullable<ApiEndpoint['next']>,
  { json, answer }: { readonly json: unknown; readonly answer: unknown },
): ApiNext | undefined => {
  // The application says what a page is, and the schema before it has checked that.
  if (typeof next === 'function') return runOwn({ name: 'next', operation }, () => next(answer as never));
  const cursor = (Object(json) as Readonly<Record<string, unknown>>)[next];
  if (cursor === undefined || cursor === null || cursor === '') return undefined;
  if (typeof cursor === 'string' || typeof cursor === 'number') return { [next]: cursor };
  throw new ShapeError(next, 'must be a text, a number or null');
};

const itemsOf = (page: unknown, field: string | undefined): readonly unknown[] => {
  const items = itemsWithin(page, [field ?? 'data']);
  if (items) return items;
  throw new ShapeError(field ?? 'data', 'must be a list');
};

const lowerCase = (headers: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
