import { id, text } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import * as z from '../core/schema.ts';
import type { SearchCondition, SearchQuery } from './records.ts';

const searchedValue = z.lazily(() =>
  z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]),
);

const condition = z.lazily<SearchCondition>(() =>
  z.object({ field: text(), operator: text(), value: searchedValue() }),
);

const anyObject = z.lazily(() => z.object({}));
const someParts = z.lazily(() => z.array(z.unknown()).check(z.minLength(1)));

/** Reads what the query is meant to be before it is checked, so that the field that is wrong is named. */
export const checkQuery = (operation: string, query: SearchQuery, prefix = ''): SearchQuery => {
  z.checkArgument(operation, anyObject, query, prefix);
  // TypeScript lets several through, and all but one would be ignored.
  if (['all', 'any', 'field'].filter((kind) => kind in query).length > 1)
    throw new InvalidArgumentError(prefix || 'query', 'must be one of all, any and a field: put several under all', {
      operation,
    });
  const joined = joinOf(query);
  if (joined === undefined) return z.checkArgument(operation, condition, query, prefix);
  const [join, parts] = joined;
  const under = prefix === '' ? join : `${prefix}.${join}`;
  z.checkArgument(operation, someParts, parts, under);
  const checked = parts.map((part, index) => checkQuery(operation, part, `${under}.${index}`));
  return join === 'any' ? { any: checked } : { all: checked };
};

const joinOf = (query: SearchQuery): readonly ['any' | 'all', readonly SearchQuery[]] | undefined => {
  if ('any' in query) return ['any', query.any];
  return 'all' in query ? ['all', query.all] : undefined;
};

export const pageSize = z.lazily<number | undefined>(() => z.optional(z.int().check(z.minimum(1))));

/** One page of a search. `checkQuery` has checked the query. */
export interface Search {
  readonly query: SearchQuery;
  readonly pageSize?: number | undefined;
  readonly after?: string | undefined;
}

export const search = z.lazily<Search>(() =>
  z.object({ query: z.custom<SearchQuery>(), pageSize: pageSize(), after: z.optional(z.string()) }),
);

/** The body of a search. */
export const writeSearch = ({ query, pageSize, after }: Search): object => ({
  query: writeQuery(query),
  pagination: pageSize === undefined && after === undefined ? undefined : { per_page: pageSize, starting_after: after },
});

/** Conditions that are joined are written as Intercom does; the default API has single ones only. */
const writeQuery = (query: SearchQuery): object => {
  if ('any' in query) return { operator: 'OR', value: query.any.map(writeQuery) };
  if ('all' in query) return { operator: 'AND', value: query.all.map(writeQuery) };
  const { field, operator, value } = query;
  return { field, operator, value };
};

/** Finds what a contact takes part in. Throws `InvalidArgumentError` for what is no id. */
export const contactIs = (operation: string, contactId: string): SearchCondition => ({
  field: 'contact_ids',
  operator: '=',
  value: z.checkArgument(operation, id, contactId, 'contactId'),
});
