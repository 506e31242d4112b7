/** Checks and readers made with zod's small variant, and the parts of zod that the records and arguments use. */
import { int, minLength, pipe, refine, string, transform, union, unknown, type ZodMiniType } from 'zod/mini';
import { InvalidArgumentError } from './errors.ts';
import { type Issue, wordsFor } from './problem-words.ts';

export type ZodType<Output = unknown> = ZodMiniType<Output>;

/** A schema that is made when it is first used. */
export type LazySchema<Output = unknown> = () => ZodType<Output>;

/**
 * Makes a schema when it is first used, and keeps it: making all that a client may need takes longer than loading it.
 * `warmUp` of a client makes those of its records.
 */
export const lazily = /* @__NO_SIDE_EFFECTS__ */ <Output>(make: LazySchema<Output>): LazySchema<Output> => {
  let made: ZodType<Output> | undefined;
  return () => (made ??= make());
};

export {
  array,
  boolean,
  custom,
  describe,
  e164,
  enum,
  gt,
  int,
  iso,
  literal,
  looseObject,
  lt,
  maximum,
  maxLength,
  minimum,
  minLength,
  nullish,
  number,
  object,
  optional,
  record,
  refine,
  regex,
  strictObject,
  string,
  superRefine,
  toJSONSchema,
  union,
  unknown,
} from 'zod/mini';

/** The part of Standard Schema (https://standardschema.dev) that this package uses. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/** Returns whether a schema is one of zod 4, of any of its variants: then its JSON Schema can be made here. */
export const isZodSchema = (schema: object): schema is ZodType => '_zod' in schema;

/** The verdict of a Standard Schema on a value: the value as it is to be used, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A problem that a Standard Schema found. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** Turns parsed JSON into a record; throws {@link ShapeError} when a field that the code relies on is wrong. */
export type Reader<T> = (json: unknown, context: ReaderContext) => T;

/** The reports of a reader, in addition to the record. */
export interface ReaderContext {
  /** Optional fields that were not what their type says and were left out. */
  readonly drift: (fields: readonly string[]) => void;
  /** A header of the answer, by its name in lower case. */
  readonly header?: ((name: string) => string | undefined) | undefined;
}

/** The answer is not what the reader needs. Names the field, never the value. */
export class ShapeError extends Error {
  readonly field: string;
  readonly problem: string;
  constructor(field: string, problem: string) {
    super(`${field || 'the answer'} ${problem}`);
    this.name = 'ShapeError';
    this.field = field;
    this.problem = problem;
  }
}

/**
 * Reads an object of which only the fields in `required` must be right.
 * Another known field of the wrong type is left out and reported as drift. Unknown fields are kept, whatever the schema
 * does with them. A loose schema would check each, which doubles the cost of a long record.
 * The record is mostly the parsed object itself, which nothing else uses.
 */
export const readRecord =
  /* @__NO_SIDE_EFFECTS__ */
    <T extends object>(schemaOf: LazySchema<T>, required: readonly (keyof T & string)[]): Reader<T> =>
    (json, { drift }) => {
      const schema = schemaOf();
      const whole = schema.safeParse(json);
      if (whole.success) return withKnown(json as object, whole.data);
      const fatal = whole.error.issues.find(
        ({ path }) => path.length === 0 || (required as readonly PropertyKey[]).includes(path[0] ?? ''),
      );
      if (fatal) throw new ShapeError(fatal.path.join('.'), wordsFor(fatal));
      const drifted = [...new Set(whole.error.issues.map(({ path }) => String(path[0])))];
      const rest = Object.fromEntries(Object.entries(json as object).filter(([name]) => !drifted.includes(name)));
      const again = schema.safeParse(rest);
      const first = again.error?.issues[0];
      if (!again.success)
        throw new ShapeError(first?.path.join('.') ?? '', first ? wordsFor(first) : 'is not readable');
      drift(drifted);
      return { ...rest, ...again.data };
    };

/** Makes the parsed JSON itself the record: a copy costs as much as the check. */
const withKnown = <T extends object>(json: object, known: T): T => {
  const record = json as T;
  for (const name in known) if (known[name] !== record[name]) record[name] = known[name];
  return record;
};

/** Has readers make their schemas and compile their checks, which would be done when the first answer comes. */
export const prepareReaders = (readers: readonly Reader<unknown>[]): void => {
  for (const read of readers) {
    try {
      read({}, { drift: () => undefined });
    } catch (error) {
      // An empty object is no record.
      if (!(error instanceof ShapeError)) throw error;
    }
  }
};

/** Records that belong together, as far as one answer holds them. */
export interface RecordList<T> {
  readonly data: readonly T[];
  /** The count of all records; more than `data` contains when the API cut the list. */
  readonly total: number;
  /** The API says that there are more, and not how many: `total` is then what `data` contains. */
  readonly hasMore?: boolean | undefined;
}

/** Returns whether a list contains all that there are, as far as the API says. */
export const isWhole = ({ data, total, hasMore }: RecordList<unknown>): boolean => !hasMore && total <= data.length;

/** An id on a record. Some APIs write numbers; they are given to the caller as texts. */
export const readId = lazily<string>(() => union([string().check(minLength(1)), pipe(int(), transform(String))]));

/** An object, whatever its fields hold. It is given back as it is: a `record` makes a copy, which costs a quarter of parsing. */
export const anyObject = lazily<Readonly<Record<string, unknown>>>(
  () =>
    unknown().check(
      refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object'),
    ) as ZodType as ZodType<Readonly<Record<string, unknown>>>,
);

/** Reads a record that may be absent: an endpoint with `absentOn404` gives `undefined` then. */
export const readOptional =
  /* @__NO_SIDE_EFFECTS__ */
    <T>(read: Reader<T>): Reader<T | undefined> =>
    (json, context) =>
      json === undefined ? undefined : read(json, context);

/** Reads an answer that says nothing but that it is done. */
export const readNothing: Reader<void> = () => undefined;

/** The part of a schema that {@link checkArgument} needs: zod's types stay out of the published ones. */
export type ArgumentSchema<Output> = () => {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: Output }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };
};

/** Checks what a developer passed; throws `InvalidArgumentError` naming the first wrong field, never its value. */
export const checkArgument = <T>(operation: string, schema: ArgumentSchema<T>, value: unknown, prefix = ''): T => {
  const result = schema().safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const unknownField = issue?.code === 'unrecognized_keys' ? (issue.keys?.[0] ?? '') : '';
  const parts = [prefix, ...(issue?.path ?? []).map(String), unknownField];
  const field = parts.filter((part) => part !== '').join('.') || 'argument';
  throw new InvalidArgumentError(field, issue ? wordsFor(issue) : 'is not valid', { operation });
};

/** The field that an issue of a Standard Schema is about; '' for the whole value. */
export const fieldOf = (path: readonly unknown[] = []): string =>
  path
    .map((step) => (typeof step === 'object' && step !== null && 'key' in step ? String(step.key) : String(step)))
    .join('.');
