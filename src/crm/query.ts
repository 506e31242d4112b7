import { isDate, isDateTime } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { createLocalClock, type LocalClock } from '../core/local-clock.ts';
import { oneOf } from '../core/option-checks.ts';
import { kindOf } from './objects.ts';
import {
  type Comparing,
  type Condition,
  isFieldName,
  isFieldPath,
  operators,
  type QueryValue,
  type RowQuery,
} from './where.ts';

/**
 * Writes a search in the CRM's query language. Names are refused unless they are plain names, and values become
 * literals, so no value can change what is asked.
 * Throws `InvalidArgumentError` for a group without a condition, which would match everything.
 */
export const writeQuery = ({ select, from, where, orderBy = [] }: RowQuery, clock = createLocalClock()): string => {
  const order = orderBy.map(
    ({ field, direction = 'asc' }) => `${path(field)} ${direction === 'desc' ? 'DESC' : 'ASC'}`,
  );
  return [
    `SELECT ${[...new Set(select)].map(path).join(', ')}`,
    `FROM ${name(from)}`,
    ...(where === undefined ? [] : [`WHERE ${writeConditions(from, where, clock)}`]),
    ...(order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []),
  ].join(' ');
};

/** The part of a search after WHERE. */
export const writeConditions = (from: string, condition: Condition, clock = createLocalClock()): string => {
  const parts = partsOf(condition);
  if (!parts) return writeCondition(from, condition, clock);
  return parts.map((each) => writeCondition(from, each, clock)).join('any' in condition ? ' OR ' : ' AND ');
};

/** Every field that a written query names. */
export const fieldsIn = ({ select, where, orderBy = [] }: RowQuery): readonly string[] => [
  ...select,
  ...(where === undefined ? [] : fieldsInCondition(where)),
  ...orderBy.map(({ field }) => field),
];

const fieldsInCondition = (condition: Condition): readonly string[] => {
  if ('not' in condition) return fieldsInCondition(condition.not);
  return partsOf(condition)?.flatMap(fieldsInCondition) ?? ('field' in condition ? [condition.field] : []);
};

const kinds = ['all', 'any', 'not', 'field'] as const;

/** The conditions of a group. Throws `InvalidArgumentError` for what is no condition; JavaScript may give anything. */
const partsOf = (condition: Condition): readonly Condition[] | undefined => {
  if (typeof condition !== 'object' || condition === null)
    throw new InvalidArgumentError('where', 'must be a condition');
  // TypeScript lets several through, and all but one would be ignored.
  if (kinds.filter((kind) => kind in condition).length > 1)
    throw new InvalidArgumentError('where', 'must be one of all, any, not and a field: put several under all');
  if (!('any' in condition) && !('all' in condition)) return undefined;
  const parts = 'any' in condition ? condition.any : condition.all;
  if (!Array.isArray(parts) || parts.length === 0)
    throw new InvalidArgumentError('where', 'must have at least one condition');
  return parts;
};

/** A text as a literal of the query language: the one place where values are escaped. */
export const quote = (value: string): string => `'${escapeText(value)}'`;

const writeCondition = (from: string, condition: Condition, clock: LocalClock): string => {
  const parts = partsOf(condition);
  if (parts) {
    const [only, ...others] = parts;
    // AND and OR may not be mixed without parentheses.
    return only && others.length === 0
      ? writeCondition(from, only, clock)
      : `(${writeConditions(from, condition, clock)})`;
  }
  if ('not' in condition) return `(NOT ${writeCondition(from, condition.not, clock)})`;
  // What has parts was written above.
  return writeComparison(from, condition as Comparing | EndsWith, clock);
};

type EndsWith = Extract<Condition, { readonly endsWith: unknown }>;

const writeComparison = (from: string, condition: Comparing | EndsWith, clock: LocalClock): string => {
  const field = path(condition.field);
  if ('endsWith' in condition)
    return `${field} LIKE '${condition.endsWith.map((part) => `%${escapePattern(part)}`).join('')}'`;
  return `${field} ${comparisonOf(condition, (value) => literal(value, kindOf(from, condition.field), clock))}`;
};

const comparisonOf = ({ operator, value }: Comparing, write: (value: QueryValue) => string): string => {
  oneOf<string>(operator ?? null, 'operator', operators)();
  switch (operator) {
    case '=':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return `${operator} ${write(value)}`;
    case 'in':
    case 'not in':
      return `${operator.toUpperCase()} (${values(value).map(write).join(', ')})`;
    case 'includes':
    case 'excludes':
      return `${operator.toUpperCase()} (${values(value).map(text).map(quote).join(', ')})`;
    case 'contains':
      return `LIKE '%${pattern(value)}%'`;
    case 'starts with':
      return `LIKE '${pattern(value)}%'`;
    case 'ends with':
      return `LIKE '%${pattern(value)}'`;
  }
};

/** A quote ends a literal, a line break is not allowed in one, and a backslash would escape the escapes. */
const escapeText = (value: string): string =>
  value.replace(
    /[\\'\u0000-\u001f\u007f\u2028\u2029\p{Surrogate}]/gu,
    (character) => escapes[character] ?? unicodeEscape(character),
  );

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
};

const unicodeEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A part of a text that is searched for. An empty one would match everything. */
const pattern = (value: unknown): string => {
  if (text(value) === '') throw new InvalidArgumentError('value', 'must not be empty');
  return escapePattern(text(value));
};

/** Within LIKE, `%` and `_` match other texts unless they are escaped. */
const escapePattern = (value: string): string => escapeText(value).replace(/[%_]/g, '\\$&');

/** Days and moments are written without quotes. */
const literal = (value: QueryValue, kind: ReturnType<typeof kindOf>, { dayOf }: LocalClock): string => {
  if (value === null || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return (kind === 'date' && dayOf(value)) || moment(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new InvalidArgumentError('value', 'must be a finite number');
    return String(value);
  }
  if (kind === 'datetime') return moment(new Date(isDateTime(text(value)) ? value : Number.NaN));
  if (kind !== 'date') return quote(text(value));
  if (!isDate(text(value))) throw new InvalidArgumentError('value', 'must be a date, YYYY-MM-DD');
  return value;
};

const moment = (date: Date): string => {
  if (Number.isNaN(date.getTime()))
    throw new InvalidArgumentError('value', 'must be a date and time with its zone, such as 2026-01-31T14:00:00Z');
  return date.toISOString();
};

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new InvalidArgumentError('value', 'must be a string');
  return value;
};

const values = (value: unknown): readonly QueryValue[] => {
  if (!Array.isArray(value) || value.length === 0)
    throw new InvalidArgumentError('value', 'must be a list with at least one value');
  return value;
};

const name = (text: string): string => {
  if (!isFieldName(text)) throw new InvalidArgumentError('field', 'must be the plain name of a field');
  return text;
};

const path = (text: string): string => {
  if (typeof text !== 'string' || !isFieldPath(text))
    throw new InvalidArgumentError('field', 'must be the plain name of a field');
  return text;
};
