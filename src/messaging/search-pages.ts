import { type Entry, toOperation } from '../api/entry.ts';
import type { RequestOptions } from '../http/operation.ts';
import { pace } from '../http/pace.ts';
import { readPages } from '../http/read-pages.ts';
import { checkArgument, type RecordList } from '../core/schema.ts';
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
    workspace: Pick<Workspace, 'http' | 'dialect'>,
    operation: string,
    search: Entry<string, Search, RecordList<T>>,
  ): ((query: SearchQuery, options?: SearchAllOptions) => AsyncIterable<T>) =>
  (query, { pageSize, ...call } = {}) => {
    const checked = checkQuery(operation, query);
    checkArgument(operation, checkPageSize, pageSize, 'pageSize');

    const readPage = readPageOf(workspace, operation, search);
    const readAfter = (after: string | undefined) => readPage({ query: checked, pageSize, after }, call);

    return {
      [Symbol.asyncIterator]: async function* () {
        for await (const { data } of readPages(operation, pace(readAfter))) yield* data;
      },
    };
  };

/** Reads one page of a search, and where the next one is. */
export const readPageOf =
  <T>(
    { http, dialect }: Pick<Workspace, 'http' | 'dialect'>,
    operation: string,
    search: Entry<string, Search, RecordList<T>>,
  ): ((page: Search, call: RequestOptions) => Promise<RecordList<T> & { readonly next: string | undefined }>) =>
  (page, call) => {
    const { returns, ...request } = toOperation(operation, search, [page]);
    return http.request(
      { ...request, returns: (json, context) => ({ ...returns(json, context), next: dialect.nextPage(json) }) },
      call,
    );
  };
