import type { Endpoint } from '../../http/operation.ts';
import { path } from '../../http/path.ts';
import { ShapeError } from '../../schema.ts';
import type { CheckedSearch, CrmDialect, CrmObject } from '../dialect.ts';
import { createQueries, type MatchPhone, type ObjectWithPhone, searchFields, type Searches } from '../queries.ts';
import { writeConditions } from '../query.ts';
import type { LeadSearch, SearchOptions } from '../records.ts';
import type { ExternalIds } from './external-ids.ts';
import { phoneDigits } from './phone-formats.ts';

export interface RouteOptions {
  readonly externalIds: ExternalIds;
  readonly phoneSearch: 'formats' | 'digits' | 'index';
  readonly phoneFields: Readonly<Record<ObjectWithPhone, readonly string[]>>;
  readonly phoneFormats: (e164: string) => readonly string[];
  /** Sent with what is created. */
  readonly createHeaders: (object: CrmObject) => Readonly<Record<string, string>>;
}

type Routes = Pick<CrmDialect, 'create' | 'search' | 'optionalSearches' | 'rowsUnder' | 'nextPage'>;

/** The routes and bodies in which Salesforce differs from the interface document. */
export const createRoutes = (options: RouteOptions): Routes => {
  const { externalIds, phoneSearch, phoneFields, phoneFormats, createHeaders } = options;
  const byFormats: MatchPhone = (object, phone) =>
    phoneFields[object].map((field) => ({ field, in: phoneFormats(phone) }));
  const byDigits: MatchPhone = (object, phone) => phoneFields[object].map((field) => phoneDigits(field, phone));
  const exact = createQueries(byFormats);
  const byLikeness = createQueries(byDigits);

  return {
    create: (object, fields, idempotencyKey) => {
      const field = externalIds.fieldOf(object);
      const body = externalIds.without(object, fields);
      const headers = createHeaders(object);
      return field !== undefined && idempotencyKey !== undefined
        ? {
            method: 'PATCH',
            path: path`sobjects/${object}/${field}/${idempotencyKey}`,
            body,
            headers,
            // An upsert: the key is in the path.
            withoutKeys: 'key',
          }
        : { method: 'POST', path: `${path`sobjects/${object}`}/`, body, headers };
    },
    // By SOQL, which knows a record at once; when that finds nothing, by the digits or by the index if you ask for it.
    search: (object, by) => {
      const first = query(exact[object](by), by.limit);
      const { phone, isConverted } = by as CheckedSearch<LeadSearch>;
      if (phone === undefined || phoneSearch === 'formats') return first;
      if (phoneSearch === 'digits') return [first, query(byLikeness[object](by), by.limit)];
      if (object !== 'Lead') return [first, searchIndex(object, phone, by)];
      // An open one first: the index has an order of its own.
      const converted = isConverted === undefined ? [false, true] : [isConverted];
      return [
        first,
        ...converted.map((value) =>
          searchIndex(object, phone, by, writeConditions({ all: [{ field: 'IsConverted', value }] })),
        ),
      ];
    },
    optionalSearches: [],
    rowsUnder: ['records', 'searchRecords'],
    nextPage: (answer) => {
      const next = (answer as { readonly nextRecordsUrl?: unknown } | null)?.nextRecordsUrl;
      if (next === undefined || next === null) return undefined;
      const [, cursor] = (typeof next === 'string' && pageAddress.exec(next)) || [];
      if (cursor === undefined) throw new ShapeError('nextRecordsUrl', 'must lead to the next rows of the query');
      return { method: 'GET', path: path`query/${cursor}` };
    },
  };
};

const pageAddress = /^\/services\/data\/v\d+\.\d+\/query\/([\w-]+)$/;

const query = (q: string, limit: number | undefined): Endpoint => ({
  method: 'GET',
  path: 'query',
  query: { q: limit === undefined ? q : `${q} LIMIT ${limit}` },
});

/** The most rows that a search of the index gives. */
const mostIndexed = 2000;

/** All phone fields in all formats, by the index. A number is digits alone, so it cannot hold an operator. */
const searchIndex = (
  object: keyof Searches,
  phone: string,
  { limit = mostIndexed, fields = [] }: CheckedSearch<SearchOptions>,
  where?: string,
): Endpoint => ({
  method: 'POST',
  path: 'parameterizedSearch',
  body: {
    q: phone.startsWith('+1') ? phone.slice(2) : phone.slice(1),
    in: 'PHONE',
    fields: [...new Set([...searchFields[object], ...fields])],
    sobjects: [{ name: object, limit, ...(where !== undefined && { where }) }],
    overallLimit: limit,
  },
});
