import type { Endpoint, HttpClient, RequestOptions } from '../http/operation.ts';
import { pacePages } from '../http/pace-pages.ts';
import { checkArgument, type LazySchema, type Reader, readList, type RecordList } from '../schema.ts';
import { ClientError, UnexpectedResponseError } from '../errors.ts';
import type { CrmDialect } from './dialect.ts';
import type { Searches } from './queries.ts';

/** One kind of record that can be searched. */
export interface SearchedRecord<Object extends keyof Searches, T> {
  /** Such as `leads`: it's in the name of the operation. */
  readonly resource: string;
  readonly object: Object;
  readonly searchedBy: LazySchema<Searches[Object]>;
  readonly row: Reader<T>;
}

/** Makes the two searches of one kind of record: up to a limit, and all of them, page after page. */
export const createSearch =
  (http: HttpClient, dialect: CrmDialect) =>
  <Object extends keyof Searches, T extends { readonly Id: string }>({
    resource,
    object,
    searchedBy,
    row,
  }: SearchedRecord<Object, T>) => {
    type By = Searches[Object];
    const operation = `crm.${resource}.search`;
    const rows = readList(row, { under: dialect.rowsUnder });
    let missingUntil = 0;
    const page: Reader<Page<T>> = (json, context) => ({ ...rows(json, context), next: dialect.nextPage(json) });

    return {
      search: async (by: By, call?: RequestOptions): Promise<RecordList<T>> => {
        const { limit = 1, ...checked } = checkArgument(operation, searchedBy, by);
        // What is left of the search is the search but for its limit.
        const endpoints = [dialect.search(object, { ...(checked as By), limit })].flat();
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
        const checked = checkArgument(operation, searchedBy, by as By);
        const read = pacePages((endpoint: Endpoint) =>
          http.request({ operation, ...endpoint, effect: 'read', returns: page }, call),
        );
        const seen = new Set<string>();
        for (const first of [dialect.search(object, { ...checked, limit: undefined })].flat()) {
          const places = new Set<string>();
          for (let endpoint: Endpoint | undefined = first; endpoint; ) {
            const answer: Page<T> = await read(endpoint);
            for (const found of answer.data) {
              if (!seen.has(found.Id)) yield found;
              seen.add(found.Id);
            }
            endpoint = answer.next;
            if (!endpoint) continue;
            const place = JSON.stringify([endpoint.path, endpoint.query, endpoint.body]);
            // A list that leads back to where it was would never end.
            if (places.has(place))
              throw new UnexpectedResponseError(`${operation}: the pages go in a circle`, { operation, status: 200 });
            places.add(place);
          }
        }
      },
    };
  };

/** A 404 may also come from a gateway for a moment: a search that is never asked again would miss every person. */
const askAgainMs = 10 * 60_000;

const isAbsent = (error: unknown): boolean => error instanceof ClientError && error.status === 404;

/** One answer of a search, and where the next one is. */
interface Page<T> extends RecordList<T> {
  readonly next: Endpoint | undefined;
}
