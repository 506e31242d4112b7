import { id as idSchema } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { checkArgument, type ReaderContext } from '../core/schema.ts';
import type { RequestOptions } from '../http/operation.ts';
import type { FieldsFor, RecordFor } from './declared.ts';
import type { BatchItem, BatchRecord, BatchRequest } from './dialect.ts';
import { assertDeclared, assertObject, fieldsSchema, selection } from './fields.ts';
import { fitNew } from './left-out.ts';
import type { AnyFields, AnyRecord } from './object-table.ts';
import { recordOf } from './readers.ts';
import type { GetOptions, Org } from './records.ts';
import type { ExternalId, FieldPath } from './where.ts';

/**
 * Up to 100 records of one object in one request. Each is done or refused by itself, and the answer is in your order.
 * Throws `InvalidArgumentError` where the API has no such request.
 */
export interface CrmBatch<Schemas> {
  get<Object extends string>(
    object: Object,
    ids: readonly string[],
    options?: GetOptions<FieldPath<RecordFor<Schemas, Object>>>,
  ): Promise<readonly BatchItem<RecordFor<Schemas, Object>>[]>;
  /** Isn't sent again after an unknown end. No `id`: the answer leaves open which record is which. */
  create<Object extends string>(
    object: Object,
    records: readonly FieldsFor<Schemas, Object>[],
    call?: RequestOptions,
  ): Promise<readonly BatchItem<{ readonly id: string | undefined }>[]>;
  update<Object extends string>(
    object: Object,
    records: readonly { readonly id: string; readonly fields: FieldsFor<Schemas, Object> }[],
    call?: RequestOptions,
  ): Promise<readonly BatchItem<{ readonly id: string }>[]>;
  /** Does with each what `upsert` does with one: repeating it makes no second record. */
  upsert<Object extends string>(
    object: Object,
    records: readonly {
      readonly by: ExternalId<FieldsFor<Schemas, Object>>;
      readonly fields: FieldsFor<Schemas, Object>;
    }[],
    call?: RequestOptions,
  ): Promise<readonly BatchItem<{ readonly id: string | undefined; readonly created: boolean }>[]>;
}

/** Many records of one object in one request. */
export const createBatch = (org: Org) => {
  const { dialect, labels, rulesOf } = org;
  const send = createSend(org);

  /** The same records with ids in place of labels. */
  const withIds = <Written extends { readonly fields: AnyFields }>(
    object: string,
    records: readonly Written[],
    isNew: boolean,
  ) =>
    Promise.all(
      records.map(async (record) => ({ ...record, fields: await labels.toIds(object, record.fields, isNew) })),
    );

  return {
    get: async (
      object: string,
      ids: readonly string[],
      { fields, ...call }: GetOptions = {},
    ): Promise<readonly BatchItem<AnyRecord>[]> => {
      const check = checksOf(org, 'crm.batch.get', object);
      const checked = check.list(ids).map((id, index) => check.id(id, `records.${index}`));
      const wanted = checkArgument('crm.batch.get', selection, fields, 'fields');
      for (const field of wanted ?? []) check.declared(field);
      labels.prepare(object, wanted);
      const read = recordOf(object, rulesOf(object));
      const items = await send({ action: 'get', object, ids: checked, fields: wanted }, read, call);
      const rows = items.flatMap((item) => (item.status === 'done' ? [item.record] : []));
      const left = [...(await labels.toLabels(object, rows))];
      return items.map((item) => (item.status === 'done' ? { ...item, record: left.shift() ?? item.record } : item));
    },
    create: async (object: string, records: readonly AnyFields[], call?: RequestOptions) => {
      const check = checksOf(org, 'crm.batch.create', object);
      const checked = check.list(records).map((fields, index) => ({ fields: check.fields(fields, index) }));
      const fitted = (await withIds(object, checked, true)).map(({ fields }) => fitNew(dialect, object, fields));
      const leftOut = [...new Set(fitted.flatMap((one) => one.leftOut))];
      const written = fitted.map(({ fields }) => fields);
      return send({ action: 'create', object, records: written, leftOut }, ({ id }) => ({ id }), call);
    },
    update: async (
      object: string,
      records: readonly { readonly id: string; readonly fields: AnyFields }[],
      call?: RequestOptions,
    ) => {
      const check = checksOf(org, 'crm.batch.update', object);
      const checked = check.list(records).map((record, index) => ({
        id: check.id(record?.id, `records.${index}.id`),
        fields: check.fields(record?.fields, index),
      }));
      const written = await withIds(object, checked, false);
      return send(
        { action: 'update', object, records: written },
        (_record, _context, index) => ({ id: checked[index]?.id ?? '' }),
        call,
      );
    },
    upsert: async (
      object: string,
      records: readonly { readonly by: ExternalId<AnyFields>; readonly fields: AnyFields }[],
      call?: RequestOptions,
    ) => {
      const check = checksOf(org, 'crm.batch.upsert', object);
      const checked = check.list(records).map((record, index) => {
        const by = {
          field: check.id(record?.by?.field, `records.${index}.by.field`),
          value: check.id(record?.by?.value, `records.${index}.by.value`),
        };
        check.declared(by.field);
        return { by, fields: check.fields(record.fields, index) };
      });
      const written = await withIds(object, checked, false);
      return send(
        { action: 'upsert', object, records: written },
        ({ id, created }) => ({ id, created: created === true }),
        call,
      );
    },
  };
};

/** Sends one batch. */
const createSend = ({ dialect, http, clock }: Org) => {
  return <Done>(
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
    const { items, ...endpoint } = dialect.batch(object, batch, clock);
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
      checkArgument(operation, fieldsSchema(object, rules), fields, `records.${index}`),
    declared: (field: string): void => assertDeclared(operation, object, field, rules),
  };
};

/** HubSpot's most in one request. */
const mostRecords = 100;
