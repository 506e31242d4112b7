import { isDate, isScalar } from '../core/arguments.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { checkOptions, oneOf } from '../core/option-checks.ts';
import { fieldOf, type Reader, type StandardResult, type StandardSchema } from '../core/schema.ts';

/** Values that the workspace keeps in addition to its own fields. Which ones exist is agreed with its administrator. */
export type CustomAttributes = Readonly<Record<string, unknown>>;

/**
 * The kind of one custom attribute: `text`, `number`, `integer`, `boolean`, `date`, or one of a list of texts. A `date`
 * is YYYY-MM-DD, even if the platform writes UNIX seconds.
 */
export type AttributeKind = 'text' | 'number' | 'integer' | 'boolean' | 'date' | readonly string[];

/** The custom attributes that exist, by name. */
export interface DeclaredAttributes {
  readonly [name: string]: AttributeKind;
}

/**
 * Declares custom attributes: by kind, or with a Standard Schema of the object that holds them all. Such a schema must
 * validate synchronously and change no value. It must accept unknown attributes (`z.object`, not `z.strictObject`),
 * since a workspace has more than one application declares.
 */
export type AttributeSchema = DeclaredAttributes | StandardSchema<object>;

/** The type of a value, by how it was declared. */
type AttributeOfKind<Kind> = Kind extends 'text' | 'date'
  ? string
  : Kind extends 'number' | 'integer'
    ? number
    : Kind extends 'boolean'
      ? boolean
      : Kind extends readonly (infer Choice)[]
        ? Choice
        : never;

/** The attributes that a schema describes. Each declared one may be absent, or `null` when it is empty. */
export type AttributesOf<Schema> =
  Schema extends StandardSchema<infer Output>
    ? Output & object
    : string extends keyof Schema
      ? CustomAttributes
      : { readonly [Name in keyof Schema]?: AttributeOfKind<Schema[Name]> | null | undefined };

/**
 * The attributes that calls are usually marked with. Spread it into your own.
 *
 * @example
 * customAttributes: { ...callAttributes, plan: ['free', 'pro'] },
 */
export const callAttributes: {
  /** The day of the last phone call. */
  readonly last_call_date: 'date';
  /** The kind of end it had, in words of the application. */
  readonly call_outcome_category: 'text';
  /** A person has to look at it. */
  readonly escalation_flag: 'boolean';
  /** The caller's satisfaction, in words of the application. */
  readonly satisfaction_signal: 'text';
} = {
  last_call_date: 'date',
  call_outcome_category: 'text',
  escalation_flag: 'boolean',
  satisfaction_signal: 'text',
};

/** Checks and converts declared attributes. */
export interface AttributeRules {
  /** Returns what is sent. Throws `InvalidArgumentError` for an undeclared attribute or a wrong value. */
  readonly assertWritable: (operation: string, attributes: CustomAttributes) => CustomAttributes;
  /** Converts what the platform returned to what was declared: dates to YYYY-MM-DD. */
  readonly fromPlatform: (attributes: CustomAttributes) => CustomAttributes;
  /** Returns `true` if an attribute of this name was declared. */
  readonly declares: (name: string) => boolean;
  /** The attributes of a record that are not what their declaration says; '' when it is all of them together. */
  readonly driftOf: (attributes: CustomAttributes) => readonly string[];
}

/** Throws `InvalidArgumentError` for a kind that no value could have. */
export const assertAttributes = (field: string, schema: AttributeSchema | undefined): void => {
  if (schema === undefined || isStandardSchema(schema)) return;
  checkOptions(
    field,
    Object.entries(schema).map(([name, kind]) =>
      oneOf<string>(Array.isArray(kind) ? undefined : kind, name, kinds, 'a list of texts'),
    ),
  );
};

const kinds = ['text', 'number', 'integer', 'boolean', 'date'] as const;

/**
 * Without a schema every name is taken, and values must be such that an attribute can hold them.
 * `dates` is how the platform writes what is declared as a date.
 */
export const createAttributeRules = (
  schema: AttributeSchema | undefined,
  dates: 'YYYY-MM-DD' | 'unix-seconds' = 'YYYY-MM-DD',
): AttributeRules => {
  const check = schema === undefined ? anything : isStandardSchema(schema) ? checkedBy(schema) : declared(schema);
  return {
    assertWritable: (operation, attributes) => {
      const written = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
      for (const [name, problem] of check(written))
        throw new InvalidArgumentError(['custom_attributes', name].filter(Boolean).join('.'), problem, { operation });
      return dates === 'unix-seconds' ? mapDates(schema, written, toSeconds) : written;
    },
    fromPlatform: (attributes) => (dates === 'unix-seconds' ? mapDates(schema, attributes, fromSeconds) : attributes),
    declares: (name) => schema !== undefined && check({ [name]: null }).every(([, problem]) => problem !== undeclared),
    // An attribute that was not declared is no drift.
    driftOf: (attributes) =>
      schema === undefined
        ? []
        : check(attributes)
            .filter(([, problem]) => problem !== undeclared)
            .map(([name]) => name),
  };
};

/** The fields of a record as they're sent: attributes are checked by the rules. Its schema checks the others. */
export const writableFields = <Fields extends object>(
  rules: AttributeRules,
  operation: string,
  fields: Fields & { readonly custom_attributes?: object | undefined },
): Fields & { readonly custom_attributes?: CustomAttributes | undefined } => {
  const { custom_attributes: attributes } = Object(fields);
  return isAttributes(attributes)
    ? { ...fields, custom_attributes: rules.assertWritable(operation, attributes) }
    : // What isn't attributes is refused by the schema of the fields.
      (fields as Fields & { readonly custom_attributes?: undefined });
};

const isAttributes = (value: unknown): value is CustomAttributes =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a record's attributes as they were declared. One that isn't what its declaration says is left out and reported as
 * drift, which makes the type of the record true.
 */
export const readDeclared =
  <Kind extends { readonly id: string; readonly custom_attributes?: object | undefined }>(
    read: Reader<{ readonly id: string; readonly custom_attributes?: CustomAttributes | undefined }>,
    rules: AttributeRules,
  ): Reader<Kind> =>
  (json, context) => {
    const record = read(json, context);
    const attributes = record.custom_attributes && rules.fromPlatform(record.custom_attributes);
    const drifted = rules.driftOf(attributes ?? {});
    if (drifted.length === 0)
      // The rules were applied to every attribute; nothing else of the type is open.
      return (attributes === record.custom_attributes ? record : { ...record, custom_attributes: attributes }) as Kind;
    context.drift(drifted.map((name) => ['custom_attributes', name].filter(Boolean).join('.')));
    const { custom_attributes: _checked, ...others } = record;
    if (drifted.includes('')) return others as Kind;
    const right = Object.entries(attributes ?? {}).filter(([name]) => !drifted.includes(name));
    return { ...others, custom_attributes: Object.fromEntries(right) } as object as Kind;
  };

/** Only kinds say which attribute is a date; a Standard Schema is given what the platform writes. */
const mapDates = (
  schema: AttributeSchema | undefined,
  attributes: CustomAttributes,
  toOther: (value: unknown) => unknown,
): CustomAttributes => {
  if (schema === undefined || isStandardSchema(schema)) return attributes;
  const entries = Object.entries(attributes);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      Object.hasOwn(schema, name) && schema[name] === 'date' ? toOther(value) : value,
    ]),
  );
};

const toSeconds = (value: unknown): unknown => (typeof value === 'string' ? Date.parse(value) / 1000 : value);

const fromSeconds = (value: unknown): unknown =>
  typeof value === 'number' && Math.abs(value) <= lastSecond
    ? new Date(value * 1000).toISOString().slice(0, 10)
    : value;

/** The last second of the year 9999: later dates are mistakes. */
const lastSecond = 253_402_300_799;

const isStandardSchema = (schema: AttributeSchema): schema is StandardSchema<object> => '~standard' in schema;

/** Finds what is wrong, by the names of the attributes. */
type Check = (attributes: CustomAttributes) => readonly (readonly [name: string, problem: string])[];

const undeclared = 'is not a declared custom attribute';

const anything: Check = (attributes) =>
  Object.entries(attributes).flatMap(([name, value]) =>
    isScalar(value) ? [] : [[name, 'must be a text, a number, true, false or null'] as const],
  );

const declared =
  (kinds: DeclaredAttributes): Check =>
  (attributes) =>
    Object.entries(attributes).flatMap(([name, value]) => {
      const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
      if (kind === undefined) return [[name, undeclared] as const];
      return value === null || holds(kind, value) ? [] : [[name, mustBe(kind)] as const];
    });

const checkedBy =
  ({ '~standard': { validate } }: StandardSchema<object>): Check =>
  (attributes) => {
    const result = validate(attributes);
    if (result instanceof Promise) return [['', 'cannot be checked: the schema must not validate asynchronously']];
    return result.issues ? result.issues.map(toProblem) : dropped(attributes, result.value);
  };

/** A schema that leaves out what it does not know has not declared it. */
const dropped = (attributes: CustomAttributes, kept: object): ReturnType<Check> =>
  Object.keys(attributes)
    .filter((name) => !Object.hasOwn(kept, name))
    .map((name) => [name, undeclared] as const);

/** The schema's own message may repeat the value, so it is not passed on. */
const toProblem = ({ path }: NonNullable<StandardResult<object>['issues']>[number]) =>
  [fieldOf(path?.slice(0, 1)), 'is not what the schema of the custom attributes says'] as const;

const holds = (kind: AttributeKind, value: unknown): boolean => {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'date':
      return typeof value === 'string' && isDate(value);
    case 'number':
      return Number.isFinite(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return typeof value === 'string' && kind.includes(value);
  }
};

const mustBe = (kind: AttributeKind): string => {
  if (kind === 'date') return 'must be a date, YYYY-MM-DD';
  if (kind === 'integer') return 'must be an integer';
  return typeof kind === 'string' ? `must be a ${kind}` : `must be one of ${kind.join(', ')}`;
};
