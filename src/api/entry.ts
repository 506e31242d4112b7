import { id } from '../core/arguments.ts';
import type { HttpClient, Operation, Repeat, RequestOptions } from '../http/operation.ts';
import { type OwnCode, ownFailure, runOwn } from '../http/own-code.ts';
import { type ArgumentSchema, checkArgument } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

/**
 * An operation of an API, in one place: where it goes, what it takes, what it gives. Its method takes the ids of the
 * path, in their order, and then what `takes` checks.
 */
export interface Entry<Path extends string = string, Input = never, Result = unknown>
  extends Omit<Operation<Result>, 'operation' | 'path' | 'query' | 'body' | 'repeat'> {
  /** Relative to the base address; may have a query: `invoices?customer_id={customerId}&status=open`. */
  readonly path: Path;
  /** Checks the argument after the ids. Without `query` and `body`, a GET sends it as the query, others as the body. */
  readonly takes?: ArgumentSchema<Input>;
  readonly query?: (input: Input) => Operation<Result>['query'];
  readonly body?: ((input: Input, idempotencyKey: string | undefined) => object) | undefined;
  readonly repeat?: Repeat | ((input: Input) => Repeat | undefined) | undefined;
  /** Finds what `returns` reads within the answer; `null` where there is no record. @defaultValue the whole answer */
  readonly answer?: (json: unknown) => unknown;
}

/** Types an entry: `query` and `body` get what `takes` checked. */
export const entry = /* @__NO_SIDE_EFFECTS__ */ <const Path extends string, Result, Input = undefined>(
  made: Entry<Path, Input, Result>,
): Entry<Path, Input, Result> => made;

/** The differences from a tree of entries: a preset says it of its platform. */
export type EntryOverrides<Entries> = {
  readonly [Name in keyof Entries]?: Entries[Name] extends Entry<string, infer Input, infer _Result>
    ? Partial<Omit<Entry<string, Input>, 'takes' | 'returns'>>
    : EntryOverrides<Entries[Name]>;
};

/** The same tree with what is different. */
export const overrideEntries = <Entries extends object>(
  entries: Entries,
  overrides: EntryOverrides<NoInfer<Entries>> = {},
): Entries => {
  const merged = Object.entries(entries).map(([key, value]) => {
    const override = (overrides as Readonly<Record<string, object | undefined>>)[key];
    if (!override) return [key, value];
    return [key, isEntry(value) ? overrideEntry(value, override) : overrideEntries(value, override)];
  });
  // An override has no other fields than the entry that it changes.
  return Object.fromEntries(merged) as Entries;
};

/** Removes the body of what becomes a GET, unless the override has one. */
const overrideEntry = (entry: Entry, override: Partial<Entry>): Entry => {
  const { method = entry.method, body = method === 'GET' ? undefined : entry.body } = override;
  return { ...entry, ...withoutUndefined(override), body };
};

/** The methods of a tree of entries, typed by them. */
export type Methods<Entries> = {
  readonly [Name in keyof Entries]: Entries[Name] extends Entry<infer Path, infer Input, infer Result>
    ? (...values: [...IdsIn<Path>, ...Rest<Input>, call?: RequestOptions]) => Promise<Result>
    : Methods<Entries[Name]>;
};

/** The arguments that fill the path: one id for each name in it. */
type IdsIn<Path extends string> = Path extends `${string}{${string}}${infer After}`
  ? [id: string, ...IdsIn<After>]
  : [];

/** The argument after the ids, where the entry takes one. */
type Rest<Input> = [Input] extends [undefined] ? [] : [input: Input];

/** Turns a tree of entries into methods. `name` begins the name of each operation: `billing` gives `billing.customers.get`. */
export const createMethods = <Entries extends object>(
  http: HttpClient,
  name: string,
  entries: Entries,
): Methods<Entries> =>
  // Each value becomes a method or, below it, methods; the keys stay.
  Object.fromEntries(
    Object.entries(entries).map(([key, value]) => {
      const operation = `${name}.${key}`;
      return [key, isEntry(value) ? methodOf(http, operation, value) : createMethods(http, operation, value)];
    }),
  ) as Methods<Entries>;

const isEntry = (value: object): value is Entry => 'method' in value;

const methodOf = (http: HttpClient, operation: string, entry: Entry) => {
  const names = namesIn(entry.path);
  const count = names.length + (entry.takes ? 1 : 0);
  return async (...values: readonly unknown[]): Promise<unknown> =>
    // The types of the method say what is where.
    http.request(toOperation(operation, entry, values), values[count] as RequestOptions | undefined);
};

/**
 * The operation that an entry makes of its arguments: the ids of its path, then what it takes. For a method of a dialect.
 * Throws `InvalidArgumentError` that names the first wrong one.
 *
 * @example
 * http.request(toOperation('messaging.contacts.update', { ...endpoints.contacts.update, path }, [id, fields]), call)
 */
export const toOperation = <Input, Result>(
  operation: string,
  entry: Entry<string, Input, Result>,
  values: readonly unknown[],
): Operation<Result> => {
  const { path, takes } = entry;
  const names = namesIn(path);
  const ids = checkIds(operation, names, values);
  // An entry that takes nothing has functions that need nothing.
  const input = takes ? checkArgument(operation, takes, values[names.length]) : (undefined as Input);
  return operationOf(operation, entry, ids, input);
};

/** Ids by their names. Throws `InvalidArgumentError` for the first that is none. */
export const checkIds = (operation: string, names: readonly string[], values: readonly unknown[]): Ids =>
  Object.fromEntries(names.map((name, index) => [name, checkArgument(operation, id, values[index], name)]));

/** The operation that an entry makes of arguments that were checked. */
export const operationOf = <Input, Result>(
  operation: string,
  { takes: _checked, path, query, body, repeat, answer, returns, ...rest }: Entry<string, Input, Result>,
  ids: Ids,
  input: Input,
): Operation<Result> => {
  const isRead = rest.method === 'GET';
  // What a schema of an entry checks is an object wherever it's sent as it is.
  const sent = input as object | undefined;
  const before = (name: string): OwnCode => ({ name, operation, isSent: false });
  const found = (json: unknown): unknown => {
    // A 404, which has nothing to find a record in.
    if (json === undefined && rest.absentOn404) return undefined;
    const own = { name: 'answer', operation };
    const record = runOwn(own, () => answer?.(json));
    // Of an answer that has something, it's a `return` that was forgotten, or a wrong name.
    if (record === undefined && rest.absentOn404 && !isEmpty(json))
      throw ownFailure(own, 'returned undefined: return null where there is no record');
    return record ?? undefined;
  };

  return {
    ...rest,
    operation,
    path: fillPath(path, ids),
    query: {
      ...fixedQuery(path, ids),
      ...(query ? runOwn(before('query'), () => query(input)) : isRead ? sent : undefined),
    },
    body: body
      ? (idempotencyKey) => runOwn(before('body'), () => body(input, idempotencyKey))
      : isRead
        ? undefined
        : sent,
    repeat: typeof repeat === 'function' ? runOwn(before('repeat'), () => repeat(input)) : repeat,
    returns: answer ? (json, context) => returns(found(json), context) : returns,
  };
};

const isEmpty = (json: unknown): boolean => typeof json !== 'object' || json === null || Object.keys(json).length === 0;

type Ids = Readonly<Record<string, string>>;

/** The names in braces, in their order. */
export const namesIn = (path: string): readonly string[] =>
  [...path.matchAll(placeholder)].map(([, name = '']) => name);

/** The path without its query. Every value is one encoded segment: it can change neither the route nor the query. */
export const fillPath = (path: string, ids: Ids): string => fill(path.split('?')[0] ?? '', ids, encodeURIComponent);

/** Returns what the path says after its `?`. A name that occurs several times has a list. */
const fixedQuery = (path: string, ids: Ids): Readonly<Record<string, string | string[]>> => {
  const [, query] = path.split('?');
  if (query === undefined) return {};
  const fixed = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(fixed.keys())].map((name) => {
      const [value = '', ...more] = fixed.getAll(name).map((each) => fill(each, ids, (id) => id));
      return [name, more.length > 0 ? [value, ...more] : value];
    }),
  );
};

const fill = (text: string, ids: Ids, write: (id: string) => string): string =>
  text.replaceAll(placeholder, (_all, name: string) => write(ids[name] ?? ''));

const placeholder = /\{(\w+)\}/g;
