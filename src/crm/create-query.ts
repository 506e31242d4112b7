import { toOperation } from '../api/entry.ts';
import type { RequestOptions } from '../http/operation.ts';
import { checkArgument, type RecordList } from '../core/schema.ts';
import type { QueryPages } from './client.ts';
import { endpointsOf, type Org, writeFor } from './create-records.ts';
import { assertObject, queryOptions } from './fields.ts';
import type { AnyRecord } from './object-table.ts';
import type { QueryOptions } from './records.ts';
import type { Condition, Query } from './where.ts';
import { readPage, readRows, type RowsRequest } from './read-pages.ts';

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
  const asked: Query = { select: ['Id', ...fields], from: object, where: where as Condition | undefined, orderBy };
  const q = writeFor(operation, org, asked);
  org.labels.prepare(object, fields);
  const query = { ...asked, where: await org.labels.inCondition(object, asked.where) };
  const { mostRows } = org.dialect;
  return toOperation(operation, endpointsOf(object, org).search, [
    { q, query, limit: Math.min(limit ?? mostRows, mostRows) },
  ]);
};
