import type { SoqlCondition, SoqlOperator, SoqlQuery, SoqlValue } from './parse.ts';

/** A record that is queried. */
export type Row = Readonly<Record<string, unknown>>;

/** The rows that a query finds, in its order and under its limit. Texts are compared without case, as the CRM does. */
export const evaluateSoql = <R extends Row>(query: SoqlQuery, rows: readonly R[], maximumRows = Infinity): R[] => {
  const found = rows.filter((row) => !query.where || fulfils(row, query.where));
  const ordered = found.toSorted((a, b) => {
    for (const { field, descending } of query.orderBy) {
      const difference = order(a[field], b[field]);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  });
  return ordered.slice(0, Math.min(query.limit ?? Infinity, maximumRows));
};

/** Every field that a query names. */
export const fieldsOf = ({ fields, where, orderBy }: SoqlQuery): readonly string[] => [
  ...fields,
  ...(where ? fieldsOfCondition(where) : []),
  ...orderBy.map(({ field }) => field),
];

const fieldsOfCondition = (condition: SoqlCondition): readonly string[] => {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap(fieldsOfCondition);
    case 'not':
      return fieldsOfCondition(condition.condition);
    default:
      return [condition.field];
  }
};

const fulfils = (row: Row, condition: SoqlCondition): boolean => {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.every((part) => fulfils(row, part));
    case 'or':
      return condition.conditions.some((part) => fulfils(row, part));
    case 'not':
      return !fulfils(row, condition.condition);
    case 'like': {
      const field = row[condition.field];
      return typeof field === 'string' && condition.pattern.test(field);
    }
    case 'in':
      return condition.values.some((value) => compare('=', row[condition.field], value));
    case 'includes': {
      const field = row[condition.field];
      const choices = typeof field === 'string' ? field.split(';') : [];
      return choices.some((choice) => condition.values.some((value) => compare('=', choice, value)));
    }
    case 'compare':
      return compare(condition.operator, row[condition.field], condition.value);
  }
};

/** Moments are the same in every zone. */
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;

const folded = (value: unknown): unknown => {
  if (typeof value === 'object' && value !== null && 'date' in value) return folded(String(value.date));
  if (typeof value === 'string' && moment.test(value)) return new Date(value).toISOString();
  return typeof value === 'string' ? value.toLowerCase() : (value ?? null);
};

const compare = (operator: SoqlOperator, field: unknown, value: SoqlValue): boolean => {
  switch (operator) {
    case '=':
      return folded(field) === folded(value);
    case '!=':
      return folded(field) !== folded(value);
    default: {
      if (field === null || field === undefined || value === null) return false;
      const difference = order(field, value);
      if (operator === '<') return difference < 0;
      if (operator === '>') return difference > 0;
      return operator === '<=' ? difference <= 0 : difference >= 0;
    }
  }
};

/** Nulls come first. */
const order = (a: unknown, b: unknown): number => {
  const [left, right] = [folded(a), folded(b)];
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : 1;
  return Number(left) < Number(right) ? -1 : 1;
};
