import type { ObjectShape } from '../contract/crm-objects.ts';
import { Refused } from '../refused.ts';
import { fieldsOf } from '../soql/evaluate.ts';
import { parseSoql, type SoqlCondition, type SoqlQuery, type SoqlValue } from '../soql/parse.ts';
import { MalformedQueryError } from '../soql/tokenize.ts';
import { type HiddenFields, refuseHidden } from './hidden.ts';
import { isObject, isQueryablePath, shapeOf } from './objects.ts';

/** A query that the org can answer. */
export interface CheckedQuery {
  readonly object: string;
  readonly query: SoqlQuery;
}

const longestQuery = 100_000;

/**
 * Reads a query and refuses what the real org refuses. That is wrong syntax, objects and fields that don't exist, and a
 * field twice. It is also a text compared with a date, number, boolean or id, and long texts that can't be searched.
 */
export const readQuery = (text: string, hidden: HiddenFields): CheckedQuery => {
  if (text.length > longestQuery) throw new Refused(400, 'MALFORMED_QUERY', 'SOQL statements cannot be longer');
  const query = parsed(text);
  const object = objectNamed(query.from);
  const shape = shapeOf(object);
  const unknown = fieldsOf(query).find((name) => !isQueryablePath(object, name));
  if (unknown !== undefined)
    throw new Refused(400, 'INVALID_FIELD', `No such column '${unknown}' on entity '${object}'`, { field: unknown });
  refuseHidden(hidden, object, fieldsOf(query), 'query');
  const twice = query.fields.find((name, index) => query.fields.indexOf(name) !== index);
  if (twice !== undefined) throw new Refused(400, 'MALFORMED_QUERY', `duplicate field selected: ${twice}`);
  const unsorted = query.orderBy.find(({ field }) => isLongText(field));
  if (unsorted) throw cannotBe('sorted', unsorted.field);
  if (query.where) checkCondition(shape, query.where);
  return { object, query };
};

/** The condition of a search, which is that of a query. */
export const readCondition = (object: string, text: string, hidden: HiddenFields): SoqlCondition | undefined =>
  readQuery(`SELECT Id FROM ${object} WHERE ${text}`, hidden).query.where;

export const objectNamed = (name: string): string => {
  if (isObject(name)) return name;
  throw new Refused(400, 'INVALID_TYPE', `sObject type '${name}' is not supported`);
};

const parsed = (text: string): SoqlQuery => {
  try {
    return parseSoql(text);
  } catch (error) {
    if (!(error instanceof MalformedQueryError)) throw error;
    throw new Refused(400, 'MALFORMED_QUERY', error.message);
  }
};

const checkCondition = (shape: ObjectShape, condition: SoqlCondition): void => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.forEach((part) => checkCondition(shape, part));
    case 'not':
      return checkCondition(shape, condition.condition);
    case 'like': {
      const { field } = condition;
      if (isLongText(field)) throw cannotBe('filtered', field);
      if (typeOf(shape, field) !== 'text')
        throw new Refused(400, 'INVALID_FIELD', `invalid operator on ${field} field`);
      return;
    }
    case 'in':
    case 'includes':
      return condition.values.forEach((value) => checkValue(shape, condition.field, value));
    case 'compare':
      return checkValue(shape, condition.field, condition.value);
  }
};

type ValueType = 'text' | 'id' | 'number' | 'boolean' | 'date';

const checkValue = (shape: ObjectShape, field: string, value: SoqlValue): void => {
  if (isLongText(field)) throw cannotBe('filtered', field);
  // What a field of the org's own holds isn't known here, unless its name is one of the shape's.
  if (value === null || (field.endsWith('__c') && !Object.hasOwn(shape.fields, field))) return;
  const type = typeOf(shape, field);
  if (type === 'id' && typeof value === 'string' && !isRecordId(value))
    throw new Refused(400, 'INVALID_QUERY_FILTER_OPERATOR', `invalid ID field: ${field}`);
  const wanted = { text: 'string', id: 'string', date: 'object', number: 'number', boolean: 'boolean' }[type];
  if (typeof value === wanted) return;
  const quotes = wanted === 'string' ? 'should be enclosed in quotes' : 'should not be enclosed in quotes';
  throw new Refused(
    400,
    'INVALID_FIELD',
    `value of filter criterion for field '${field}' must be of type ${type} and ${quotes}`,
  );
};

const typeOf = (shape: ObjectShape, path: string): ValueType => {
  const field = path.split('.').at(-1) ?? '';
  if (field === 'Id' || field.endsWith('Id')) return 'id';
  if (/^Is[A-Z]/.test(field)) return 'boolean';
  if (/(?:Date|Date__c|DateTime)$/.test(field)) return 'date';
  const type = Object.hasOwn(shape.fields, field) ? shape.fields[field] : undefined;
  if (type === 'boolean') return 'boolean';
  return type === 'number' || type === 'integer' ? 'number' : type === 'date' ? 'date' : 'text';
};

/** 15 characters, or 18 with a check sum at the end. */
export const isRecordId = (text: string): boolean => /^(?:[A-Za-z0-9]{15}|[A-Za-z0-9]{18})$/.test(text);

const isLongText = (field: string): boolean => field === 'Description';

const cannotBe = (what: 'filtered' | 'sorted', field: string) =>
  new Refused(400, 'INVALID_FIELD', `field '${field}' can not be ${what} in a query call`, { field });
