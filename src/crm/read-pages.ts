import type { Endpoint, Operation, RequestOptions } from '../http/operation.ts';
import { pace } from '../http/pace.ts';
import { readPages } from '../http/read-pages.ts';
import type { RecordList } from '../core/schema.ts';
import type { Org } from './create-records.ts';
import type { AnyRecord } from './object-table.ts';

/** One answer of a query, and where the next one is. */
export interface Page extends RecordList<AnyRecord> {
  readonly next: Endpoint | undefined;
}

/** A request for rows. */
export type RowsRequest = Operation<RecordList<AnyRecord>>;

/** Reads one page. */
export const readPage = async (
  { http, dialect, labels }: Org,
  object: string,
  request: RowsRequest,
  call?: RequestOptions,
): Promise<Page> => {
  const page = await http.request(
    {
      ...request,
      returns: (json, context) => ({ ...request.returns(json, context), next: dialect.nextPage(json, request) }),
    },
    call,
  );
  return { ...page, data: await labels.toLabels(object, page.data) };
};

/** The rows of a first page and of those after it, which are read as they're needed, at most ten a second. */
export const readRows = async function* (
  org: Org,
  object: string,
  request: RowsRequest,
  call?: RequestOptions,
  first?: Promise<Page>,
): AsyncGenerator<AnyRecord> {
  const read = (place: Endpoint | undefined) =>
    readPage(org, object, place ? { ...request, query: undefined, body: undefined, ...place } : request, call);
  for await (const { data } of readPages(request.operation, pace(read), first)) yield* data;
};
