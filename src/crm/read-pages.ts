import { UnexpectedResponseError } from '../errors.ts';
import type { Endpoint, Operation, RequestOptions } from '../http/operation.ts';
import { pacePages } from '../http/pace-pages.ts';
import type { RecordList } from '../schema.ts';
import type { Org } from './create-records.ts';
import type { AnyRecord } from './records.ts';

/** One answer of a query, and where the next one is. */
export interface Page extends RecordList<AnyRecord> {
  readonly next: Endpoint | undefined;
}

/** A request for rows. */
export type RowsRequest = Operation<RecordList<AnyRecord>>;

/** Reads one page. */
export const readPage = ({ http, dialect }: Org, request: RowsRequest, call?: RequestOptions): Promise<Page> =>
  http.request(
    {
      ...request,
      returns: (json, context) => ({ ...request.returns(json, context), next: dialect.nextPage(json, request) }),
    },
    call,
  );

/** The rows of a first page and of those after it, which are read as they're needed, at most ten a second. */
export const readPages = async function* (
  org: Org,
  request: RowsRequest,
  call?: RequestOptions,
  first?: Promise<Page>,
): AsyncGenerator<AnyRecord> {
  const read = pacePages((next: RowsRequest) => readPage(org, next, call));
  const places = new Set<string>();
  for (let page = await (first ?? read(request)); ; ) {
    yield* page.data;
    const { next } = page;
    if (!next) return;
    const place = JSON.stringify([next.path, next.query, next.body]);
    const { operation } = request;
    // A list that leads back to where it was would never end.
    if (places.has(place))
      throw new UnexpectedResponseError(`${operation}: the pages go in a circle`, { operation, status: 200 });
    places.add(place);
    page = await read({ ...request, query: undefined, body: undefined, ...next });
  }
};
