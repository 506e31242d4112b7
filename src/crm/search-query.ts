import type { AnyRecord } from './object-table.ts';
import { type SearchBy, searchOf } from './objects.ts';
import type { Condition, ConditionGroup, FieldPath, RowQuery, Where } from './where.ts';

/** Further conditions, fields and the limit of a search. */
export interface SearchOptions<Row> {
  /** Further conditions, besides those above. */
  readonly where?: Where<Row> | undefined;
  /**
   * The most rows; up to 200.
   * @defaultValue 1 for people, accounts, opportunities and cases, enough for a duplicate check; 200 for others
   */
  readonly limit?: number | undefined;
  /**
   * Fields to read in addition to the usual ones, such as `Rejection_Reason__c`, or those of a parent: `Owner.Name`. Each
   * must exist in the org.
   */
  readonly fields?: readonly FieldPath<Row>[] | undefined;
}

/** The objects that have phone numbers. */
export type ObjectWithPhone = 'Lead' | 'Contact' | 'Account';

/** The conditions of which one makes a phone number that of a record. */
export type MatchPhone = (object: ObjectWithPhone, phone: string) => readonly Condition[];

/** A search of an object; of one that isn't a standard one, by `where` alone. */
export type SearchOf<Object extends string> = SearchBy<Object> & SearchOptions<AnyRecord>;

/** The fields that a search of an object reads. */
export const searchedFields = (
  object: string,
  more: readonly string[] = [],
  hidden: ReadonlySet<string> = new Set(),
): readonly string[] => {
  const fields = new Set([...searchOf(object).fields, 'LastModifiedDate', ...more]);
  return [...fields].filter((field) => !hidden.has(field));
};

/** The columns that a search asks for: `documented` are those of the default API. The last two also have no order. */
type Columns = 'all' | 'documented' | 'id';

/** The part of a search that the CRM takes. */
export interface SearchWay {
  readonly columns: Columns;
  readonly mostRows: number;
}

/** Returns whether a search works with fewer columns. One for converted leads doesn't: no such column shows them. */
export const isMinimalSearch = (object: string, by: object): boolean =>
  searchOf(object).documented !== undefined && !('isConverted' in by && by.isConverted === true);

/** The query of a search. */
export const searchQuery = <Object extends string>(
  object: Object,
  by: SearchOf<Object>,
  matchPhone: MatchPhone,
  { columns = 'all', hidden = new Set() }: { readonly columns?: Columns; readonly hidden?: ReadonlySet<string> } = {},
): RowQuery => {
  const { orderBy, documented } = searchOf(object);
  const isWhole = columns === 'all';
  const own = isWhole
    ? conditionsOf(object, by, (...asked) =>
        matchPhone(...asked).filter((one) => !('field' in one && hidden.has(one.field))),
      )
    : conditionsOf(object, { ...by, isConverted: undefined }, (...asked) => matchPhone(...asked).slice(0, 1));
  const isEmpty = ('any' in own ? own.any : own.all).length === 0;
  const conditions = [...(isEmpty ? [] : [own]), ...(by.where === undefined ? [] : [by.where])];
  return {
    select: isWhole
      ? searchedFields(object, by.fields, hidden)
      : [...new Set(['Id', ...((columns === 'documented' && documented) || []), ...(by.fields ?? [])])],
    from: object,
    where: conditions.length === 1 ? conditions[0] : { all: conditions },
    orderBy: isWhole ? orderBy.filter(({ field }) => !hidden.has(field)) : undefined,
  };
};

/** The conditions of a search's arguments, besides `where`. */
const conditionsOf = (object: string, asked: object, matchPhone: MatchPhone): ConditionGroup => {
  const { by, needs, isAny } = searchOf(object);
  const any: Condition[] = [];
  const all: Condition[] = [];
  for (const [name, to] of Object.entries(by)) {
    const value = (asked as Readonly<Record<string, string | boolean | undefined>>)[name];
    if (value === undefined) continue;
    const [field, operator] = typeof to === 'string' ? ([to, '='] as const) : to;
    // Only objects with phone numbers are searched by one.
    const found =
      name === 'phone' ? matchPhone(object as ObjectWithPhone, String(value)) : [{ field, operator, value }];
    (isAny && needs.includes(name) ? any : all).push(...found);
  }
  if (all.length === 0 && isAny) return { any };
  return { all: [...(any.length > 0 ? [{ any }] : []), ...all] };
};
