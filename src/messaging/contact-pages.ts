import { toOperation } from '../api/entry.ts';
import { UnexpectedResponseError } from '../errors.ts';
import type { RequestOptions } from '../http/operation.ts';
import { pacePages } from '../http/pace-pages.ts';
import { checkArgument } from '../schema.ts';
import type { Contact, SearchQuery } from './records.ts';
import { checkQuery, pageSize as checkPageSize, type Search } from './search-query.ts';
import type { Workspace } from './workspace.ts';

/** How a long list is read. */
export interface SearchAllOptions extends RequestOptions {
  /** Contacts per request. @defaultValue the platform's */
  readonly pageSize?: number | undefined;
}

/** Reads page after page, each only when it's needed, and at most ten a second. */
export const contactPages = <Attributes extends object>({
  http,
  dialect,
  endpoints: { contacts },
}: Workspace<Attributes>): ((query: SearchQuery, options?: SearchAllOptions) => AsyncIterable<Contact<Attributes>>) => {
  const operation = 'messaging.contacts.searchAll';

  const readPage = (search: Search, call: RequestOptions) => {
    const { returns, ...request } = toOperation(operation, contacts.search, [search]);
    return http.request(
      { ...request, returns: (json, context) => ({ ...returns(json, context), next: dialect.nextPage(json) }) },
      call,
    );
  };

  return (query, { pageSize, ...call } = {}) => {
    const checked = checkQuery(operation, query);
    checkArgument(operation, checkPageSize, pageSize, 'pageSize');

    return {
      [Symbol.asyncIterator]: async function* () {
        const read = pacePages((search: Search) => readPage(search, call));
        const seen = new Set<string>();
        for (let after: string | undefined; ; ) {
          const { data, next } = await read({ query: checked, pageSize, after });
          yield* data;
          if (next === undefined) return;
          // A list that leads back to where it was would never end.
          if (seen.has(next))
            throw new UnexpectedResponseError(`${operation}: the pages go in a circle`, { operation, status: 200 });
          seen.add(next);
          after = next;
        }
      },
    };
  };
};
