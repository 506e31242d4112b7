import { invalidParameter as invalid } from '../refused.ts';
import type { FakeContact } from '../store/messaging-records.ts';

/** One page of what a search finds. */
export interface SearchPage<T> {
  readonly records: readonly T[];
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  /** The cursor of the next page; `undefined` on the last. */
  readonly next: string | undefined;
}

/** Returns the reader of a field; `undefined` for one that can't be searched. */
export type ReadField<T> = (field: unknown) => ((record: T) => unknown) | undefined;

/** Reads a search as Intercom does; throws `Refused` for one that it would not take. */
export const searchIntercom = <T>(
  all: readonly T[],
  body: Readonly<Record<string, unknown>>,
  readField: ReadField<T>,
): SearchPage<T> => {
  const count = { filters: 0 };
  const matches = toFilter(body['query'], { at: 'query', depth: 1, count, readField });
  if (count.filters > maximumFilters) throw invalid('query', `holds more than ${maximumFilters} filters`);
  const { perPage, from } = readPagination(body['pagination']);
  const found = all.filter(matches);
  const end = from + perPage;
  return {
    records: found.slice(from, end),
    total: found.length,
    page: Math.floor(from / perPage) + 1,
    perPage,
    next: end < found.length ? cursorOf(end) : undefined,
  };
};

const maximumFilters = 15;
const maximumDepth = 3;
const maximumPerPage = 150;

interface FilterPlace<T> {
  readonly at: string;
  readonly depth: number;
  readonly count: { filters: number };
  readonly readField: ReadField<T>;
}

/** Groups of groups of filters, and no deeper. */
const toFilter = <T>(query: unknown, place: FilterPlace<T>): ((record: T) => boolean) => {
  const { at, depth, count, readField } = place;
  if (typeof query !== 'object' || query === null) throw invalid(at, 'must be an object');
  const { field, operator, value, ...others } = query as Readonly<Record<string, unknown>>;
  const [unknownName] = Object.keys(others);
  if (unknownName !== undefined) throw invalid(`${at}.${unknownName}`, 'is not a field of this request');
  if (operator === 'AND' || operator === 'OR') {
    if (field !== undefined) throw invalid(`${at}.field`, 'has no place next to AND and OR');
    if (depth >= maximumDepth) throw invalid(at, 'is nested too deeply');
    if (!Array.isArray(value) || value.length === 0) throw invalid(`${at}.value`, 'must be a list of filters');
    const filters = value.map((part, index) =>
      toFilter(part, { ...place, at: `${at}.value.${index}`, depth: depth + 1 }),
    );
    return operator === 'OR'
      ? (record) => filters.some((filter) => filter(record))
      : (record) => filters.every((filter) => filter(record));
  }
  count.filters += 1;
  if (typeof operator !== 'string' || !Object.hasOwn(operators, operator))
    throw invalid(`${at}.operator`, 'is unknown');
  const compare = operators[operator];
  const read = readField(field);
  if (!compare || !read) throw invalid(`${at}.field`, 'cannot be searched');
  const isList = operator === 'IN' || operator === 'NIN';
  if (isList ? !Array.isArray(value) : !['string', 'number', 'boolean'].includes(typeof value))
    throw invalid(`${at}.value`, isList ? 'must be a list' : 'must be a string, a number or a boolean');
  return (record) => compare(read(record), value);
};

/** Exactly as it was entered: another format of the same number is another text. */
const isSame = (field: unknown, value: unknown) => lowered(field) === lowered(value);
const isAmong = (field: unknown, values: unknown) =>
  (values as readonly unknown[]).some((value) => isSame(field, value));
const lowered = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value);
const textOf = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : '');

const operators: Readonly<Record<string, (field: unknown, value: unknown) => boolean>> = {
  '=': isSame,
  '!=': (field, value) => !isSame(field, value),
  IN: isAmong,
  NIN: (field, values) => !isAmong(field, values),
  '<': (field, value) => Number(field) < Number(value),
  '>': (field, value) => Number(field) > Number(value),
  '<=': (field, value) => Number(field) <= Number(value),
  '>=': (field, value) => Number(field) >= Number(value),
  '~': (field, value) => textOf(field).includes(textOf(value)),
  '!~': (field, value) => !textOf(field).includes(textOf(value)),
  '^': (field, value) => textOf(field).startsWith(textOf(value)),
  $: (field, value) => textOf(field).endsWith(textOf(value)),
};

const own = ['id', 'role', 'phone', 'email', 'name', 'external_id', 'owner_id', 'created_at', 'updated_at'] as const;

/** The fields of contacts that can be searched. */
export const contactField: ReadField<FakeContact> = (field) => {
  if (typeof field !== 'string') return undefined;
  if (field === 'formatted_phone') return ({ phone }) => formattedPhone(phone);
  const attribute = /^custom_attributes\.(.+)$/.exec(field)?.[1];
  if (attribute !== undefined) return ({ custom_attributes }) => custom_attributes[attribute];
  const name = own.find((each) => each === field);
  return name && ((contact) => contact[name]);
};

/** Returns a number as the inbox shows it. Only numbers of North America are known here. */
const formattedPhone = (phone: string | null): string | null =>
  phone?.replace(/^\+?1?[\s.(-]*(\d{3})[\s.)-]*(\d{3})[\s.-]*(\d{4})$/, '+1 $1-$2-$3') ?? null;

const readPagination = (pagination: unknown): { readonly perPage: number; readonly from: number } => {
  if (pagination === undefined || pagination === null) return { perPage: 50, from: 0 };
  const { per_page: perPage = 50, starting_after: after } = pagination as Readonly<Record<string, unknown>>;
  if (typeof perPage !== 'number' || !Number.isInteger(perPage) || perPage < 1 || perPage > maximumPerPage)
    throw invalid('pagination.per_page', `must be an integer from 1 to ${maximumPerPage}`);
  if (after === undefined || after === null) return { perPage, from: 0 };
  const from = typeof after === 'string' ? Number(/^after_(\d+)$/.exec(after)?.[1]) : Number.NaN;
  if (!Number.isInteger(from)) throw invalid('pagination.starting_after', 'is no cursor of this search');
  return { perPage, from };
};

const cursorOf = (index: number): string => `after_${index}`;
