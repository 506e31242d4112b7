import { type Reader, type ReaderContext, type RecordList, ShapeError } from './schema.ts';

export interface ListOptions<T> {
  /** Further names under which the API writes this list, such as `contacts`; upper and lower case are one. */
  readonly under?: readonly string[] | undefined;
  /** Says what a `total` next to the records is. @defaultValue how many there are */
  readonly meaningOfTotal?: ((total: number, data: readonly T[]) => MeaningOfTotal) | undefined;
}

/** A count; a sum, which says that nothing is missing; or neither for sure, but more than what is listed. */
export type MeaningOfTotal = 'count' | 'sum' | 'more';

/**
 * Reads a list: a bare array, or the only list of an object, under `data`, another usual name or one of `under`. The
 * object may say how many there are, or that there are more.
 * Throws `ShapeError` for an object with two lists, one that reports errors, and one with an id: that is a record.
 */
export const readList =
  /* @__NO_SIDE_EFFECTS__ */
    <T>(item: Reader<T>, { under = [], meaningOfTotal = () => 'count' }: ListOptions<T> = {}): Reader<RecordList<T>> =>
    (json, { drift, header }) => {
      const found = listWithin(json, under);
      if (!found) throw new ShapeError('', 'must be a list');
      const drifted = new Set<string>();
      const collecting: ReaderContext = { drift: (fields) => fields.forEach((field) => drifted.add(field)) };
      const data = found.items.map((value, index) => {
        try {
          return item(value, collecting);
        } catch (error) {
          if (!(error instanceof ShapeError)) throw error;
          throw new ShapeError(`${index}${error.field && `.${error.field}`}`, error.problem);
        }
      });
      if (drifted.size > 0) drift([...drifted]);
      const { total = 0 } = found;
      const meaning = total > data.length ? meaningOfTotal(total, data) : 'sum';
      const countOfAll = found.count ?? countIn(header);
      const count = Math.max(data.length, countOfAll ?? 0, meaning === 'count' ? Math.floor(total) : 0);
      const goesOn = found.hasMore || meaning === 'more' || saysMore(header);
      const hasMore = goesOn && countOfAll === undefined && count === data.length;
      return hasMore ? { data, total: count, hasMore } : { data, total: count };
    };

/** Reads a list that may be absent: an endpoint that the API lacks lists nothing. */
export const readOptionalList =
  /* @__NO_SIDE_EFFECTS__ */
    <T>(read: Reader<RecordList<T>>): Reader<RecordList<T>> =>
    (json, context) =>
      json === undefined ? { data: [], total: 0 } : read(json, context);

type Header = ReaderContext['header'];

/** `Content-Range: items 0-9/42` (RFC 9110), `X-Total-Count` and `X-Total`. */
const countIn = (header: Header): number | undefined => {
  const [, range] = /\/(\d+)\s*$/.exec(header?.('content-range') ?? '') ?? [];
  return numberOf(range ?? header?.('x-total-count') ?? header?.('x-total'));
};

/** `Link` (RFC 8288), and what other APIs say of their pages. */
const saysMore = (header: Header): boolean =>
  /;\s*rel="?next\b/i.test(header?.('link') ?? '') ||
  isYes(header?.('x-has-more')) ||
  isYes(header?.('x-next-page')) ||
  Number(header?.('x-total-pages')) > 1;

/** A list as it was found in an answer. */
export interface FoundList {
  readonly items: readonly unknown[];
  /** The count of all records, under a name that can't mean anything else. */
  readonly count?: number | undefined;
  /** The number called `total`, which may also be what they come to. */
  readonly total?: number | undefined;
  /** The answer says that the list goes on. */
  readonly hasMore?: boolean | undefined;
}

/** The array itself, or the only one within an envelope; `undefined` when there is none. */
export const listWithin = (json: unknown, under: readonly string[], depth = 0): FoundList | undefined => {
  if (Array.isArray(json)) return { items: json };
  if (!isObject(json) || isRecord(json)) return undefined;
  const lists = Object.entries(json).filter(([name, value]) => Array.isArray(value) && !otherLists.has(name));
  const names = lists.map(([name]) => name);
  if (names.length > 1) throw new ShapeError('', `must have one list, and has ${names.join(' and ')}`);
  const isKnown = ([name]: readonly [string, unknown]) => isNamed(name, listNames, under);
  const [list] = lists;
  if (list && !isKnown(list)) return undefined;
  const [inner, second] = list ? [list] : Object.entries(json).filter((field) => isObject(field[1]) && isKnown(field));
  const found = inner && !second && depth < deepest ? listWithin(inner[1], under, depth + 1) : undefined;
  if (!found) return undefined;
  assertNoErrors(json);
  return { ...sizeOf(json, found.items.length), ...found };
};

/**
 * Reads a record that may be the only one of an object, under `data`, another usual name or `name`. An object that has
 * one of the `marks` of its own is the record itself.
 */
export const readWithin =
  /* @__NO_SIDE_EFFECTS__ */
    <T>(name: string, read: Reader<T>, marks?: readonly string[]): Reader<T> =>
    (json, context) =>
      read(recordWithin(json, [name], marks), context);

/** The record itself, or the only one within an envelope, which may be `null`; anything else as it is. */
export const recordWithin = (
  json: unknown,
  under: readonly string[],
  marks: readonly string[] = ids,
  depth = 0,
): unknown => {
  if (!isObject(json) || marks.some((mark) => mark in json) || depth >= deepest) return json;
  const named = Object.entries(json).filter(
    ([name, value]) => (isObject(value) || value === null) && isNamed(name, recordNames, under),
  );
  const [first, second] = named.some(([, value]) => value) ? named.filter(([, value]) => value) : named;
  if (!first) return json;
  if (second) throw new ShapeError('', `must have one record, and has ${first[0]} and ${second[0]}`);
  assertNoErrors(json);
  return recordWithin(first[1], under, marks, depth + 1);
};

/** The array itself, or the one under the first of these names; `undefined` when there is none. */
export const itemsWithin = (json: unknown, under: readonly string[]): readonly unknown[] | undefined => {
  if (Array.isArray(json)) return json;
  if (!isObject(json)) return undefined;
  return under.map((name) => json[name]).find((items) => Array.isArray(items));
};

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ids = ['id', 'Id'];

/** An object with an id is a record, even if it has lists of its own. */
const isRecord = (json: Fields): boolean => ids.some((name) => json[name] !== undefined && json[name] !== null);

const isNamed = (name: string, usual: ReadonlySet<string>, under: readonly string[]): boolean =>
  usual.has(name.toLowerCase()) || under.some((one) => one.toLowerCase() === name.toLowerCase());

/** An envelope within an envelope is usual: `{ data: { invoices: [] } }`. */
const deepest = 2;

const listNames: ReadonlySet<string> = new Set([
  'data',
  'items',
  'results',
  'result',
  'records',
  'rows',
  'list',
  'values',
  'entries',
  'ids',
]);

const recordNames: ReadonlySet<string> = new Set(['data', 'result', 'record', 'item']);

/** Lists that come with the one that was asked for. */
const otherLists: ReadonlySet<string> = new Set(['errors', 'warnings', 'messages', 'links', 'included', 'meta']);

/** An answer that reports an error may lack what was asked for: taking that for "none" would be a guess. */
const assertNoErrors = ({ errors, error }: Fields): void => {
  const isEmpty = (value: unknown) =>
    !value || (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0);
  if (!isEmpty(errors) || !isEmpty(error)) throw new ShapeError('', 'reports errors with its records');
};

const sizeOf = (json: Fields, listed: number): Omit<FoundList, 'items'> => {
  const size: { count?: number | undefined; total?: number | undefined; hasMore?: boolean } = {};
  const read = (fields: Fields, within = '') => {
    for (const [name, value] of Object.entries(fields)) {
      const word = wordOf(name);
      const number = numberOf(value);
      if (countNames.has(word)) size.count ??= number;
      else if (pageCountNames.has(word) || (within === 'pages' && word === 'total'))
        size.hasMore ||= Number(number) > 1;
      else if (word === 'total') size.total ??= number;
      // Of this page, or of all.
      else if (word === 'count') size.hasMore ||= Number(number) > listed;
      else if (nextNames.has(word)) size.hasMore ||= isYes(value);
      else if (endNames.has(word)) size.hasMore ||= isNo(value);
      if (within === '' && sizeNames.has(word) && isObject(value)) read(value, word);
    }
  };
  read(json);
  return size;
};

/** A name without case and marks: `total_count`, `totalCount` and `@odata.nextLink`. */
const wordOf = (name: string): string => name.replaceAll(/[^A-Za-z]/g, '').toLowerCase();

/** Some APIs write flags as texts, and an empty object for no next page. */
const isYes = (value: unknown): boolean => Boolean(value) && !isNo(value) && !isEmptyObject(value);

const isNo = (value: unknown): boolean =>
  value === false || (typeof value === 'string' && /^(?:false|0)$/i.test(value));

const isEmptyObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

/** Some APIs write numbers as texts. */
const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
};

const countNames: ReadonlySet<string> = new Set([
  'totalcount',
  'totalsize',
  'totalitems',
  'totalresults',
  'totalrecords',
  'totalelements',
  'odatacount',
]);

const pageCountNames: ReadonlySet<string> = new Set(['totalpages', 'pagecount', 'lastpage', 'pages']);

const nextNames: ReadonlySet<string> = new Set([
  'hasmore',
  'hasnext',
  'hasnextpage',
  'more',
  'truncated',
  'istruncated',
  'incomplete',
  'incompleteresults',
  'partial',
  'ispartial',
  'next',
  'nextpage',
  'nexturl',
  'nextlink',
  'nextpageurl',
  'nextpagetoken',
  'nexttoken',
  'nextcursor',
  'nextrecordsurl',
  'odatanextlink',
]);

const endNames: ReadonlySet<string> = new Set(['done', 'complete', 'iscomplete', 'last', 'islast', 'islastpage']);

/** The fields in which an envelope says how long its list is, other than its own. */
const sizeNames: ReadonlySet<string> = new Set([
  'meta',
  'metadata',
  'pagination',
  'paging',
  'page',
  'pages',
  'pageinfo',
  'links',
  'cursor',
  'cursors',
]);
