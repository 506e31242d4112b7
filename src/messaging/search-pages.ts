import { type Entry, toOperation } from '../api/entry.ts';
import type { RequestOptions } from '../http/operation.ts';
import { pace } from '../http/pace.ts';
import { readPages } from '../http/read-pages.ts';
import { checkArgument, type RecordList } from '../schema.ts';
import type { SearchQuery } from './records.ts';
import { checkQuery, pageSize as checkPageSize, type Search } from './search-query.ts';
import type { Workspace } from './workspace.ts';

/** How a long list is read. */
export interface SearchAllOptions extends RequestOptions {
  /** Records per request. @defaultValue the platform's */
  readonly pageSize?: number | undefined;
}

/** Reads page after page of a search, each only when it's needed, and at most ten a second. */
export const searchPages =
  <T>(
    { http, dialect }: Pick<Workspace, 'http' | 'dialect'>,
    operation: string,
    search: Entry<string, Search, RecordList<T>>,
  ): ((query: SearchQuery, options?: SearchAllOptions) => AsyncIterable<T>) =>
  (query, { pageSize, ...call } = {}) => {
    const checked = checkQuery(operation, query);
    checkArgument(operation, checkPageSize, pageSize, 'pageSize');

    const readPage = (after: string | undefined) => {
      const { returns, ...request } = toOperation(operation, search, [{ query: checked, pageSize, after }]);
      return http.request(
        { ...request, returns: (json, context) => ({ ...returns(json, context), next: dialect.nextPage(json) }) },
        call,
      );
    };

    return {
      [Symbol.asyncIterator]: async function* () {
        for await (const { data } of readPages(operation, pace(readPage))) yield* data;
      },
    };
  };
