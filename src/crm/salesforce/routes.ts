import type { Endpoint } from '../../http/operation.ts';
import { path } from '../../http/path.ts';
import { ShapeError } from '../../schema.ts';
import type { CheckedSearch, CrmDialect, CrmObject } from '../dialect.ts';
import { createQueries, type MatchPhone, type Queries, searchFields, type ObjectWithPhone } from '../queries.ts';
import { writeConditions } from '../query.ts';
import type { AccountSearch, LeadSearch, PersonSearch } from '../records.ts';
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

type Routes = Pick<
  CrmDialect,
  | 'create'
  | 'searchLeads'
  | 'searchContacts'
  | 'searchAccounts'
  | 'searchOpportunities'
  | 'searchCases'
  | 'optionalSearches'
  | 'rowsUnder'
  | 'nextPage'
>;

/** The routes and bodies in which Salesforce differs from the interface document. */
export const createRoutes = (options: RouteOptions): Routes => {
  const { externalIds, phoneSearch, phoneFields, phoneFormats, createHeaders } = options;
  const byFormats: MatchPhone = (object, phone) =>
    phoneFields[object].map((field) => ({ field, in: phoneFormats(phone) }));
  const byDigits: MatchPhone = (object, phone) => phoneFields[object].map((field) => phoneDigits(field, phone));
  const exact = createQueries(byFormats);
  const byLikeness = createQueries(byDigits);

  /** By SOQL, which knows a record at once; when that finds nothing, by the digits or by the index if that is asked for. */
  const search = <By extends CheckedSearch<PersonSearch | AccountSearch>>(
    by: By,
    write: (queries: Queries, by: By) => string,
    indexed: (phone: string) => readonly Endpoint[],
  ): readonly Endpoint[] => {
    const { phone, limit } = by;
    const first = query(write(exact, by), limit);
    if (phone === undefined || phoneSearch === 'formats') return [first];
    return [first, ...(phoneSearch === 'digits' ? [query(write(byLikeness, by), limit)] : indexed(phone))];
  };

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
    searchLeads: (by) =>
      search(
        by,
        (queries, asked) => queries.leads(asked),
        (phone) =>
          // An open one first: the index has an order of its own.
          (by.isConverted === undefined ? [false, true] : [by.isConverted]).map((isConverted) =>
            searchIndex('Lead', phone, by, writeConditions({ all: [{ field: 'IsConverted', value: isConverted }] })),
          ),
      ),
    searchContacts: (by) =>
      search(
        by,
        (queries, asked) => queries.contacts(asked),
        (phone) => [searchIndex('Contact', phone, by)],
      ),
    searchAccounts: (by) =>
      search(
        by,
        (queries, asked) => queries.accounts(asked),
        (phone) => [searchIndex('Account', phone, by)],
      ),
    searchOpportunities: (by) => query(exact.opportunities(by), by.limit),
    searchCases: (by) => query(exact.cases(by), by.limit),
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
  object: ObjectWithPhone,
  phone: string,
  { limit = mostIndexed, fields = [] }: CheckedSearch<LeadSearch | AccountSearch>,
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
