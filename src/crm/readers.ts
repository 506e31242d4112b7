import { readWithin } from '../core/envelope.ts';
import * as z from '../core/schema.ts';
import { type Reader, readId, readRecord } from '../core/schema.ts';
import type { FieldRules } from './declared.ts';
import {
  type AnyRecord,
  type CreatedRecord,
  type FieldKind,
  type ObjectTable,
  type ParentTable,
  systemFields,
} from './object-table.ts';
import { perObject, tableOf } from './objects.ts';

const text = z.lazily(() => z.nullish(z.string()));
const number = z.lazily(() => z.nullish(z.number()));
const flag = z.lazily(() => z.nullish(z.boolean()));

const valueOf = (kind: FieldKind): z.ZodType => {
  if (kind === 'boolean') return flag();
  return kind === 'count' || kind === 'number' ? number() : text();
};

const valuesOf = (kinds: Readonly<Record<string, FieldKind>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, valueOf(kind)]));

const isTable = (table: ParentTable): table is ObjectTable => 'readOnly' in table;

const ownValues = (table: ParentTable) =>
  valuesOf(isTable(table) ? { ...table.fields, ...table.readOnly, ...systemFields } : table.fields);

const schemaOf = (object: string): z.LazySchema<AnyRecord> =>
  z.lazily(() => {
    const table = tableOf(object);
    const parents = Object.entries(table.parents);
    // Fields that aren't known are kept by `readRecord`.
    return z.object({
      ...ownValues(table),
      ...Object.fromEntries(parents.map(([name, parent]) => [name, z.nullish(z.looseObject(ownValues(parent)))])),
      Id: readId(),
    });
  });

const createdSchema = z.lazily<CreatedRecord>(() => z.object({ id: readId() }));

/** A created record may come back as its bare id, as `{ id }`, or whole with its `Id`. */
export const created: Reader<CreatedRecord> = (json, context) =>
  readRecord(createdSchema, ['id'])(withId(json, 'id', 'Id'), context);

/** A created record of this object, which may be within an object under its name. */
export const createdOf = (object: string): Reader<CreatedRecord> => readWithin(object, created);

/** The names of a list of this object's records. */
export const namesOf = (object: string): readonly string[] => [object, tableOf(object).resource];

const schemas = perObject((object) => schemaOf(object));

/** A record that was created or changed. */
export interface UpsertedRecord extends CreatedRecord {
  /** `false`: it was there already, and was changed. */
  readonly created: boolean;
}

/** The record that an upsert made or changed. */
export const upserted: Reader<UpsertedRecord> = (json, context) => {
  const record = created(json, context);
  return { ...record, created: record['created'] === true };
};

/**
 * A record of this object, by itself or in a list. It may be its bare id, or an object with `Id` or `id`. A field that
 * isn't what was declared is left out, and reported as drift.
 */
export const recordOf = (object: string, rules?: FieldRules): Reader<AnyRecord> => {
  const readFields = readRecord(schemas(object), ['Id']);
  const read = readWithin(object, (json, context) => readFields(withId(json, 'Id', 'id'), context));
  return (json, context) => {
    const record = read(json, context);
    if (!rules) return record;
    const drifted = Object.keys(record).filter((name) => rules.problemOf(name, record[name]) !== undefined);
    if (drifted.length === 0) return record;
    context.drift(drifted);
    const rest = Object.entries(record).filter(([name]) => !drifted.includes(name));
    return { ...Object.fromEntries(rest), Id: record.Id };
  };
};

const withId = (json: unknown, wanted: 'id' | 'Id', other: 'id' | 'Id'): unknown => {
  if (typeof json === 'string') return { [wanted]: json };
  if (typeof json !== 'object' || json === null || wanted in json || !(other in json)) return json;
  const { [other]: id, ...rest } = json as Record<string, unknown>;
  return { [wanted]: id, ...rest };
};
