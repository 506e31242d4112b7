import { id } from '../arguments.ts';
import { InvalidArgumentError } from '../errors.ts';
import { createHttpClient, readerOf } from '../http/client.ts';
import { checkClientOptions, connectionOptionNames } from '../http/client-options.ts';
import type { HttpClient, Operation, ResponseInfo, Settled } from '../http/operation.ts';
import { pace } from '../http/pace.ts';
import { readPages } from '../http/read-pages.ts';
import { sendAgain } from '../http/repeat.ts';
import type { OptionNames } from '../option-checks.ts';
import { wordsFor } from '../problem-words.ts';
import { checkArgument, fieldOf, itemsWithin, ShapeError, type StandardSchema } from '../schema.ts';
import type {
  ApiCallOptions,
  ApiClient,
  ApiClientOptions,
  ApiConnection,
  ApiEndpoint,
  ApiEndpoints,
  ApiNext,
  ApiPages,
  ApiQuery,
} from './api-client.ts';
import { endpointOf } from './endpoint-of.ts';
import { fillPath, fixedQuery, namesIn } from './entry.ts';
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
  options: ApiClientOptions<Endpoints>,
): ApiClient<Endpoints> => {
  const { name, version, endpoints } = options;
  checkName(name);
  checkClientOptions<ApiClientOptions<Endpoints>>(name, options, optionNames, [
    () => placeVersion(version),
    () => checkEndpoints(endpoints),
  ]);
  // Keys protect a write only where you say that the API knows them.
  const idempotency = options.idempotency ?? 'none';
  const http = createHttpClient({ ...options, idempotency, api: name, ...placeVersion(version) });
  const methods = Object.entries(endpoints).map(([key, endpoint]) => {
    const operation = `${name}.${key}`;
    const knowsKeys = idempotency !== 'none' && (endpoint.repeat ?? 'key') === 'key';
    const send = methodOf(http, operation, endpoint);
    const value = { operation, endpoint, knowsKeys, send };
    return [key, Object.defineProperty(send, endpointOf, { value })];
  });

  // Each endpoint has become the method that its type says.
  return { ...Object.fromEntries(methods), ...connectionOf(http) } as ApiClient<Endpoints>;
};

/** What every client has besides its operations. */
export const connectionOf = (http: HttpClient): ApiConnection => ({
  request: (request, call) => http.custom(request, call),
  warmUp: (options) => http.warmUp(options),
  status: () => http.status(),
  close: () => http.close(),
  [Symbol.asyncDispose]: () => http.close(),
});

const optionNames: OptionNames<ApiClientOptions<ApiEndpoints>> = {
  ...connectionOptionNames,
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
  for (const [key, { method, path, effect, repeat }] of Object.entries(endpoints)) {
    if (taken.includes(key))
      throw new InvalidArgumentError(
        `endpoints.${key}`,
        'must have another name: every client has a method of this one',
      );
    if (typeof method !== 'string' || typeof path !== 'string' || /[{}]/.test(path.replaceAll(/\{\w+\}/g, '')))
      throw new InvalidArgumentError(`endpoints.${key}`, 'must have a method and a path such as /orders/{id}');
    if (effect === 'payment' && repeat === 'again')
      throw new InvalidArgumentError(
        `endpoints.${key}.repeat`,
        "must not be 'again' for a payment: it could be taken twice",
      );
  }
};

/** What `api` is on the events of this package's own parts. */
export const builtInNames: readonly string[] = ['messaging', 'crm', 'billing', 'tools', 'webhooks', 'outbox'];

/** An object with a method `then` is taken for a promise, and an `await` of it would never end. */
const taken = ['request', 'warmUp', 'status', 'close', 'then'];

/** One answer and what leads to the page after it. */
interface Page {
  readonly answer: unknown;
  readonly items: readonly unknown[];
  readonly next: ApiNext | undefined;
}

const methodOf = (http: HttpClient, operation: string, endpoint: ApiEndpoint) => {
  // The application says what it takes; a wrong answer makes it throw.
  const returns = readerOf(
    (endpoint.returns as StandardSchema | ((answer: unknown) => unknown)) ?? ((answer) => answer),
  );
  const { method, sends, reads, absentOn404, effect, repeat } = endpoint;
  const common: Omit<Operation<Page>, 'path' | 'query' | 'body' | 'headers'> = {
    operation,
    method,
    sends,
    reads,
    absentOn404,
    effect,
    wholeDeadline: effect === 'payment',
    repeat: repeat === 'again' ? sendAgain : repeat,
    returns: (json, context) => {
      const isAbsent = absentOn404 && json === undefined;
      const answer = isAbsent ? undefined : returns(json, context);
      if (endpoint.next === undefined || isAbsent) return { answer, items: [], next: undefined };
      return { answer, items: itemsOf(answer, endpoint.items), next: nextPage(endpoint.next, json, answer) };
    },
  };

  return (args: Readonly<Record<string, unknown>> = {}, call: ApiCallOptions = {}): ApiPages<unknown, unknown> => {
    let response: ResponseInfo | undefined;
    const { headers, onSettled, ...options } = call;
    const checked = checkArguments(operation, endpoint, args);

    const read = async (next: ApiNext = {}, onResponse = call.onResponse): Promise<Page> => {
      const { query, body, ...parts } = await checked;
      const { body: nextBody, ...nextQuery } = next as { readonly body?: object };
      return http.request(
        {
          ...common,
          ...parts,
          // What isn't the body is a part of the query.
          query: { ...query, ...(nextQuery as ApiQuery) },
          // Only a body that is an object has fields. JSON may be anything else too.
          body: (nextBody ? { ...(body as object | undefined), ...nextBody } : body) as Operation<Page>['body'],
          headers: { ...lowerCase(endpoint.headers), ...lowerCase(headers) },
        },
        { ...options, onResponse, onSettled: onSettled && ((settled) => onSettled(withAnswer(settled))) },
      );
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
        const readPaced = pace(read);
        await promise;
        const readNext = (next: ApiNext | undefined) => (next === undefined ? first : readPaced(next));
        for await (const { items } of readPages<ApiNext | undefined, Page>(operation, undefined, readNext))
          yield* items;
      },
    });
  };
};

/** What a payment gave, without what only pages need. */
const withAnswer = (settled: Settled): Settled =>
  // `returns` of every operation here gives a page.
  settled.ok ? { ...settled, result: (settled.result as Page).answer } : settled;

/** Sorts the arguments into path, query and body. Throws `InvalidArgumentError` that names the first wrong one. */
const checkArguments = async (operation: string, endpoint: ApiEndpoint, args: Readonly<Record<string, unknown>>) => {
  const { path, query, body } = endpoint;
  const names = namesIn(path);
  const ids = Object.fromEntries(
    names.map((name) => {
      const value = args[name];
      return [name, checkArgument(operation, id, Number.isFinite(value) ? String(value) : value, name)];
    }),
  );
  const others = Object.entries(args).filter(
    ([name, value]) => !names.includes(name) && !(body && name === 'body') && value !== undefined,
  );
  const [unknown] = others;
  if (!query && unknown)
    throw new InvalidArgumentError(unknown[0], 'is not an argument of this operation', { operation });
  return {
    path: fillPath(path, ids),
    query: { ...fixedQuery(path, ids), ...(query && (await check(operation, query, Object.fromEntries(others)))) },
    body: body && (await check(operation, body, args['body'], 'body')),
  };
};

const check = async <T>(operation: string, schema: StandardSchema<T>, value: unknown, prefix = ''): Promise<T> => {
  const result = await schema['~standard'].validate(value);
  if (!result.issues) return result.value;
  const [issue] = result.issues;
  const field = [prefix, fieldOf(issue?.path)].filter(Boolean).join('.') || 'arguments';
  throw new InvalidArgumentError(field, issue ? wordsFor(issue) : 'is not valid', { operation });
};

/** `read` is the answer as it came: a schema may have left the cursor out of the page. */
const nextPage = (next: NonNullable<ApiEndpoint['next']>, read: unknown, page: unknown): ApiNext | undefined => {
  // The application says what a page is, and the schema before it has checked that.
  if (typeof next === 'function') return next(page as never);
  const cursor = (Object(read) as Readonly<Record<string, unknown>>)[next];
  return (typeof cursor === 'string' && cursor !== '') || typeof cursor === 'number' ? { [next]: cursor } : undefined;
};

const itemsOf = (page: unknown, field: string | undefined): readonly unknown[] => {
  const items = itemsWithin(page, [field ?? 'data']);
  if (items) return items;
  throw new ShapeError(field ?? 'data', 'must be a list');
};

const lowerCase = (headers: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
