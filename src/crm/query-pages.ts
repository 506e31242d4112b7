import { toOperation } from '../api/entry.ts';
import * as z from '../core/schema.ts';
import { checkArgument, type RecordList } from '../core/schema.ts';
import type { Endpoint, Operation, RequestOptions } from '../http/operation.ts';
import { pace } from '../http/pace.ts';
import { readPages } from '../http/read-pages.ts';
import type { RecordFor } from './declared.ts';
import { assertObject, fieldList } from './fields.ts';
import type { AnyRecord } from './object-table.ts';
import { endpointsOf, type Org, writeFor } from './records.ts';
import type { Condition, FieldPath, RowQuery, Where } from './where.ts';

/** The fields, rows and order of a query. */
export interface QueryOptions<Row> {
  /** The fields to read, also of parents: `Owner.Name`. Each must exist in the org. @defaultValue the id */
  readonly fields?: readonly FieldPath<Row>[] | undefined;
  /** @defaultValue all rows */
  readonly where?: Where<Row> | undefined;
  /** Sorted by the first field, then by the next. Empty ones come first. */
  readonly orderBy?:
    | readonly {
        readonly field: FieldPath<Row>;
        /** @defaultValue 'asc' */
        readonly direction?: 'asc' | 'desc' | undefined;
      }[]
    | undefined;
  /** The most rows, over all pages. @defaultValue all; where the API has no pages, 200 */
  readonly limit?: number | undefined;
}

/**
 * The rows of a query. `await` gives the first page; `for await` gives all rows, and reads further pages as it gets to
 * them, at most ten a second.
 */
export interface QueryPages<Row> extends Promise<RecordList<Row>>, AsyncIterable<Row> {}

/** Reads the rows of an object, typed as its records are. */
export interface CrmQuery<Schemas> {
  <Object extends string>(
    object: Object,
    options: QueryOptions<RecordFor<Schemas, Object>>,
    call?: RequestOptions,
  ): QueryPages<RecordFor<Schemas, Object>>;
}

/** A whole query. Its `where` and `orderBy` are checked as they're written. */
const queryOptions = z.lazily<QueryOptions<AnyRecord>>(() =>
  z.object({
    fields: z.optional(fieldList()),
    where: z.optional(z.custom<Where<AnyRecord>>()),
    orderBy: z.optional(z.array(z.object({ field: z.string(), direction: z.optional(z.enum(['asc', 'desc'])) }))),
    limit: z.optional(z.int().check(z.minimum(1))),
  }),
);

/** Reads the rows of any object: the first page at once, further ones as they're needed. */
export const createQuery =
  (org: Org) =>
  (object: string, options: QueryOptions<AnyRecord>, call?: RequestOptions): QueryPages<AnyRecord> => {
    const request = requestOf(org, object, options);
    const first = request.then((made) => readPage(org, object, made, call));
    const promise = first.then(({ next: _next, ...rows }): RecordList<AnyRecord> => rows);

    return Object.assign(promise, {
      [Symbol.asyncIterator]: async function* () {
        await promise;
        let left = options.limit ?? Number.POSITIVE_INFINITY;
        for await (const row of readRows(org, object, await request, call, first)) {
          if (left <= 0) return;
          left -= 1;
          yield row;
        }
      },
    });
  };

const requestOf = async (org: Org, object: string, options: QueryOptions<AnyRecord>): Promise<RowsRequest> => {
  const operation = 'crm.query';
  assertObject(operation, object);
  const { fields = [], where, orderBy, limit } = checkArgument(operation, queryOptions, options);
  // As its type says; the writer checks it again.
  const asked: RowQuery = { select: ['Id', ...fields], from: object, where: where as Condition | undefined, orderBy };
  const q = writeFor(operation, org, asked);
  org.labels.prepare(object, fields);
  const query = { ...asked, where: await org.labels.inCondition(object, asked.where) };
  const { mostRows } = org.dialect;
  return toOperation(operation, endpointsOf(object, org).search, [
    { q, query, limit: Math.min(limit ?? mostRows, mostRows) },
  ]);
};

/** One answer of a query, and where the next one is. */
export interface RowPage extends RecordList<AnyRecord> {
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
): Promise<RowPage> => {
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
  first?: Promise<RowPage>,
): AsyncGenerator<AnyRecord> {
  const read = (place: Endpoint | undefined) =>
    readPage(org, object, place ? { ...request, query: undefined, body: undefined, ...place } : request, call);
  for await (const { data } of readPages(request.operation, pace(read), first)) yield* data;
};
