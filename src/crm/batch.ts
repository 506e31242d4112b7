import { id as idSchema } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { RequestOptions } from '../http/operation.ts';
import { checkArgument, type ReaderContext } from '../core/schema.ts';
import type { BatchItem, BatchRecord, BatchRequest } from './batch-parts.ts';
import type { CrmBatch, GetOptions } from './client.ts';
import type { ExternalId } from './where.ts';
import type { Org } from './create-records.ts';
import type { CrmSchemas } from './declared.ts';
import { assertDeclared, assertObject, fieldsOf, selection } from './fields.ts';
import { fitNew } from './left-out.ts';
import { recordOf } from './readers.ts';
import type { AnyFields, AnyRecord } from './object-table.ts';

/** A client's batches, of whose objects nothing is declared. */
export interface AnyBatch {
  get(object: string, ids: readonly string[], options?: GetOptions): Promise<readonly BatchItem<AnyRecord>[]>;
  create(
    object: string,
    records: readonly AnyFields[],
    call?: RequestOptions,
  ): ReturnType<CrmBatch<CrmSchemas>['create']>;
  update(
    object: string,
    records: readonly { readonly id: string; readonly fields: AnyFields }[],
    call?: RequestOptions,
  ): ReturnType<CrmBatch<CrmSchemas>['update']>;
  upsert(
    object: string,
    records: readonly { readonly by: ExternalId<AnyFields>; readonly fields: AnyFields }[],
    call?: RequestOptions,
  ): ReturnType<CrmBatch<CrmSchemas>['upsert']>;
}

/** Many records of one object in one request. */
export const createBatch = (org: Org): AnyBatch => {
  const { dialect, http, labels, rulesOf } = org;

  const send = <Done>(
    {
      object,
      leftOut = [],
      ...batch
    }: BatchRequest & { readonly object: string; readonly leftOut?: readonly string[] },
    toDone: (record: BatchRecord, context: ReaderContext, index: number) => Done,
    call: RequestOptions = {},
  ): Promise<readonly BatchItem<Done>[]> => {
    const operation = `crm.batch.${batch.action}`;
    if (!dialect.batch)
      throw new InvalidArgumentError('records', "can't be one request to this API: send one after the other", {
        operation,
      });
    const { items, ...endpoint } = dialect.batch(object, batch, org.clock);
    return http.request(
      {
        ...endpoint,
        operation,
        effect: batch.action === 'get' ? 'read' : 'write',
        withoutKeys: batch.action === 'create' ? 'never' : 'again',
        returns: (json, context) => {
          if (leftOut.length > 0) context.drift(leftOut);
          return items(json).map((item, index) =>
            item.status === 'done' ? { status: 'done', record: toDone(item.record, context, index) } : item,
          );
        },
      },
      call,
    );
  };

  return {
    get: async (object, ids, { fields, ...call } = {}) => {
      const check = checksOf(org, 'crm.batch.get', object);
      const checked = check.list(ids).map((id, index) => check.id(id, `records.${index}`));
      const wanted = checkArgument('crm.batch.get', selection, fields, 'fields');
      for (const field of wanted ?? []) check.declared(field);
      labels.prepare(object, wanted);
      const items = await send(
        { action: 'get', object, ids: checked, fields: wanted },
        recordOf(object, rulesOf(object)),
        call,
      );
      const rows = await labels.toLabels(
        object,
        items.flatMap((item) => (item.status === 'done' ? [item.record] : [])),
      );
      const left = [...rows];
      return items.map((item) => (item.status === 'done' ? { ...item, record: left.shift() ?? item.record } : item));
    },
    create: async (object, records, call) => {
      const check = checksOf(org, 'crm.batch.create', object);
      const checked = check.list(records).map((fields, index) => check.fields(fields, index));
      const own = await Promise.all(checked.map((fields) => labels.toIds(object, fields, true)));
      const fitted = own.map((fields) => fitNew(dialect, object, fields));
      const leftOut = [...new Set(fitted.flatMap(({ leftOut: names }) => names))];
      const toDone = ({ id }: BatchRecord) => ({ id });
      return send({ action: 'create', object, records: fitted.map(({ fields }) => fields), leftOut }, toDone, call);
    },
    update: async (object, records, call) => {
      const check = checksOf(org, 'crm.batch.update', object);
      const checked = check.list(records).map((record, index) => ({
        id: check.id(record?.id, `records.${index}.id`),
        fields: check.fields(record?.fields, index),
      }));
      const toDone = (_record: BatchRecord, _context: ReaderContext, index: number) => ({
        id: checked[index]?.id ?? '',
      });
      const own = await Promise.all(
        checked.map(async ({ id, fields }) => ({ id, fields: await labels.toIds(object, fields, false) })),
      );
      return send({ action: 'update', object, records: own }, toDone, call);
    },
    upsert: async (object, records, call) => {
      const check = checksOf(org, 'crm.batch.upsert', object);
      const checked = check.list(records).map((record, index) => {
        const by = {
          field: check.id(record?.by?.field, `records.${index}.by.field`),
          value: check.id(record?.by?.value, `records.${index}.by.value`),
        };
        check.declared(by.field);
        return { by, fields: check.fields(record.fields, index) };
      });
      const toDone = ({ id, created }: BatchRecord) => ({ id, created: created === true });
      const own = await Promise.all(
        checked.map(async ({ by, fields }) => ({ by, fields: await labels.toIds(object, fields, false) })),
      );
      return send({ action: 'upsert', object, records: own }, toDone, call);
    },
  };
};

/** Checks what a batch of an object is given. */
const checksOf = ({ rulesOf }: Org, operation: string, object: string) => {
  assertObject(operation, object);
  const rules = rulesOf(object);
  return {
    list: <T>(list: readonly T[]): readonly T[] => {
      if (Array.isArray(list) && list.length >= 1 && list.length <= mostRecords) return list;
      throw new InvalidArgumentError('records', `must be a list of 1 to ${mostRecords}`, { operation });
    },
    id: (id: string, name: string): string => checkArgument(operation, idSchema, id, name),
    fields: (fields: AnyFields, index: number): AnyFields =>
      checkArgument(operation, fieldsOf(object, rules), fields, `records.${index}`),
    declared: (field: string): void => assertDeclared(operation, object, field, rules),
  };
};

/** HubSpot's most in one request. */
const mostRecords = 100;
