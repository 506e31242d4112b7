import { ShapeError } from '../../core/schema.ts';
import type { Endpoint } from '../../http/operation.ts';
import { path } from '../../http/path.ts';
import { phoneForms } from '../../phone/forms.ts';
import type { CrmDialect, SearchContext } from '../dialect.ts';
import type { AnyRecord } from '../object-table.ts';
import { writeConditions, writeQuery } from '../query.ts';
import {
  type MatchPhone,
  type ObjectWithPhone,
  searchedFields,
  type SearchOptions,
  searchQuery,
} from '../search-query.ts';
import type { Condition } from '../where.ts';

/** The ways to find a phone number. */
interface RouteOptions {
  readonly phoneSearch: 'formats' | 'digits' | 'index';
  readonly phoneFields: Readonly<Record<ObjectWithPhone, readonly string[]>>;
  readonly phoneFormats: (e164: string) => readonly string[];
}

type Routes = Pick<
  CrmDialect,
  | 'endpoints'
  | 'matchPhone'
  | 'phonesRead'
  | 'searchFurther'
  | 'hiddenField'
  | 'mostRows'
  | 'isMinimal'
  | 'changesTasks'
  | 'nextPage'
>;

/** The routes and bodies in which Salesforce differs from the default API. */
export const createRoutes = ({ phoneSearch, phoneFields, phoneFormats }: RouteOptions): Routes => {
  const byDigits: MatchPhone = (object, phone) => phoneFields[object].map((field) => phoneDigits(field, phone));
  const phonesRead = (object: string): readonly string[] =>
    Object.hasOwn(phoneFields, object) ? phoneFields[object as ObjectWithPhone] : [];

  return {
    endpoints: () => ({
      search: { method: 'GET', path: 'query', query: ({ q, limit }) => ({ q: withLimit(q, limit) }) },
    }),
    matchPhone: (object, phone) =>
      phoneFields[object].map((field) => ({ field, operator: 'in', value: phoneFormats(phone) })),
    phonesRead,
    // A query knows a record at once. When it finds nothing, the digits or the index may, if you ask for it.
    searchFurther: (object, by, { clock, hidden }) => {
      const { phone, isConverted } = by;
      if (phone === undefined || phoneSearch === 'formats') return [];
      if (phoneSearch === 'digits') {
        const fields = [...(by.fields ?? []), ...phonesRead(object)];
        const query = searchQuery(object, { ...by, fields }, byDigits, { hidden });
        const q = withLimit(writeQuery(query, clock), by.limit ?? Number.POSITIVE_INFINITY);
        return [{ method: 'GET', path: 'query', query: { q } }];
      }
      const shown = { ...by, clock, hidden, fields: [...(by.fields ?? []), ...phonesRead(object)] };
      if (object !== 'Lead') return [searchIndex(object, phone, shown, [])];
      // An open one first: the index has an order of its own.
      const converted = isConverted === undefined ? [false, true] : [isConverted];
      return converted.map((value) =>
        searchIndex(object, phone, shown, [{ field: 'IsConverted', operator: '=', value }]),
      );
    },
    // Field-level security answers as if there were no such field, to administrators too (amp-labs/docs#595, 2026-05).
    hiddenField: ({ problems }) => {
      const problem = problems.find(({ code }) => code === 'INVALID_FIELD');
      return /No such column '([A-Za-z]\w{0,79})' on entity/.exec(problem?.message ?? '')?.[1];
    },
    mostRows: Number.POSITIVE_INFINITY,
    isMinimal: false,
    changesTasks: true,
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

const withLimit = (q: string, limit: number): string => (Number.isFinite(limit) ? `${q} LIMIT ${limit}` : q);

/** The most rows that a search of the index gives. */
const mostIndexed = 2000;

/** All phone fields in all formats, by the index. A number is digits alone, so it cannot hold an operator. */
const searchIndex = (
  object: string,
  phone: string,
  { limit = mostIndexed, fields, where, clock, hidden }: SearchOptions<AnyRecord> & SearchContext,
  conditions: readonly Condition[],
): Endpoint => {
  const all = [...conditions, ...(where === undefined ? [] : [where])];
  return {
    method: 'POST',
    path: 'parameterizedSearch',
    body: {
      q: phone.startsWith('+1') ? phone.slice(2) : phone.slice(1),
      in: 'PHONE',
      fields: searchedFields(object, fields, hidden),
      sobjects: [{ name: object, limit, where: all.length > 0 ? writeConditions(object, { all }, clock) : undefined }],
      overallLimit: limit,
    },
  };
};

/**
 * The ways in which a number is usually written in an org: Salesforce compares phone numbers as texts. National and
 * international forms of every country, by the lengths of numbers alone; `phoneFormats` of
 * `voice-agent-integrations/phone` knows how each country groups its digits.
 *
 * @example
 * phoneFormats('+14155550100'); // ['+14155550100', '14155550100', '4155550100', '(415) 555-0100', …]
 */
export const phoneFormats: (e164: string) => readonly string[] = phoneForms;

/**
 * A number by its last digits, with anything between them: ten for North America, eight elsewhere. A country code or a
 * trunk zero may come before eight.
 */
const phoneDigits = (field: string, e164: string): Condition => ({
  field,
  endsWith: e164.slice(northAmerican.test(e164) ? -10 : -8).split(''),
});

const northAmerican = /^\+1(\d{3})(\d{3})(\d{4})$/;
