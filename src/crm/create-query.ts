import { toOperation } from '../api/entry.ts';
import type { RequestOptions } from '../http/operation.ts';
import { checkArgument, type RecordList } from '../schema.ts';
import type { QueryPages } from './client.ts';
import { endpointsOf, type Org, writeFor } from './create-records.ts';
import { assertObject, queryOptions } from './fields.ts';
import type { Condition, Query } from './query.ts';
import { readPage, readRows, type RowsRequest } from './read-pages.ts';
import type { AnyRecord, QueryOptions } from './records.ts';

/** Reads the rows of any object: the first page at once, further ones as they're needed. */
export const createQuery =
  (org: Org) =>
  (object: string, options: QueryOptions<AnyRecord>, call?: RequestOptions): QueryPages<AnyRecord> => {
    const request = (async (): Promise<RowsRequest> => requestOf(org, object, options))();
    const first = request.then((made) => readPage(org, made, call));
    const promise = first.then(({ next: _next, ...rows }): RecordList<AnyRecord> => rows);

    return Object.assign(promise, {
      [Symbol.asyncIterator]: async function* () {
        await promise;
        let left = options.limit ?? Number.POSITIVE_INFINITY;
        for await (const row of readRows(org, await request, call, first)) {
          if (left <= 0) return;
          left -= 1;
          yield row;
        }
      },
    });
  };

const requestOf = (org: Org, object: string, options: QueryOptions<AnyRecord>): RowsRequest => {
  const operation = 'crm.query';
  assertObject(operation, object);
  const { fields = [], where, orderBy, limit } = checkArgument(operation, queryOptions, options);
  // As its type says; the writer checks it again.
  const query: Query = { select: ['Id', ...fields], from: object, where: where as Condition | undefined, orderBy };
  const q = writeFor(operation, org, query);
  const { mostRows } = org.dialect;
  return toOperation(operation, endpointsOf(object, org).search, [
    { q, query, limit: Math.min(limit ?? mostRows, mostRows) },
  ]);
};
