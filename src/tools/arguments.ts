import type { Json, JsonObject } from '../ports/json.ts';
import type { PropertySchema } from './json-schema.ts';
import type { ReadParameters } from './read-parameters.ts';
import type { CheckedArguments, FieldProblem } from './tool.ts';

/**
 * Makes the reader of one tool's arguments. It takes an object or JSON text, drops what the schema does not know and
 * treats `null` as absent, and `""` where the argument is optional. Nothing is coerced: `"50"` is no number. Problems never
 * repeat a value.
 */
export const createArgumentReader = ({
  parameters,
  nullable,
}: ReadParameters): ((raw: unknown) => CheckedArguments) => {
  const readRoot = compile(parameters, [], nullable);
  return (raw) => {
    const parsed = typeof raw === 'string' ? parse(raw) : (raw ?? {});
    const problems: FieldProblem[] = [];
    const args = readRoot(parsed, '', problems);
    if (problems.length > 0) return { ok: false, problems: problems.map(nameTheWhole) };
    // The root is an object, so what was read from it is one.
    return { ok: true, args: args as JsonObject };
  };
};

/** Longer than any argument of a voice agent, short enough to read at once. */
const longestText = 32_768;

/** Some providers send an empty text for "no arguments". */
const parse = (text: string): unknown => {
  if (text.trim() === '') return {};
  if (text.length > longestText) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const nameTheWhole = (problem: FieldProblem): FieldProblem =>
  problem.field === '' ? { field: 'arguments', problem: 'must be one JSON object' } : problem;

/** Gives the value as far as the schema knows it; adds to `problems` what is wrong. */
type Read = (value: unknown, field: string, problems: FieldProblem[]) => Json | undefined;

const compile = (schema: PropertySchema, path: readonly string[], nullable: ReadonlySet<string>): Read => {
  const choices = schema.anyOf?.map((choice) => compile(choice, path, nullable));
  if (choices) return readChoice(choices);
  switch (schema.type) {
    case 'object':
      return compileObject(schema, path, nullable);
    case 'array':
      return compileList(schema, path, nullable);
    case 'number':
    case 'integer':
      return readScalar(schema, (value) => numberProblem(value, schema));
    case 'boolean':
      return readScalar(schema, (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'));
    default:
      return readScalar(schema, (value) => textProblem(value, schema));
  }
};

const compileObject = (schema: PropertySchema, path: readonly string[], nullable: ReadonlySet<string>): Read => {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    read: compile(property, [...path, name], nullable),
    isRequired: schema.required?.includes(name) ?? false,
    isNullable: nullable.has([...path, name].join('.')),
  }));
  return (value, field, problems) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      problems.push({ field, problem: 'must be an object' });
      return undefined;
    }
    const result: Record<string, Json> = {};
    for (const { name, read, isRequired, isNullable } of properties) {
      // Only an own property was said by the model.
      const given: unknown = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
      const inner = field === '' ? name : `${field}.${name}`;
      if (given === undefined || given === null || (!isRequired && isBlank(given))) {
        if (isNullable) result[name] = null;
        else if (isRequired) problems.push({ field: inner, problem: 'is missing' });
        continue;
      }
      const known = read(given, inner, problems);
      if (known !== undefined) result[name] = known;
    }
    return result;
  };
};

/** Models fill a text that they have nothing for with `""`. */
const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

const compileList = (schema: PropertySchema, path: readonly string[], nullable: ReadonlySet<string>): Read => {
  const readItem = compile(schema.items ?? {}, [...path, '[]'], nullable);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  return (value, field, problems) => {
    if (!Array.isArray(value)) problems.push({ field, problem: 'must be a list' });
    else if (value.length < minItems) problems.push({ field, problem: `must have at least ${minItems} entries` });
    else if (value.length > maxItems) problems.push({ field, problem: `must have at most ${maxItems} entries` });
    else return value.map((item, index) => readItem(item, `${field}.${index}`, problems) ?? null);
    return undefined;
  };
};

/** The first that fits. */
const readChoice =
  (choices: readonly Read[]): Read =>
  (value, field, problems) => {
    for (const read of choices) {
      const own: FieldProblem[] = [];
      const result = read(value, field, own);
      if (own.length === 0) return result;
    }
    problems.push({ field, problem: 'has none of the forms that are allowed' });
    return undefined;
  };

const readScalar = ({ enum: values }: PropertySchema, problemOf: (value: unknown) => string | undefined): Read => {
  const choice = values && `must be one of ${values.map(inWords).join(', ')}`;
  return (value, field, problems) => {
    const problem = problemOf(value) ?? (values?.includes(value as Json) === false ? choice : undefined);
    if (problem === undefined) return value as Json;
    problems.push({ field, problem });
    return undefined;
  };
};

const inWords = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value));

const numberProblem = (value: unknown, schema: PropertySchema): string | undefined => {
  if (typeof value !== 'number' || !Number.isFinite(value))
    return `must be ${schema.type === 'integer' ? 'an integer' : 'a number'}`;
  if (schema.type === 'integer' && !Number.isSafeInteger(value)) return 'must be an integer';
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `must be greater than ${exclusiveMinimum}`;
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `must be below ${exclusiveMaximum}`;
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  return undefined;
};

const textProblem = (
  value: unknown,
  { minLength = 0, maxLength = longestText }: PropertySchema,
): string | undefined => {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length < minLength)
    return minLength <= 1 ? 'must not be empty' : `must have at least ${minLength} characters`;
  if (value.length > maxLength) return `must have at most ${maxLength} characters`;
  return undefined;
};
