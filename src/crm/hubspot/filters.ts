import { InvalidArgumentError } from '../../core/errors.ts';
import type { Comparing, Condition, QueryValue } from '../where.ts';
import { listSpellings } from './properties.ts';

/** One condition in HubSpot's words. */
interface Filter {
  readonly propertyName: string;
  readonly operator: string;
  readonly value?: string;
  readonly values?: readonly string[];
}

/** Names a field's property and writes a value of it. */
interface FilterWords {
  readonly propertyOf: (field: string) => string;
  readonly write: (property: string, value: QueryValue) => string;
}

/**
 * A condition as HubSpot's filter groups: one of the groups must hold, and in it all filters. Values are JSON texts of
 * their own, so that none can change what is asked.
 * Throws `InvalidArgumentError` for what HubSpot doesn't know, and for more than it takes.
 */
export const toFilterGroups = (
  where: Condition | undefined,
  words: FilterWords,
): readonly { readonly filters: readonly Filter[] }[] => {
  if (where === undefined) return [];
  const groups = groupsOf(where, false, words);
  const total = groups.reduce((sum, { length }) => sum + length, 0);
  if (groups.length > 5 || total > 18 || groups.some(({ length }) => length > 6))
    throw new InvalidArgumentError(
      'where',
      'must be simpler: HubSpot takes at most 5 alternatives of 6 conditions each, and 18 conditions in all',
    );
  return groups.map((filters) => ({ filters }));
};

type Groups = readonly (readonly Filter[])[];

const groupsOf = (condition: Condition, negated: boolean, words: FilterWords): Groups => {
  if ('not' in condition) return groupsOf(condition.not, !negated, words);
  if ('any' in condition || 'all' in condition) {
    const [parts, isAny] = 'any' in condition ? [condition.any, true] : [condition.all, false];
    const groups = parts.map((part) => groupsOf(part, negated, words));
    // Turned around, one of several becomes all of them.
    return isAny === negated ? groups.reduce(cross, [[]]) : groups.flat();
  }
  if (!('operator' in condition)) throw unknown('endsWith');
  return [[toFilter(condition, negated, words)]];
};

const cross = (left: Groups, right: Groups): Groups => left.flatMap((one) => right.map((other) => [...one, ...other]));

const toFilter = (
  { field, operator, value }: Comparing,
  negated: boolean,
  { propertyOf, write }: FilterWords,
): Filter => {
  const propertyName = propertyOf(field);
  // A query has just been written of it, which has checked the values.
  if (Array.isArray(value)) {
    const isIn = operator === 'in' || operator === 'includes';
    const values = (value as readonly QueryValue[]).flatMap((each) =>
      listSpellings(propertyName, write(propertyName, each)),
    );
    return { propertyName, operator: isIn === negated ? 'NOT_IN' : 'IN', values };
  }
  const one = value as QueryValue;
  if (one === null) {
    const wantsNone = (operator === '=') !== negated;
    return { propertyName, operator: wantsNone ? 'NOT_HAS_PROPERTY' : 'HAS_PROPERTY' };
  }
  const name = (negated ? opposites : operators)[operator];
  if (name === undefined) throw unknown(operator);
  return { propertyName, operator: name, value: textOf(operator, write(propertyName, one)) };
};

const operators: Readonly<Record<string, string>> = {
  '=': 'EQ',
  '!=': 'NEQ',
  '<': 'LT',
  '<=': 'LTE',
  '>': 'GT',
  '>=': 'GTE',
  contains: 'CONTAINS_TOKEN',
  'starts with': 'CONTAINS_TOKEN',
  'ends with': 'CONTAINS_TOKEN',
};

const opposites: Readonly<Record<string, string>> = {
  '=': 'NEQ',
  '!=': 'EQ',
  '<': 'GTE',
  '<=': 'GT',
  '>': 'LTE',
  '>=': 'LT',
  contains: 'NOT_CONTAINS_TOKEN',
  'starts with': 'NOT_CONTAINS_TOKEN',
  'ends with': 'NOT_CONTAINS_TOKEN',
};

/** A star means anything, and there's no escape for one in a value. */
const textOf = (operator: string, value: string): string => {
  const plain = value.replaceAll('*', ' ').trim();
  if (operator === 'contains') return `*${plain}*`;
  if (operator === 'starts with') return `${plain}*`;
  return operator === 'ends with' ? `*${plain}` : value;
};

const unknown = (operator: string) =>
  new InvalidArgumentError('where', `must not use ${operator}: a search of HubSpot has nothing like it`);
