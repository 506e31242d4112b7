/** What arguments must look like before they're sent. */
import { count, date, dateTime, e164, email, id, isScalar, text } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import * as z from '../core/schema.ts';
import type { FieldRules } from './declared.ts';
import { type CrmObject, customObject, type FieldKind, isStandard, kindOf, standardObjects } from './objects.ts';
import { isFieldName, isFieldPath, type Query } from './query.ts';
import type { Searches, SearchOf } from './queries.ts';
import type { AnyFields, AnyRecord, QueryOptions, SearchOptions } from './records.ts';
import type { Where } from './where.ts';

/** What each kind of field is checked with before it's written. `null` empties any. */
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

/** Made once for all clients. */
const schemas: Readonly<Record<CrmObject, z.LazySchema<AnyFields>>> = {
  Lead: schemaOf(standardObjects.Lead.fields),
  Contact: schemaOf(standardObjects.Contact.fields),
  Account: schemaOf(standardObjects.Account.fields),
  Opportunity: schemaOf(standardObjects.Opportunity.fields),
  Case: schemaOf(standardObjects.Case.fields),
  Task: schemaOf(standardObjects.Task.fields),
  Event: schemaOf(standardObjects.Event.fields),
};

const anyFields = schemaOf(customObject);

/**
 * The fields of a record of this object: those that are known are checked. Any other of the org passes, unless the org's
 * own fields were declared.
 */
export const fieldsOf = (object: string, rules?: FieldRules): z.LazySchema<AnyFields> => {
  if (rules) return schemaOf(isStandard(object) ? standardObjects[object].fields : customObject, rules);
  return isStandard(object) ? schemas[object] : anyFields;
};

const fieldList = z.lazily(() =>
  z
    .array(z.string().check(z.refine(isFieldPath, 'must be the plain name of a field')))
    .check(z.minLength(1), z.maxLength(100)),
);

/** The fields that a `get` reads. */
export const selection = z.lazily<readonly string[] | undefined>(() => z.optional(fieldList()));

const options = () => ({
  where: z.optional(z.custom<Where<AnyRecord>>()),
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(200))),
  fields: z.optional(fieldList()),
});

const person = () => ({ email: z.optional(email()), phone: z.optional(e164()), ...options() });

/** Without any condition, all rows would match. */
const needs = <T extends SearchOptions<AnyRecord>>(
  field: keyof T & string,
  others: readonly (keyof T & string)[],
  message: string,
) =>
  z.refine<T>((by) => [field, ...others, 'where' as const].some((name) => by[name] !== undefined), {
    path: [field],
    message,
  });

const optionalId = z.lazily(() => z.optional(id()));
const optionalFlag = z.lazily(() => z.optional(z.boolean()));

/** How the search of each standard object is asked for. */
const searchedBy: { readonly [Object in keyof Searches]: z.LazySchema<SearchOf<Object>> } = {
  Contact: z.lazily(() => z.object(person()).check(needs('phone', ['email'], 'or email must be given'))),
  Lead: z.lazily(() =>
    z.object({ ...person(), isConverted: optionalFlag() }).check(needs('phone', ['email'], 'or email must be given')),
  ),
  Account: z.lazily(() =>
    z
      .object({ name: z.optional(text()), phone: z.optional(e164()), ...options() })
      .check(needs('name', ['phone'], 'or phone must be given')),
  ),
  Opportunity: z.lazily(() =>
    z
      .object({ accountId: optionalId(), isClosed: optionalFlag(), ...options() })
      .check(needs('accountId', [], 'must be given')),
  ),
  Case: z.lazily(() =>
    z
      .object({
        contactId: optionalId(),
        accountId: optionalId(),
        caseNumber: z.optional(text()),
        isClosed: optionalFlag(),
        ...options(),
      })
      .check(needs('contactId', ['accountId', 'caseNumber'], 'or accountId or caseNumber must be given')),
  ),
  Task: z.lazily(() =>
    z
      .object({
        whoId: optionalId(),
        whatId: optionalId(),
        ownerId: optionalId(),
        isClosed: optionalFlag(),
        ...options(),
      })
      .check(needs('whoId', ['whatId', 'ownerId'], 'or whatId or ownerId must be given')),
  ),
  Event: z.lazily(() =>
    z
      .object({
        ownerId: optionalId(),
        whoId: optionalId(),
        whatId: optionalId(),
        from: z.optional(dateTime()),
        to: z.optional(dateTime()),
        ...options(),
      })
      .check(needs('ownerId', ['whoId', 'whatId', 'from', 'to'], 'or whoId, whatId, from or to must be given')),
  ),
};

const anySearch = z.lazily<SearchOptions<AnyRecord>>(() =>
  z.object(options()).check(needs('where', [], 'must be given')),
);

/** How the search of any object is asked for. */
export const searchOptions = <Object extends string>(object: Object): z.LazySchema<SearchOf<Object>> =>
  // What isn't a standard object is searched by `where` alone.
  (isStandard(object) ? searchedBy[object] : anySearch) as z.LazySchema<SearchOf<Object>>;

/** A whole query. Its `where` and `orderBy` are checked as they're written. */
export const queryOptions = z.lazily<QueryOptions<AnyRecord>>(() =>
  z.object({
    fields: z.optional(fieldList()),
    where: z.optional(z.custom<Where<AnyRecord>>()),
    orderBy: z.optional(z.array(z.object({ field: z.string(), direction: z.optional(z.enum(['asc', 'desc'])) }))),
    limit: z.optional(z.int().check(z.minimum(1))),
  }),
);

/** A query that is written already, and how many rows it gives at most. */
export interface WrittenQuery {
  readonly q: string;
  /** The same before it was written. */
  readonly query: Query;
  /** `Infinity`: all that there are. */
  readonly limit: number;
}

/** What the client itself wrote. */
export const writtenQuery = z.lazily<WrittenQuery>(() => z.custom<WrittenQuery>());

/** Several writes, written already. */
export const writtenComposite = z.lazily<object>(() => z.custom<object>());
