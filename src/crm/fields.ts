import { count, date, dateTime, e164, email, id, isScalar, text } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import * as z from '../core/schema.ts';
import type { FieldRules } from './declared.ts';
import type { AnyFields, AnyRecord, FieldKind } from './object-table.ts';
import { kindOf, perObject, searchOf, tableOf } from './objects.ts';
import type { SearchOf } from './search-query.ts';
import { isFieldName, isFieldPath, type RowQuery, type Where } from './where.ts';

/** Checks of arguments before they're sent. */

/** The check of each kind of field before it's written. `null` empties any. */
const written: Readonly<Record<FieldKind, z.LazySchema>> = {
  text: z.string,
  id,
  email,
  phone: e164,
  date,
  datetime: dateTime,
  count,
  number: z.number,
  boolean: z.boolean,
};

const schemaOf = (known: Readonly<Record<string, FieldKind>>, rules?: FieldRules): z.LazySchema<AnyFields> =>
  z.lazily(() => {
    const kinds = Object.entries(known);
    const shape = Object.fromEntries(kinds.map(([name, kind]) => [name, z.nullish(written[kind]())]));
    return z.looseObject(shape).check(
      z.superRefine((fields, { addIssue }) => {
        const names = Object.keys(fields);
        if (names.every((name) => fields[name] === undefined))
          addIssue({ code: 'custom', message: 'must have at least one field', path: ['fields'] });
        for (const name of names) {
          const message = problemOf(name, fields[name], Object.hasOwn(shape, name), rules);
          if (message !== undefined) addIssue({ code: 'custom', message, path: [name] });
        }
      }),
    );
  });

const problemOf = (name: string, value: unknown, isKnown: boolean, rules?: FieldRules): string | undefined => {
  if (isKnown || value === undefined) return rules?.problemOf(name, value);
  if (!isFieldName(name)) return 'must be the plain name of a field';
  if (rules && !rules.declares(name)) return undeclared;
  return isScalar(value) ? rules?.problemOf(name, value) : 'must be a text, a number, true, false or null';
};

const undeclared = 'is not a field that was declared of this object';

/** Throws `InvalidArgumentError` for a field that a query names and that isn't known; one of a parent may be any. */
export const assertDeclared = (
  operation: string,
  object: string,
  path: string,
  rules: FieldRules | undefined,
): void => {
  if (!rules || path.includes('.') || kindOf(object, path) !== undefined || rules.declares(path)) return;
  throw new InvalidArgumentError(path, undeclared, { operation });
};

/** Throws `InvalidArgumentError` for what can't be the name of an object. */
export const assertObject = (operation: string, object: string): void => {
  if (typeof object === 'string' && isFieldName(object)) return;
  throw new InvalidArgumentError('object', 'must be the plain name of an object, such as Asset__c', { operation });
};

const schemas = perObject((object) => schemaOf(tableOf(object).fields));

/**
 * The fields of a record of this object: those that are known are checked. Any other of the org passes, unless the org's
 * own fields were declared.
 */
export const fieldsSchema = (object: string, rules?: FieldRules): z.LazySchema<AnyFields> =>
  rules ? schemaOf(tableOf(object).fields, rules) : schemas(object);

/** The fields that are asked for. */
export const fieldList = z.lazily(() =>
  z
    .array(z.string().check(z.refine(isFieldPath, 'must be the plain name of a field')))
    .check(z.minLength(1), z.maxLength(100)),
);

/** The fields that a `get` reads. */
export const selection = z.lazily<readonly string[] | undefined>(() => z.optional(fieldList()));

/** The arguments of a search, besides those of its object. */
const searchSchema = (object: string): z.LazySchema =>
  z.lazily(() => {
    const { by, needs } = searchOf(object);
    const [first = 'where', ...others] = needs;
    const last = others.pop();
    const also = [others.join(', '), last].filter(Boolean).join(' or ');
    const own = Object.entries(by).map(([name, to]) => {
      const kind = kindOf(object, typeof to === 'string' ? to : to[0]) ?? 'text';
      return [name, z.optional(kind === 'text' ? text() : written[kind]())];
    });
    // Without any condition, all rows would match.
    const hasCondition = (asked: Readonly<Record<string, unknown>>) =>
      [...needs, 'where'].some((name) => asked[name] !== undefined);
    return z
      .object({
        ...Object.fromEntries(own),
        where: z.optional(z.custom<Where<AnyRecord>>()),
        limit: z.optional(z.int().check(z.minimum(1), z.maximum(200))),
        fields: z.optional(fieldList()),
      })
      .check(
        z.refine(hasCondition, {
          path: [first],
          message: also === '' ? 'must be given' : `or ${also} must be given`,
        }),
      );
  });

const searchSchemas = perObject((object) => searchSchema(object));

/** The arguments of the search of any object. */
export const searchOptions = <Object extends string>(object: Object): z.LazySchema<SearchOf<Object>> =>
  // The schema is made from the same table as the type.
  searchSchemas(object) as z.LazySchema<SearchOf<Object>>;

/** A query that is written already, and how many rows it gives at most. */
export interface WrittenQuery {
  readonly q: string;
  /** The same before it was written. */
  readonly query: RowQuery;
  /** `Infinity`: all that there are. */
  readonly limit: number;
}

/** The query that the client itself wrote. */
export const writtenQuery = z.lazily<WrittenQuery>(() => z.custom<WrittenQuery>());
