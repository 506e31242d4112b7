import { InvalidArgumentError } from '../errors.ts';

/** One comparison for equality. */
export interface Condition {
  readonly field: string;
  readonly value: string | number | boolean;
}

/** A search over one object of the CRM. */
export interface Query {
  readonly select: readonly string[];
  readonly from: string;
  /** At least one; `any` joins them with OR, `all` with AND. */
  readonly where: { readonly any: readonly Condition[] } | { readonly all: readonly Condition[] };
  readonly orderBy?: readonly string[];
}

/**
 * Writes a search in the CRM's query language. Names are the package's own and are refused unless they are plain
 * names; values become literals, so no value can change what is asked.
 * Throws `InvalidArgumentError` for a search without a condition, which would match everything.
 */
export const writeQuery = ({ select, from, where, orderBy = [] }: Query): string => {
  const [conditions, joint] = 'any' in where ? [where.any, ' OR '] : [where.all, ' AND '];
  if (conditions.length === 0) throw new InvalidArgumentError('where', 'must have at least one condition');
  const compared = conditions.map(({ field, value }) => `${name(field)} = ${literal(value)}`);
  const order = orderBy.map((term) => term.split(' ').map(name).join(' '));
  return [
    `SELECT ${[...new Set(select)].map(name).join(', ')}`,
    `FROM ${name(from)}`,
    `WHERE ${compared.join(joint)}`,
    ...(order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []),
  ].join(' ');
};

/** A text as a literal of the query language: the one place where values are escaped. */
export const quote = (value: string): string =>
  // The backslash first, or it would escape the escapes.
  `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Letters, digits and underscores, at most 80: nothing that could end a name. */
export const isFieldName = (text: string): boolean => text.length <= 80 && /^[A-Za-z]\w*$/.test(text);

const literal = (value: Condition['value']): string => {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new InvalidArgumentError('value', 'must be a finite number');
  return String(value);
};

const name = (text: string): string => {
  if (!isFieldName(text)) throw new InvalidArgumentError('field', 'must be the plain name of a field');
  return text;
};
