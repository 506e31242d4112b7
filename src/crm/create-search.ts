import type { Endpoint, HttpClient, RequestOptions } from '../http/operation.ts';
import { pacePages } from '../http/pace-pages.ts';
import { checkArgument, type LazySchema, type Reader, readList, type RecordList } from '../schema.ts';
import { isClientError } from '../errors.ts';
import type { CheckedSearch, CrmDialect, CrmObject, SearchEndpoint } from './dialect.ts';
import type { SearchOptions } from './records.ts';

/** Makes the two searches of one kind of record: up to a limit, and all of them, page after page. */
export const createSearch =
  (http: HttpClient, dialect: CrmDialect) =>
  <By extends SearchOptions, T extends { readonly Id: string }>(
    operation: string,
    schema: LazySchema<By>,
    toEndpoint: (by: CheckedSearch<By>) => SearchEndpoint,
    row: Reader<T>,
    object: CrmObject,
  ) => {
    const rows = readList(row, { under: dialect.rowsUnder });
    let missingUntil = 0;
    const page: Reader<Page<T>> = (json, context) => ({ ...rows(json, context), next: dialect.nextPage(json) });

    return {
      search: async (by: By, call?: RequestOptions): Promise<RecordList<T>> => {
        const { limit = 1, ...checked } = checkArgument(operation, schema, by);
        // What is left of the search is the search but for its limit.
        const endpoints = [toEndpoint({ ...(checked as By), limit })].flat();
        const none: RecordList<T> = { data: [], total: 0 };
        if (performance.now() < missingUntil) return none;
        let found = none;
        try {
          for (const endpoint of endpoints) {
            found = await http.request({ operation, ...endpoint, effect: 'read', returns: rows }, call);
            if (found.data.length > 0) break;
          }
        } catch (error) {
          if (!isAbsent(error) || !dialect.optionalSearches.includes(object)) throw error;
          missingUntil = performance.now() + askAgainMs;
        }
        return found;
      },
      searchAll: async function* (by: Omit<By, 'limit'>, call?: RequestOptions): AsyncGenerator<T> {
        // A search without its limit is one all the same: the limit is optional.
        const checked = checkArgument(operation, schema, by as By);
        const read = pacePages((endpoint: Endpoint) =>
          http.request({ operation, ...endpoint, effect: 'read', returns: page }, call),
        );
        const seen = new Set<string>();
        for (const first of [toEndpoint({ ...checked, limit: undefined })].flat()) {
          for (let endpoint: Endpoint | undefined = first; endpoint; ) {
            const answer: Page<T> = await read(endpoint);
            for (const found of answer.data) {
              if (!seen.has(found.Id)) yield found;
              seen.add(found.Id);
            }
            endpoint = answer.next;
          }
        }
      },
    };
  };

/** A 404 may also come from a gateway for a moment: a search that is never asked again would miss everybody. */
const askAgainMs = 10 * 60_000;

const isAbsent = (error: unknown): boolean => isClientError(error) && error.status === 404;

/** One answer of a search, and where the next one is. */
interface Page<T> extends RecordList<T> {
  readonly next: Endpoint | undefined;
}
