import { toOperation } from '../api/entry.ts';
import { readOptionalList } from '../envelope.ts';
import { checkArgument, type RecordList } from '../schema.ts';
import type { RecordClient } from './client.ts';
import { endpointsOf, operationsOf, type Org, writeFor } from './create-records.ts';
import { searchOptions } from './fields.ts';
import { searchOf, type SearchOf, searchQuery } from './queries.ts';
import { readRows, type RowsRequest } from './read-pages.ts';
import type { AnyFields, AnyRecord, SearchOptions } from './records.ts';

/** The two searches of one object: up to a limit, and all of them, page after page. */
export const createSearch = <Object extends string>(
  object: Object,
  org: Org,
): Pick<RecordClient<AnyFields, AnyRecord, SearchOf<Object>>, 'search' | 'searchAll'> => {
  const { http, dialect } = org;
  const operation = `${operationsOf(object)}.search`;
  const entry = endpointsOf(object, org).search;
  const mayBeMissing = dialect.optionalSearches.some((optional) => optional === object);

  /** Where the search goes. Of several, each is asked only when those before it found nothing. */
  const requestsOf = (by: SearchOf<Object>, limit: number | undefined): readonly RowsRequest[] => {
    const { phone, fields = [] }: SearchOptions<AnyRecord> & { readonly phone?: string } = by;
    const shown = phone === undefined ? fields : [...fields, ...dialect.phonesRead(object)];
    const query = searchQuery(object, { ...by, fields: shown }, dialect.matchPhone);
    const q = writeFor(operation, org, query);
    const written = toOperation(operation, entry, [{ q, query, limit: limit ?? dialect.mostRows }]);
    const first = mayBeMissing ? { ...written, mayBeMissing, returns: readOptionalList(written.returns) } : written;
    const further = dialect.searchFurther(object, { ...by, limit });
    return [first, ...further.map((endpoint) => ({ ...first, query: undefined, body: undefined, ...endpoint }))];
  };

  return {
    search: async (by, call) => {
      const checked = checkArgument(operation, searchOptions(object), by);
      const limit = checked.limit ?? searchOf(object).limit;
      const requests = requestsOf(checked, limit);
      let found: RecordList<AnyRecord> = { data: [], total: 0 };
      for (const request of requests) {
        found = await http.request(request, call);
        if (found.data.length > 0) break;
      }
      return { ...found, data: found.data.slice(0, limit) };
    },
    searchAll: async function* (by, call) {
      // A search without its limit is one all the same: the limit is optional.
      const checked = checkArgument(operation, searchOptions(object), by as SearchOf<Object>);
      const seen = new Set<string>();
      for (const first of requestsOf(checked, undefined)) {
        for await (const found of readRows(org, first, call)) {
          if (!seen.has(found.Id)) yield found;
          seen.add(found.Id);
        }
      }
    },
  };
};
