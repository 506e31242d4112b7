import { toOperation } from '../api/entry.ts';
import { ClientError, UnexpectedResponseError } from '../errors.ts';
import type { Endpoint, Operation } from '../http/operation.ts';
import { pacePages } from '../http/pace-pages.ts';
import { checkArgument, type RecordList } from '../schema.ts';
import type { RecordClient } from './client.ts';
import { endpointsOf, operationsOf, type Org } from './create-records.ts';
import { searchedBy } from './fields.ts';
import type { CrmObject } from './objects.ts';
import { type Searches, searches, writeSearch } from './queries.ts';
import type { AnyRecord } from './readers.ts';
import type { AnyFields } from './records.ts';

/** The two searches of one object: up to a limit, and all of them, page after page. */
export const createSearch = <Object extends CrmObject>(
  object: Object,
  org: Org,
): Pick<RecordClient<AnyFields, AnyRecord, Searches[Object]>, 'search' | 'searchAll'> => {
  const { http, dialect } = org;
  const operation = `${operationsOf(object)}.search`;
  const entry = endpointsOf(object, org).search;
  let missingUntil = 0;

  /** Where the search goes. Of several, each is asked only when those before it found nothing. */
  const requestsOf = (by: Searches[Object], limit: number | undefined): readonly Operation<RecordList<AnyRecord>>[] => {
    const first = toOperation(operation, entry, [
      { q: writeSearch(object, by, dialect.matchPhone), limit: limit ?? dialect.mostRows },
    ]);
    const further = dialect.searchFurther(object, { ...by, limit });
    return [first, ...further.map((endpoint) => ({ ...first, query: undefined, body: undefined, ...endpoint }))];
  };

  return {
    search: async (by, call) => {
      const { limit = searches[object].limit, ...checked } = checkArgument(operation, searchedBy[object], by);
      // What is left of the search is the search but for its limit.
      const requests = requestsOf(checked as Searches[Object], limit);
      const none: RecordList<AnyRecord> = { data: [], total: 0 };
      if (performance.now() < missingUntil) return none;
      let found = none;
      try {
        for (const request of requests) {
          found = await http.request(request, call);
          if (found.data.length > 0) break;
        }
      } catch (error) {
        if (!isAbsent(error) || !dialect.optionalSearches.includes(object)) throw error;
        missingUntil = performance.now() + askAgainMs;
      }
      return found;
    },
    searchAll: async function* (by, call) {
      // A search without its limit is one all the same: the limit is optional.
      const checked = checkArgument(operation, searchedBy[object], by as Searches[Object]);
      const read = pacePages((request: Operation<RecordList<AnyRecord>>) =>
        http.request(
          {
            ...request,
            returns: (json, context): Page => ({ ...request.returns(json, context), next: dialect.nextPage(json) }),
          },
          call,
        ),
      );
      const seen = new Set<string>();
      for (const first of requestsOf(checked, undefined)) {
        const places = new Set<string>();
        for (let request: typeof first | undefined = first; request; ) {
          const answer: Page = await read(request);
          for (const found of answer.data) {
            if (!seen.has(found.Id)) yield found;
            seen.add(found.Id);
          }
          const { next } = answer;
          request = next && { ...first, query: undefined, body: undefined, ...next };
          if (!next) continue;
          const place = JSON.stringify([next.path, next.query, next.body]);
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
interface Page extends RecordList<AnyRecord> {
  readonly next: Endpoint | undefined;
}
