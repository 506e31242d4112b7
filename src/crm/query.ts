import { InvalidArgumentError } from '../errors.ts';

/** What a row must fulfil. */
export type Condition =
  | { readonly field: string; readonly value: string | number | boolean }
  | { readonly field: string; readonly in: readonly string[] }
  /** Holds these texts in this order and ends with the last, with any text before and between them. */
  | { readonly field: string; readonly endsWith: readonly string[] }
  | Group;

/** Conditions of which one, or each, must hold. At least one. */
export type Group = { readonly any: readonly Condition[] } | { readonly all: readonly Condition[] };

/** A search over one object of the CRM. */
export interface Query {
  readonly select: readonly string[];
  readonly from: string;
  readonly where: Group;
  readonly orderBy?: readonly string[];
}

/**
 * Writes a search in the CRM's query language. Names are the package's own and are refused unless they are plain
 * names; values become literals, so no value can change what is asked.
 * Throws `InvalidArgumentError` for a search without a condition, which would match everything.
 */
export const writeQuery = ({ select, from, where, orderBy = [] }: Query): string => {
  const order = orderBy.map((term) => term.split(' ').map(name).join(' '));
  return [
    `SELECT ${[...new Set(select)].map(name).join(', ')}`,
    `FROM ${name(from)}`,
    `WHERE ${writeConditions(where)}`,
    ...(order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []),
  ].join(' ');
};

/** The part of a search after WHERE. */
export const writeConditions = (group: Group): string => {
  const [conditions, joint] = 'any' in group ? [group.any, ' OR '] : [group.all, ' AND '];
  if (conditions.length === 0) throw new InvalidArgumentError('where', 'must have at least one condition');
  return conditions.map(writeCondition).join(joint);
};

/** A text as a literal of the query language: the one place where values are escaped. */
export const quote = (value: string): string => `'${escapeText(value)}'`;

/** Letters, digits and underscores, at most 80: nothing that could end a name. */
export const isFieldName = (text: string): boolean => text.length <= 80 && /^[A-Za-z]\w*$/.test(text);

const writeCondition = (condition: Condition): string => {
  if ('value' in condition) return `${name(condition.field)} = ${literal(condition.value)}`;
  if ('in' in condition) return `${name(condition.field)} IN (${condition.in.map(quote).join(', ')})`;
  if ('endsWith' in condition)
    return `${name(condition.field)} LIKE '${condition.endsWith.map((part) => `%${escapePattern(part)}`).join('')}'`;
  const [only, ...others] = 'any' in condition ? condition.any : condition.all;
  // AND and OR may not be mixed without parentheses.
  return only && others.length === 0 ? writeCondition(only) : `(${writeConditions(condition)})`;
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

/** Within LIKE, `%` and `_` match other texts unless they are escaped. */
const escapePattern = (value: string): string => escapeText(value).replace(/[%_]/g, '\\$&');

const literal = (value: string | number | boolean): string => {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new InvalidArgumentError('value', 'must be a finite number');
  return String(value);
};

const name = (text: string): string => {
  if (!isFieldName(text)) throw new InvalidArgumentError('field', 'must be the plain name of a field');
  return text;
};
