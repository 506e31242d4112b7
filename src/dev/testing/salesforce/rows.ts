import { Refused } from '../refused.ts';
import { evaluateSoql, fieldsOf } from '../soql/evaluate.ts';
import type { SoqlQuery } from '../soql/parse.ts';
import type { CrmStore, FakeCrmRecord } from '../store/crm.ts';
import type { EndpointAnswer } from '../endpoint.ts';
import { parentOf, readable, valueAt } from './objects.ts';
import type { SalesforceRules } from './options.ts';
import { readQuery } from './soql.ts';

/** A record as an answer gives it: parents are records within it. */
export const toRow = (
  store: CrmStore,
  object: string,
  fields: readonly string[],
  row: FakeCrmRecord,
  version: string,
): Readonly<Record<string, unknown>> => {
  const relationships = [
    ...new Set(fields.filter((name) => name.includes('.')).map((name) => name.split('.')[0] ?? '')),
  ];
  const parents = relationships.map((name) => {
    const parent = parentOf(store, row, name);
    const wanted = fields.filter((field) => field.startsWith(`${name}.`)).map((field) => field.slice(name.length + 1));
    return [name, parent ? toRow(store, parent.object, wanted, parent.record, version) : null];
  });
  return {
    attributes: { type: object, url: `/services/data/v${version}/sobjects/${object}/${row.Id}` },
    ...Object.fromEntries(
      fields.filter((name) => !name.includes('.')).map((name) => [name, valueAt(store, object, row, name)]),
    ),
    ...Object.fromEntries(parents),
  };
};

/** Answers queries, and gives what does not fit into one answer page after page. */
export const createRows = ({
  pageSize,
  version,
  rules,
}: {
  readonly pageSize: number;
  readonly version: string;
  readonly rules: SalesforceRules;
}) => {
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
        nextRecordsUrl: done ? undefined : `/services/data/v${version}/query/${cursor}`,
        records: rows.slice(from, next),
      },
    };
  };

  return {
    first: (store: CrmStore, q: string): EndpointAnswer => {
      const { object, query } = readQuery(q, rules.hiddenFields);
      const rows = matching(store, object, query).map((row) => toRow(store, object, query.fields, row, version));
      return page(rows, 0, rows.length);
    },
    next: (cursor: string): EndpointAnswer => {
      const kept = cursors.get(cursor);
      if (!kept) throw new Refused(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
      return page(kept.rows, Number(cursor.split('-')[1]), kept.total);
    },
  };
};

/** The records that a query finds. It sees them as an answer gives them, parents included. */
export const matching = (store: CrmStore, object: string, query: SoqlQuery): FakeCrmRecord[] => {
  const paths = fieldsOf(query).filter((name) => name.includes('.'));
  const rows = [...store.recordsOf(object).values()].map((record) => ({
    ...readable(object, record),
    ...Object.fromEntries(paths.map((path) => [path, valueAt(store, object, record, path)])),
  }));
  return evaluateSoql(query, rows).flatMap(({ Id }) => store.recordsOf(object).get(Id) ?? []);
};
