/** The schema of a framework's tool: the JSON Schema for models, and what checks the arguments. */
import { InvalidArgumentError } from '../core/errors.ts';
import type { StandardIssue, StandardSchema } from '../core/schema.ts';
import { isJsonObject } from '../stores/ports/json.ts';
import { jsonSchemaOf } from './parameters.ts';
import { keyPlaceholder } from './portable-values.ts';
import { isZod3Schema, jsonSchemaOfZod3, type Zod3Schema } from './zod3-schema.ts';

export interface FrameworkSchema {
  readonly jsonSchema: unknown;
  /** Checks the arguments, and may change them; `undefined`: the JSON Schema is all there is. */
  readonly check: StandardSchema['~standard']['validate'] | undefined;
}

/** Throws `InvalidArgumentError` for a schema that can't say what it accepts. */
export const readFrameworkSchema = (schema: unknown): FrameworkSchema => {
  if (schema === undefined) return { jsonSchema: { type: 'object', properties: {} }, check: undefined };
  if (isStandard(schema)) {
    const { validate } = schema['~standard'];
    return {
      jsonSchema: isZod3Schema(schema) && !givesJson(schema) ? jsonSchemaOfZod3(schema) : jsonOf(schema),
      check: validate,
    };
  }
  // The AI SDK makes some schemas when they're needed.
  if (typeof schema === 'function') return readFrameworkSchema(schema());
  if (!isJsonObject(schema)) throw wrongSchema();
  if (isZod3Schema(schema)) return { jsonSchema: jsonSchemaOfZod3(schema), check: checkOfZod3(schema) };
  if (Reflect.get(schema, aiSchema) === true) return readAiSchema(schema);
  if (['type', 'properties', '$ref', 'anyOf', 'oneOf', 'allOf'].some((word) => word in schema))
    return { jsonSchema: schema, check: undefined };
  throw wrongSchema();
};

/** The same check, which leaves the arguments as they are. The idempotency key isn't there yet. */
export const checkOnly = (check: StandardSchema['~standard']['validate']): StandardSchema => ({
  '~standard': {
    version: 1,
    vendor: 'voice-agent-integrations',
    validate: async (args) => {
      const issues = ((await check(args)).issues ?? []).filter(({ path }) => valueAt(args, path) !== keyPlaceholder);
      return issues.length > 0 ? { issues } : { value: args };
    },
  },
});

const valueAt = (args: unknown, path: StandardIssue['path'] = []): unknown =>
  path.reduce<unknown>((value, step) => Reflect.get(Object(value), String(Object(step).key ?? step)), args);

const aiSchema = Symbol.for('vercel.ai.schema');

const isStandard = (schema: unknown): schema is StandardSchema =>
  ((typeof schema === 'object' && schema !== null) || typeof schema === 'function') && '~standard' in schema;

const givesJson = (schema: StandardSchema): boolean => 'jsonSchema' in schema['~standard'];

const jsonOf = (schema: StandardSchema): object => {
  try {
    return jsonSchemaOf(schema);
  } catch (cause) {
    throw wrongSchema('can’t be turned into JSON Schema', cause);
  }
};

const readAiSchema = (schema: object): FrameworkSchema => {
  const { jsonSchema, validate } = schema as { readonly jsonSchema: unknown; readonly validate?: Validate | undefined };
  if (jsonSchema instanceof Promise) throw wrongSchema('is a promise of JSON Schema: await it first');
  if (!validate) return { jsonSchema, check: undefined };
  return {
    jsonSchema,
    check: async (args) => {
      const result = await validate(args);
      return result.success ? { value: result.value } : { issues: issuesIn(result.error) };
    },
  };
};

type Validate = (value: unknown) => Verdict | Promise<Verdict>;
type Verdict =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: unknown };

const checkOfZod3 = (schema: Zod3Schema) => async (args: unknown) => {
  const { success, data, error } = (await schema.safeParseAsync(args)) as {
    readonly success: boolean;
    readonly data: unknown;
    readonly error: unknown;
  };
  return success ? { value: data } : { issues: issuesIn(error) };
};

/** The problems of a zod error, which others carry as their cause. */
const issuesIn = (error: unknown): readonly StandardIssue[] => {
  const { issues, cause }: { readonly issues?: unknown; readonly cause?: unknown } = Object(error);
  if (Array.isArray(issues) && issues.length > 0) return issues as readonly StandardIssue[];
  return cause === undefined ? [{ message: 'are not what the tool takes' }] : issuesIn(cause);
};

const wrongSchema = (problem = 'is none that can be read', cause?: unknown) =>
  new InvalidArgumentError('schema', `${problem}: give the tool a schema of zod, or JSON Schema`, {
    operation: 'toolFrom',
    cause,
  });
