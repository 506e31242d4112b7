import { InvalidArgumentError } from '../../core/errors.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { path } from '../../http/path.ts';
import { fieldsOf, type JsonObject, objectsIn } from '../../stores/ports/json.ts';
import type { BatchEndpoint, BatchItem, BatchRecord, BatchRequest } from '../dialect.ts';
import type { AnyFields } from '../object-table.ts';
import { isAssociation } from './associations.ts';
import { problemsOf, traceId } from './http-dialect.ts';
import { owners } from './owners.ts';
import { propertyOf } from './properties.ts';
import { toNewRecord, toProperties, toPropertyList, toRecord, usualFields, type Words } from './translate.ts';

/** One record of a request: what it's known by, and what is written of it. */
interface Input {
  readonly id?: string;
  readonly idProperty?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

/**
 * A batch and its answer: https://developers.hubspot.com/docs/api-reference/error-handling#multi-status-errors. Each
 * write has a number of its own, by which an error names it.
 */
export const toBatch = (object: string, batch: BatchRequest, words: Words): BatchEndpoint => {
  if (object === owners) throw new InvalidArgumentError('records', 'must not be owners: HubSpot has no batch of them');
  const inputs = inputsOf(object, batch, words);
  const action = batch.action === 'get' ? 'read' : batch.action;
  const fields = batch.action === 'get' ? (batch.fields ?? usualFields(object, words)) : [];
  const toClient = (record: BatchRecord): BatchRecord =>
    batch.action === 'get'
      ? { id: record.id, ...fieldsOf(toRecord(object, record, words)) }
      : { ...record, created: record['new'] };
  return {
    method: 'POST',
    path: `${words.paths.objects}/${path`${words.typeOf(object)}/batch/${action}`}`,
    body:
      batch.action === 'get'
        ? { inputs, properties: toPropertyList(object, fields, words), propertiesWithHistory: [] }
        : { inputs: inputs.map((input, index) => ({ ...input, [traceId]: String(index) })) },
    items: (json) =>
      itemsOf(inputs, json).map((item) => (item.status === 'done' ? { ...item, record: toClient(item.record) } : item)),
  };
};

const inputsOf = (object: string, batch: BatchRequest, words: Words): readonly Input[] => {
  if (batch.action === 'get') return batch.ids.map((id) => ({ id }));
  if (batch.action === 'create')
    return batch.records.map((fields) => withoutUndefined(toNewRecord(object, fields, words)));
  if (batch.action === 'upsert') return batch.records.map((record) => toUpsert(object, record, words));
  return batch.records.map(({ id, fields }) => {
    assertNoLinks(object, fields, words);
    return { id, properties: toProperties(object, fields, words) };
  });
};

/** A record that is found by a property which no two have. */
export const toUpsert = (
  object: string,
  { by, fields }: { readonly by: { readonly field: string; readonly value: string }; readonly fields: AnyFields },
  words: Words,
) => {
  assertNoLinks(object, fields, words);
  const idProperty = propertyOf(words.namesOf(object), by.field) ?? by.field;
  const properties = { ...toProperties(object, fields, words), [idProperty]: by.value };
  return { idProperty, id: by.value, properties };
};

const assertNoLinks = (object: string, fields: AnyFields, words: Words): void => {
  const link = Object.keys(fields).find((field) => isAssociation(words.typeOf(object), field));
  if (link !== undefined)
    throw new InvalidArgumentError(link, 'is an association, which HubSpot takes with create and update only');
};

/** The result of each input. HubSpot returns errors and records as two lists, in no order that it promises. */
const itemsOf = (inputs: readonly Input[], json: unknown): readonly BatchItem<BatchRecord>[] => {
  const { results, errors } = fieldsOf(json);
  const refusals = objectsIn(errors);
  const records = objectsIn(results);
  const failed = new Map(
    refusals.flatMap((error) => indexesIn(inputs, error).map((index) => [index, problemsIn(error)] as const)),
  );
  const done = recordsByInput(inputs, failed, records);
  // What wasn't refused was done, when the numbers say so, even where it's open which record is whose.
  const isComplete =
    records.length + failed.size === inputs.length && refusals.every((error) => isNamed(inputs, error));
  return inputs.map((_input, index) => {
    const problems = failed.get(index);
    if (problems) return { status: 'failed', problems };
    const record = done.get(index);
    if (record) return { status: 'done', record: { ...record, id: textOf(record['id']) } };
    return isComplete ? { status: 'done', record: { id: undefined } } : { status: 'unknown' };
  });
};

const problemsIn = (error: JsonObject) => problemsOf({ status: 400, headers: new Map(), text: JSON.stringify(error) });

const isNamed = (inputs: readonly Input[], error: JsonObject): boolean => indexesIn(inputs, error).length > 0;

/** The inputs that an error is about. */
const indexesIn = (inputs: readonly Input[], error: JsonObject): readonly number[] => {
  const { ids, [traceId]: traces } = fieldsOf(error['context']);
  const numbers = new Set(Array.isArray(traces) ? traces.map(String) : []);
  const known = new Set(Array.isArray(ids) ? ids.map(normal) : []);
  return inputs.flatMap(({ id }, index) =>
    numbers.has(String(index)) || (id !== undefined && known.has(normal(id))) ? [index] : [],
  );
};

/** The record of each input: by the number of the write, by its id or property, or by the written values. */
const recordsByInput = (
  inputs: readonly Input[],
  failed: ReadonlyMap<number, unknown>,
  records: readonly JsonObject[],
): ReadonlyMap<number, JsonObject> => {
  const found = new Map<number, JsonObject>();
  const left = new Set(records);
  const take = (index: number, record: JsonObject | undefined) => {
    if (!record) return;
    found.set(index, record);
    left.delete(record);
  };
  // What has the most properties first: the record of one that has fewer has none of the others.
  const open = [...inputs.entries()]
    .filter(([index]) => !failed.has(index))
    .toSorted(([, one], [, other]) => propertiesOf(other).length - propertiesOf(one).length);
  for (const [index, input] of open)
    take(
      index,
      records.find((record) => record[traceId] === String(index) || isById(input, record)),
    );
  for (const [index, input] of open)
    if (input.properties && !found.has(index))
      take(
        index,
        [...left].find((record) => isAsWritten(input, record)),
      );
  return found;
};

const isById = ({ id, idProperty }: Input, record: JsonObject): boolean =>
  id !== undefined && normal(idProperty ? fieldsOf(record['properties'])[idProperty] : record['id']) === normal(id);

const isAsWritten = (input: Input, record: JsonObject): boolean =>
  propertiesOf(input).every(([name, value]) => normal(fieldsOf(record['properties'])[name]) === normal(value));

const propertiesOf = ({ properties = {} }: Input) => Object.entries(properties);

const textOf = (id: unknown): string | undefined =>
  typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;

/** HubSpot writes addresses in small letters. */
const normal = (value: unknown): string => (typeof value === 'string' ? value.toLowerCase() : '');
