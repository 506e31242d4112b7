import { Refused } from '../refused.ts';
import { evaluateSoql } from '../soql/evaluate.ts';
import type { SoqlQuery } from '../soql/parse.ts';
import type { CrmObject, CrmStore, FakeCrmRecord } from '../store/crm.ts';
import type { EndpointAnswer } from '../endpoint.ts';
import { readQuery } from './soql.ts';

/** A record as an answer gives it. */
export const toRow = (object: CrmObject, fields: readonly string[], row: FakeCrmRecord, version: string) => ({
  attributes: { type: object, url: `/services/data/v${version}/sobjects/${object}/${row.Id}` },
  ...Object.fromEntries(fields.map((name) => [name, row[name] ?? null])),
});

/** Answers queries, and gives what does not fit into one answer page after page. */
export const createRows = ({ pageSize, version }: { readonly pageSize: number; readonly version: string }) => {
  const cursors = new Map<string, { readonly rows: readonly unknown[]; readonly total: number }>();

  const page = (rows: readonly unknown[], from: number, total: number): EndpointAnswer => {
    const next = from + pageSize;
    const done = next >= total;
    const cursor = `01g000000000001AAA-${next}`;
    if (!done) cursors.set(cursor, { rows, total });
    return {
      status: 200,
      body: {
        totalSize: total,
        done,
        ...(!done && { nextRecordsUrl: `/services/data/v${version}/query/${cursor}` }),
        records: rows.slice(from, next),
      },
    };
  };

  return {
    first: (store: CrmStore, q: string): EndpointAnswer => {
      const { object, query } = readQuery(q);
      const rows = found(store, object, query).map((row) => toRow(object, query.fields, row, version));
      return page(rows, 0, rows.length);
    },
    next: (cursor: string): EndpointAnswer => {
      const kept = cursors.get(cursor);
      if (!kept) throw new Refused(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
      return page(kept.rows, Number(cursor.split('-')[1]), kept.total);
    },
  };
};

const found = (store: CrmStore, object: CrmObject, query: SoqlQuery) =>
  evaluateSoql(query, [...store.records[object].values()]);
