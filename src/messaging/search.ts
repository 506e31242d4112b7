import { type Entry, entry, toOperation } from '../api/entry.ts';
import { id, text } from '../core/arguments.ts';
import { readList } from '../core/envelope.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import * as z from '../core/schema.ts';
import type { Reader, RecordList } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import { pace } from '../http/pace.ts';
import { readPages } from '../http/read-pages.ts';
import { followMerge, unlessRefused, type Workspace } from './workspace.ts';

/** One condition, such as `{ field: 'phone', operator: '=', value: '+14155550100' }`. */
export interface SearchCondition {
  /** The platform's name of the field, such as `external_id`. */
  readonly field: string;
  /** In the platform's own signs, such as `=` or `IN`. */
  readonly operator: string;
  /** Some operators take a list. */
  readonly value: string | number | boolean | readonly (string | number)[];
}

/**
 * One condition, or several of which `any` or `all` must be fulfilled. How many, and how deep, is the platform's rule;
 * the default API has single conditions only.
 */
export type SearchQuery =
  | SearchCondition
  | { readonly any: readonly SearchQuery[] }
  | { readonly all: readonly SearchQuery[] };

/** Options of a search that reads page after page. */
export interface SearchAllOptions extends RequestOptions {
  /** Records per request. @defaultValue the platform's */
  readonly pageSize?: number | undefined;
}

/** Searches records of one kind. */
export interface Searches<T> {
  /**
   * The first page of the records that match, such as `{ field: 'contact_ids', operator: '=', value: contactId }`. Most
   * platforms leave the parts of conversations and tickets out here: `get` has them.
   */
  search(query: SearchQuery, call?: RequestOptions): Promise<RecordList<T>>;
  /**
   * All of them, page after page as the loop goes on. A `deadline` in milliseconds is that of each page.
   *
   * @example
   * for await (const contact of contacts.searchAll({ field: 'role', operator: '=', value: 'lead' })) …
   */
  searchAll(query: SearchQuery, options?: SearchAllOptions): AsyncIterable<T>;
}

/** Lists the records of one contact. */
export interface ContactLists<T> {
  /** A contact's records, at most five pages of 100. Their order is the platform's. */
  listForContact(contactId: string, call?: RequestOptions): Promise<RecordList<T>>;
}

const condition = z.lazily<SearchCondition>(() =>
  z.object({
    field: text(),
    operator: text(),
    value: z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]),
  }),
);

const anyObject = z.lazily(() => z.object({}));
const someParts = z.lazily(() => z.array(z.unknown()).check(z.minLength(1)));
export const pageSize = z.lazily<number | undefined>(() => z.optional(z.int().check(z.minimum(1))));

/** Determines the query's kind before it's checked, so that an error names the field that is wrong. */
const checkQuery = (operation: string, query: SearchQuery, prefix = ''): SearchQuery => {
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

/** One page of a search whose query has been checked. */
export interface Search {
  readonly query: SearchQuery;
  readonly pageSize?: number | undefined;
  readonly after?: string | undefined;
}

const search = z.lazily<Search>(() =>
  z.object({ query: z.custom<SearchQuery>(), pageSize: pageSize(), after: z.optional(z.string()) }),
);

/** The search of a resource. */
export const searchEntry = <const Resource extends string, T>(resource: Resource, read: Reader<T>) =>
  entry({
    method: 'POST',
    path: `${resource}/search`,
    takes: search,
    body: ({ query, pageSize, after }) => ({
      query: writeQuery(query),
      pagination:
        pageSize === undefined && after === undefined ? undefined : { per_page: pageSize, starting_after: after },
    }),
    effect: 'read',
    returns: readList(read, { under: [resource] }),
  });

/** Joins conditions as Intercom does; the default API has single ones only. */
const writeQuery = (query: SearchQuery): object => {
  if ('any' in query) return { operator: 'OR', value: query.any.map(writeQuery) };
  if ('all' in query) return { operator: 'AND', value: query.all.map(writeQuery) };
  const { field, operator, value } = query;
  return { field, operator, value };
};

type SearchOf<T> = Entry<string, Search, RecordList<T>>;

/** Makes `search` and `searchAll` of a resource. `searchAll` reads a page when it's needed, and at most ten a second. */
export const createSearch = <T>(
  workspace: Pick<Workspace, 'http' | 'dialect'>,
  resource: string,
  entry: SearchOf<T>,
  method: (page: Search, call?: RequestOptions) => Promise<RecordList<T>>,
): Searches<T> => ({
  search: async (query, call) => method({ query: checkQuery(`messaging.${resource}.search`, query) }, call),

  searchAll: (query, { pageSize: size, ...call } = {}) => {
    const operation = `messaging.${resource}.searchAll`;
    const checked = checkQuery(operation, query);
    z.checkArgument(operation, pageSize, size, 'pageSize');

    const readPage = readPageOf(workspace, operation, entry);
    const readAfter = (after: string | undefined) => readPage({ query: checked, pageSize: size, after }, call);

    return {
      [Symbol.asyncIterator]: async function* () {
        for await (const { data } of readPages(operation, pace(readAfter))) yield* data;
      },
    };
  },
});

/** Reads one page of a search, and where the next one is. */
const readPageOf =
  <T>({ http, dialect }: Pick<Workspace, 'http' | 'dialect'>, operation: string, search: SearchOf<T>) =>
  (page: Search, call: RequestOptions): Promise<RecordList<T> & { readonly next: string | undefined }> => {
    const { returns, ...request } = toOperation(operation, search, [page]);
    return http.request(
      { ...request, returns: (json, context) => ({ ...returns(json, context), next: dialect.nextPage(json) }) },
      call,
    );
  };

/**
 * Reads a contact's records. No order is promised by every platform, so that the newest can be on the last page. A search
 * may ignore its condition: a record that shows other contacts alone isn't this one's. Where there is none, the contact may
 * have been merged: its records are then those of the one that's left.
 */
export const listForContact =
  <T extends { readonly contacts?: readonly { readonly id: string }[] | undefined }>(
    workspace: Pick<Workspace, 'http' | 'dialect' | 'shareDeadline'>,
    operation: string,
    search: SearchOf<T>,
    readContact: (id: string, call?: RequestOptions) => Promise<{ readonly id: string } | undefined>,
  ): ContactLists<T>['listForContact'] =>
  async (contactId, call) => {
    const shared = workspace.shareDeadline(call);
    const readPage = readPageOf(workspace, operation, search);
    const listOf = async (contactId: string): Promise<RecordList<T>> => {
      const query = { field: 'contact_ids', operator: '=', value: contactId };
      const data: T[] = [];
      let total = 0;
      let foreign = 0;
      let after: string | undefined;
      for (let pages = 0; pages < mostPages; pages += 1) {
        const page = await readPage({ query, pageSize: largePage, after }, shared);
        const theirs = page.data.filter(
          (one) => !one.contacts?.length || one.contacts.some(({ id }) => id === contactId),
        );
        data.push(...theirs);
        foreign += page.data.length - theirs.length;
        total = page.total;
        if (page.next === undefined || page.next === after) break;
        after = page.next;
      }
      return { data, total: Math.max(total - foreign, data.length) };
    };
    const list = await listOf(z.checkArgument(operation, id, contactId, 'contactId'));
    if (list.data.length > 0 || workspace.dialect.mergedInto === undefined) return list;
    // An archived contact, or one that may not be read, keeps its own records.
    const remaining = await unlessRefused(followMerge(workspace, contactId, shared, readContact));
    return remaining === undefined || remaining.id === contactId ? list : listOf(remaining.id);
  };

/** Both Intercom and Zendesk take it. */
const largePage = 100;
const mostPages = 5;
