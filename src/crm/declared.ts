import { InvalidArgumentError } from '../core/errors.ts';
import type { StandardSchema } from '../core/schema.ts';
import type { Account, AccountFields } from './accounts.ts';
import type { Case, CaseFields } from './cases.ts';
import type { CrmContact, CrmContactFields } from './contacts.ts';
import type { CrmEvent, CrmEventFields } from './events.ts';
import type { Lead, LeadFields } from './leads.ts';
import type { AnyFields, AnyRecord, ReadRecord, systemFields, Values, WrittenFields } from './object-table.ts';
import type { CrmObject, customObject, standardObjects } from './objects.ts';
import type { Opportunity, OpportunityFields } from './opportunities.ts';
import type { Task, TaskFields } from './tasks.ts';

/**
 * The org's own fields, by object: a Standard Schema of an object that holds them. Each field must be optional
 * (`z.object({ … }).partial()`), since an update writes only some. Standard fields that this package doesn't know belong
 * in it too; of those that it knows, a schema can say more. Schemas must validate synchronously and change no value.
 */
export interface CrmSchemas {
  readonly [object: string]: StandardSchema<object>;
}

/** The fields that a schema declares. `null` is an empty one. */
type Declared<Schema> =
  Schema extends StandardSchema<infer Output>
    ? { readonly [Name in keyof Output]?: NonNullable<Output[Name]> | null | undefined }
    : never;

/** The standard objects without declarations, under the names that an editor shows. */
interface OpenObjects {
  readonly Lead: { readonly fields: LeadFields; readonly record: Lead };
  readonly Contact: { readonly fields: CrmContactFields; readonly record: CrmContact };
  readonly Account: { readonly fields: AccountFields; readonly record: Account };
  readonly Opportunity: { readonly fields: OpportunityFields; readonly record: Opportunity };
  readonly Case: { readonly fields: CaseFields; readonly record: Case };
  readonly Task: { readonly fields: TaskFields; readonly record: Task };
  readonly Event: { readonly fields: CrmEventFields; readonly record: CrmEvent };
}

/** The tables of the seven standard objects. */
type StandardObjects = typeof standardObjects;

/** The known fields of one of the org's own objects. */
type CustomFields = Values<typeof customObject>;

/** The known fields of a record of one of the org's own objects. */
type CustomRecord = { readonly Id: string } & CustomFields & Values<typeof systemFields>;

/** The type `true` if an object's fields are declared. Otherwise every field is taken, and is `unknown` unless it's known. */
type IsDeclared<Schemas, Object> = string extends keyof Schemas ? false : Object extends keyof Schemas ? true : false;

/** The fields that a record of an object is written with. */
export type FieldsFor<Schemas, Object extends string> =
  IsDeclared<Schemas, Object> extends true
    ? (Object extends CrmObject ? WrittenFields<StandardObjects[Object]> : CustomFields) &
        Declared<Schemas[Object & keyof Schemas]>
    : Object extends CrmObject
      ? OpenObjects[Object]['fields']
      : AnyFields;

/** A record of an object as it's read. */
export type RecordFor<Schemas, Object extends string> =
  IsDeclared<Schemas, Object> extends true
    ? (Object extends CrmObject ? ReadRecord<StandardObjects[Object]> : CustomRecord) &
        Declared<Schemas[Object & keyof Schemas]>
    : Object extends CrmObject
      ? OpenObjects[Object]['record']
      : AnyRecord;

/** The declaration of one object's fields. */
export interface FieldRules {
  /** The problem of a value; `undefined` if it's right, or empty. */
  readonly problemOf: (field: string, value: unknown) => string | undefined;
  readonly declares: (field: string) => boolean;
}

/** Throws `InvalidArgumentError` for a schema that can't be used. */
export const createFieldRules = (schemas: CrmSchemas = {}): ((object: string) => FieldRules | undefined) => {
  for (const [object, schema] of Object.entries(schemas)) {
    const result = schema['~standard'].validate({});
    if (result instanceof Promise)
      throw new InvalidArgumentError(`fields.${object}`, 'must be a schema that validates synchronously');
    if (result.issues)
      throw new InvalidArgumentError(
        `fields.${object}`,
        'must accept a record without these fields: make each optional',
      );
  }
  return (object) => (Object.hasOwn(schemas, object) ? rulesOf(schemas[object]) : undefined);
};

const rulesOf = (schema: StandardSchema<object> | undefined): FieldRules | undefined => {
  if (!schema) return undefined;
  const { validate } = schema['~standard'];

  const check = (field: string, value: unknown): 'right' | 'wrong' | 'undeclared' => {
    const result = validate({ [field]: value });
    if (result instanceof Promise) return 'wrong';
    if (!result.issues) return Object.hasOwn(result.value, field) ? 'right' : 'undeclared';
    return result.issues.some(({ path = [] }) => nameOf(path[0]) === field) ? 'wrong' : 'undeclared';
  };

  return {
    declares: (field) => check(field, null) !== 'undeclared',
    // The schema's own message may repeat the value, so it isn't passed on.
    problemOf: (field, value) =>
      value !== null && value !== undefined && check(field, value) === 'wrong'
        ? 'is not what the schema of this object says'
        : undefined,
  };
};

const nameOf = (step: unknown): unknown =>
  typeof step === 'object' && step !== null && 'key' in step ? step.key : step;
