import { toOperation } from '../api/entry.ts';
import { readOptionalList } from '../core/envelope.ts';
import { ClientError } from '../core/errors.ts';
import { checkArgument, type RecordList } from '../core/schema.ts';
import type { PersonSearch } from './contacts.ts';
import { searchOptions } from './fields.ts';
import { reporting } from './left-out.ts';
import type { AnyFields, AnyRecord } from './object-table.ts';
import { searchOf } from './objects.ts';
import { readPage, readRows, type RowsRequest } from './query-pages.ts';
import { fieldsIn } from './query.ts';
import { endpointsOf, operationsOf, type Org, type RecordClient, writeFor } from './records.ts';
import { isMinimalSearch, type ObjectWithPhone, type SearchOf, searchQuery, type SearchWay } from './search-query.ts';
import type { Condition } from './where.ts';

const whole: SearchWay = { columns: 'all', mostRows: Number.POSITIVE_INFINITY };

/** The two searches of one object: up to a limit, and all of them, page after page. */
export const createSearches = <Object extends string>(
  object: Object,
  org: Org,
): Pick<RecordClient<AnyFields, AnyRecord, SearchOf<Object>>, 'search' | 'searchAll'> => {
  const { http, labels } = org;
  const operation = `${operationsOf(object)}.search`;
  const ask = createAsk(object, org, operation);

  return {
    search: async (by, call) => {
      const checked = checkArgument(operation, searchOptions(object), by);
      const limit = checked.limit ?? searchOf(object).limit;
      const found = await ask(checked, limit, async (requests) => {
        let rows: RecordList<AnyRecord> = { data: [], total: 0 };
        for (const request of requests) {
          rows = await http.request(request, call);
          if (rows.data.length > 0) break;
        }
        return rows;
      });
      return { ...found, data: await labels.toLabels(object, found.data.slice(0, limit)) };
    },
    searchAll: async function* (by, call) {
      // A search without its limit is one all the same: the limit is optional.
      const checked = checkArgument(operation, searchOptions(object), by as SearchOf<Object>);
      const seen = new Set<string>();
      const begun = await ask(checked, undefined, async (requests) => {
        const [first, ...others] = requests;
        return { first, page: first && (await readPage(org, object, first, call)), others };
      });
      for (const request of [begun.first, ...begun.others]) {
        if (!request) return;
        const page = request === begun.first && begun.page ? Promise.resolve(begun.page) : undefined;
        for await (const found of readRows(org, object, request, call, page)) {
          if (!seen.has(found.Id)) yield found;
          seen.add(found.Id);
        }
      }
    },
  };
};

/** Makes the requests of one search, and asks for less if the CRM refuses them. */
const createAsk = <Object extends string>(object: Object, org: Org, operation: string) => {
  const { dialect, labels, ways, clock } = org;
  const hidden = org.hidden.get(object) ?? new Set<string>();
  org.hidden.set(object, hidden);
  const entry = endpointsOf(object, org).search;
  const mayBeMissing = dialect.isMinimal && (object === 'Contact' || object === 'Account');

  /** The requests of a search. Each is sent only if those before it found nothing. */
  const requestsOf = async (
    by: SearchOf<Object>,
    limit: number | undefined,
    way: SearchWay,
  ): Promise<readonly RowsRequest[]> => {
    const asked = searchQuery(object, by, dialect.matchPhone, { columns: way.columns, hidden });
    const q = writeFor(operation, org, asked);
    // The labels of what is found are read meanwhile.
    labels.prepare(object, asked.select);
    const query = { ...asked, where: await labels.inCondition(object, asked.where) };
    const written = toOperation(operation, entry, [
      { q, query, limit: Math.min(limit ?? dialect.mostRows, way.mostRows) },
    ]);
    const first = mayBeMissing ? { ...written, mayBeMissing, returns: readOptionalList(written.returns) } : written;
    const further = dialect.searchFurther(object, { ...by, limit }, { clock, hidden });
    return [first, ...further.map((endpoint) => ({ ...first, query: undefined, body: undefined, ...endpoint }))];
  };

  /** Asks again without a field that the CRM hides from its user. One event says which. */
  const withoutHidden = async <Found>(
    by: SearchOf<Object>,
    requests: () => Promise<readonly RowsRequest[]>,
    send: (requests: readonly RowsRequest[]) => Promise<Found>,
  ): Promise<Found> => {
    const left: string[] = [];
    for (;;) {
      const known = new Set(hidden);
      try {
        const [first, ...others] = await requests();
        return await send(first ? [reporting(first, left), ...others] : []);
      } catch (error) {
        const field = error instanceof ClientError ? dialect.hiddenField(error) : undefined;
        if (field === undefined || known.has(field) || !mayLeaveOut({ object, org, hidden }, by, field)) throw error;
        // Another search may have found it meanwhile.
        if (!hidden.has(field)) left.push(field);
        hidden.add(field);
      }
    }
  };

  /** Asks as the CRM is known to take it. If it refuses that, it's asked for less, and what it takes is remembered. */
  return async <Found>(
    by: SearchOf<Object>,
    limit: number | undefined,
    send: (requests: readonly RowsRequest[]) => Promise<Found>,
  ): Promise<Found> => {
    const askIn = (way: SearchWay) => withoutHidden(by, () => requestsOf(by, limit, way), send);
    try {
      return await askIn(ways.get(object) ?? whole);
    } catch (error) {
      if (!isRefusedQuery(error) || !dialect.isMinimal || !isMinimalSearch(object, by)) throw error;
      const found = await askForLess(askIn, limit === 1 ? [whole.mostRows] : [whole.mostRows, 1]);
      if (!found) throw error;
      ways.set(object, found.way);
      return found.answer;
    }
  };
};

/** Returns whether a search finds the same people without a field: it's only read, or another phone field is compared. */
const mayLeaveOut = <Object extends string>(
  { object, org, hidden }: { readonly object: Object; readonly org: Org; readonly hidden: ReadonlySet<string> },
  by: SearchOf<Object>,
  field: string,
): boolean => {
  const { matchPhone } = org.dialect;
  const without = new Set([...hidden, field]);
  const { where } = searchQuery(object, by, matchPhone, { hidden: without });
  const { phone } = by as PersonSearch;
  const isCompared = (condition: Condition) => 'field' in condition && !without.has(condition.field);
  const isFound = phone === undefined || matchPhone(object as ObjectWithPhone, phone).some(isCompared);
  return isFound && !fieldsIn({ select: [], from: object, where }).includes(field);
};

interface FoundWay<Found> {
  readonly way: SearchWay;
  readonly answer: Found;
}

/** Asks for ids alone, first as many as were wanted; then for all columns, since a refusal may pass, and for fewer. */
const askForLess = async <Found>(
  ask: (way: SearchWay) => Promise<Found>,
  limits: readonly number[],
): Promise<FoundWay<Found> | undefined> => {
  const tryWay = async (way: SearchWay): Promise<FoundWay<Found> | undefined> => {
    try {
      return { way, answer: await ask(way) };
    } catch (error) {
      if (isRefusedQuery(error)) return undefined;
      throw error;
    }
  };
  for (const mostRows of limits) {
    const ids = await tryWay({ columns: 'id', mostRows });
    if (!ids) continue;
    const all = await tryWay({ columns: 'all', mostRows });
    return all ?? (await tryWay({ columns: 'documented', mostRows })) ?? ids;
  }
  return undefined;
};

/** The CRM doesn't know a column, or gives fewer rows. */
const isRefusedQuery = (error: unknown): boolean =>
  error instanceof ClientError && (error.status === 400 || error.status === 422);
