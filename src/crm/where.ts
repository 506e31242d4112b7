import { oneOf } from '../core/option-checks.ts';

/** The key of a record in another system: a field that the org's administrator marked as external id. */
export interface ExternalId<Fields> {
  readonly field: FieldPath<Fields>;
  readonly value: string;
}

/** The fields of a record that a query may name, also of its parents: `Owner.Name`. Any text where not all are known. */
export type FieldPath<Row> = string extends keyof Row
  ? string
  : {
      [Name in keyof Row & string]-?: IsParent<Row[Name]> extends true
        ? `${Name}.${keyof NonNullable<Row[Name]> & string}`
        : Name;
    }[keyof Row & string];

/** The type `true` for a parent record. */
type IsParent<Value> = unknown extends Value ? false : NonNullable<Value> extends object ? true : false;

/** The value of a field. */
type ValueAt<Row, Path extends string> = Path extends keyof Row
  ? NonNullable<Row[Path]>
  : Path extends `${infer Parent}.${infer Field}`
    ? Parent extends keyof Row
      ? ValueAt<NonNullable<Row[Parent]>, Field>
      : QueryValue
    : QueryValue;

/** A text may be a moment. */
type Compared<Value> = Value extends string ? Value | Date : Value;

/** A condition on one field. */
type FieldCondition<Field extends string, Value> =
  | { readonly field: Field; readonly operator: Comparison; readonly value: Compared<Value> | null }
  | { readonly field: Field; readonly operator: ListComparison; readonly value: readonly (Compared<Value> | null)[] };

/**
 * The condition on the rows of a query: a field, an operator and a value. Or several conditions under `all`, `any` or
 * `not`. Make it with {@link where}, {@link and}, {@link or} and {@link not}. Values are escaped for you.
 */
export type Where<Row> =
  | (string extends keyof Row
      ? FieldCondition<string, QueryValue>
      : { [Path in FieldPath<Row>]: FieldCondition<Path, ValueAt<Row, Path>> }[FieldPath<Row>])
  | { readonly all: readonly Where<Row>[] }
  | { readonly any: readonly Where<Row>[] }
  | { readonly not: Where<Row> };

/** An operator of a condition. */
type Operator = Comparison | ListComparison;

/**
 * One condition: a field, an operator, and the value or list of values to compare with. Any text is safe as a value.
 * Throws `InvalidArgumentError` for another operator.
 *
 * @example
 * await crm.leads.search({ where: where('City', 'in', ['Lagos', 'Turin']) });
 */
export const where = <const Field extends string, const Op extends Operator, const Value>(
  field: Field,
  operator: Op,
  value: Value,
): { readonly field: Field; readonly operator: Op; readonly value: Value } => {
  oneOf<Operator>(operator ?? null, 'operator', operators)();
  return { field, operator, value };
};

/**
 * Conditions that must all hold.
 *
 * @example
 * and(where('Status', '=', 'Open'), where('CreatedDate', '>', new Date(2026, 0, 1)))
 */
export const and = <const Conditions extends readonly object[]>(
  ...conditions: Conditions
): { readonly all: Conditions } => ({ all: conditions });

/**
 * Conditions of which at least one must hold.
 *
 * @example
 * or(where('Email', '=', email), where('LastName', 'starts with', name))
 */
export const or = <const Conditions extends readonly object[]>(
  ...conditions: Conditions
): { readonly any: Conditions } => ({ any: conditions });

/**
 * A condition that must not hold.
 *
 * @example
 * not(where('Company', 'contains', 'Test'))
 */
export const not = <const Inner extends object>(condition: Inner): { readonly not: Inner } => ({ not: condition });

/** The value that a field is compared with. A `Date` is a moment, or its day where the business is. `null` is an empty field. */
export type QueryValue = string | number | boolean | Date | null;

/** An operator for one value. The last three compare texts, without their case. */
export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'contains' | 'starts with' | 'ends with';

/** An operator for several values. The last two are for fields that hold several choices. */
export type ListComparison = 'in' | 'not in' | 'includes' | 'excludes';

/** A condition on a row. */
export type Condition =
  | { readonly field: string; readonly operator: Comparison; readonly value: QueryValue }
  | { readonly field: string; readonly operator: ListComparison; readonly value: readonly QueryValue[] }
  /** Holds these texts in this order and ends with the last, with any text before and between them. */
  | { readonly field: string; readonly endsWith: readonly string[] }
  | { readonly not: Condition }
  | ConditionGroup;

/** Conditions of which one, or each, must hold. At least one. */
export type ConditionGroup = { readonly any: readonly Condition[] } | { readonly all: readonly Condition[] };

/** A search over one object of the CRM. */
export interface RowQuery {
  readonly select: readonly string[];
  readonly from: string;
  /** The condition; all rows are meant without it. */
  readonly where?: Condition | undefined;
  readonly orderBy?: readonly Order[] | undefined;
}

/** The field that rows are sorted by. Empty ones come first. */
export interface Order {
  readonly field: string;
  /** @defaultValue 'asc' */
  readonly direction?: 'asc' | 'desc' | undefined;
}

/** A value that a condition may compare with. */
export const operators: readonly (Comparison | ListComparison)[] = [
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'contains',
  'starts with',
  'ends with',
  'in',
  'not in',
  'includes',
  'excludes',
];

/** Letters, digits and underscores, at most 80: nothing that could end a name. */
export const isFieldName = (text: string): boolean => text.length <= 80 && /^[A-Za-z]\w*$/.test(text);

/** The name of a field, or of a field of a parent: `Owner.Name`, at most five parents up. */
export const isFieldPath = (text: string): boolean => {
  const names = text.split('.');
  return names.length <= 6 && names.every(isFieldName);
};

/** A comparison of a field with a value or several. */
export type Comparing = Extract<Condition, { readonly operator: string }>;

/** The same condition with each of its comparisons changed. */
export const mapComparisons = (where: Condition, change: (one: Comparing) => Condition): Condition => {
  const each = (part: Condition) => mapComparisons(part, change);
  if ('not' in where) return { not: each(where.not) };
  if ('any' in where) return { any: where.any.map(each) };
  if ('all' in where) return { all: where.all.map(each) };
  return 'operator' in where ? change(where) : where;
};
