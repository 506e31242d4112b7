/** What arguments must look like before they're sent. */
import { count, date, dateTime, e164, email, id, isScalar, text } from '../arguments.ts';
import * as z from '../schema.ts';
import { type CrmObject, type FieldKind, isStandard, standardObjects } from './objects.ts';
import { isFieldName, isFieldPath } from './query.ts';
import type { AnyFields, PersonSearch } from './records.ts';
import type { Searches } from './queries.ts';

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

const schemaOf = (known: Readonly<Record<string, FieldKind>>): z.LazySchema<AnyFields> =>
  z.lazily(() => {
    const kinds = Object.entries(known);
    const shape = Object.fromEntries(kinds.map(([name, kind]) => [name, z.nullish(written[kind]())]));
    return z.looseObject(shape).check(
      z.superRefine((fields, { addIssue }) => {
        const names = Object.keys(fields);
        if (names.every((name) => fields[name] === undefined))
          addIssue({ code: 'custom', message: 'must have at least one field', path: ['fields'] });
        for (const name of names.filter((name) => !Object.hasOwn(shape, name))) {
          if (!isFieldName(name))
            addIssue({ code: 'custom', message: 'must be the plain name of a field', path: [name] });
          else if (fields[name] !== undefined && !isScalar(fields[name]))
            addIssue({ code: 'custom', message: 'must be a text, a number, true, false or null', path: [name] });
        }
      }),
    );
  });

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

const anyFields = schemaOf({});

/** The fields of a record of this object: those that are known are checked, and any other of the org passes. */
export const fieldsOf = (object: string): z.LazySchema<AnyFields> => (isStandard(object) ? schemas[object] : anyFields);

const fieldList = z.lazily(() =>
  z
    .array(z.string().check(z.refine(isFieldPath, 'must be the plain name of a field')))
    .check(z.minLength(1), z.maxLength(100)),
);

/** The fields that a `get` reads. */
export const selection = z.lazily<readonly string[] | undefined>(() => z.optional(fieldList()));

const options = () => ({
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(200))),
  fields: z.optional(fieldList()),
});

const person = () => ({ email: z.optional(email()), phone: z.optional(e164()), ...options() });

const hasEither = ({ email, phone }: PersonSearch) => email !== undefined || phone !== undefined;

const eitherIsMissing = { path: ['phone'], message: 'or email must be given' };

const optionalId = z.lazily(() => z.optional(id()));
const optionalFlag = z.lazily(() => z.optional(z.boolean()));

/** How the search of each object is asked for. */
export const searchedBy: { readonly [Object in keyof Searches]: z.LazySchema<Searches[Object]> } = {
  Contact: z.lazily(() => z.object(person()).check(z.refine(hasEither, eitherIsMissing))),
  Lead: z.lazily(() =>
    z.object({ ...person(), isConverted: optionalFlag() }).check(z.refine(hasEither, eitherIsMissing)),
  ),
  Account: z.lazily(() =>
    z.object({ name: z.optional(text()), phone: z.optional(e164()), ...options() }).check(
      z.refine(({ name, phone }) => name !== undefined || phone !== undefined, {
        path: ['name'],
        message: 'or phone must be given',
      }),
    ),
  ),
  Opportunity: z.lazily(() => z.object({ accountId: id(), isClosed: optionalFlag(), ...options() })),
  Case: z.lazily(() =>
    z
      .object({
        contactId: optionalId(),
        accountId: optionalId(),
        caseNumber: z.optional(text()),
        isClosed: optionalFlag(),
        ...options(),
      })
      .check(
        z.refine(({ contactId, accountId, caseNumber }) => [contactId, accountId, caseNumber].some((one) => one), {
          path: ['contactId'],
          message: 'or accountId or caseNumber must be given',
        }),
      ),
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
      .check(
        z.refine(({ whoId, whatId, ownerId }) => [whoId, whatId, ownerId].some((one) => one), {
          path: ['whoId'],
          message: 'or whatId or ownerId must be given',
        }),
      ),
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
      .check(
        z.refine((by) => [by.ownerId, by.whoId, by.whatId, by.from, by.to].some((one) => one), {
          path: ['ownerId'],
          message: 'or whoId, whatId, from or to must be given',
        }),
      ),
  ),
};

/** A query that is written already, and how many rows it gives at most. */
export interface WrittenQuery {
  readonly q: string;
  /** `Infinity`: all that there are. */
  readonly limit: number;
}

/** What the client itself wrote. */
export const writtenQuery = z.lazily<WrittenQuery>(() => z.custom<WrittenQuery>());
