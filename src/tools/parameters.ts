/** The arguments of a tool by its schema: the JSON Schema for models, and a normalizer for their spelling. */
import { isJsonObject, maximumJsonDepth } from '../stores/ports/json.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { Json } from '../stores/ports/json.ts';
import { isZodSchema, type StandardSchema, toJSONSchema } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import type { ParametersSchema, PropertySchema } from './tool.ts';

/** A schema as models see it, and what evens out the arguments they send. */
export interface ToolParameters {
  readonly parameters: ParametersSchema;
  /**
   * Drops arguments that the schema doesn't know. `null` counts as absent, and so does an empty text of an optional
   * argument. A required one that may be `null` becomes `null`. Checks nothing: the schema does.
   */
  readonly normalize: (args: unknown) => unknown;
}

/**
 * Reads the JSON Schema of a tool's arguments: `jsonSchema` where it's given, else what the schema says of itself.
 * Throws `InvalidArgumentError` for a schema that gives none, and for what some provider would refuse: the message
 * names the place and what to write instead.
 */
export const readParameters = (schema: StandardSchema, jsonSchema: object | undefined): ToolParameters => {
  const known = jsonSchema ? undefined : readBefore.get(schema);
  if (known) return known;
  const { schema: root, normalize } = read(inlineReferences(jsonSchema ?? jsonSchemaOf(schema)), []);
  if (root.type !== 'object' || root.anyOf) throw problem([], 'must be an object: wrap other values in a property');
  const { properties = {}, required = [] } = root;
  const made = { parameters: { ...root, type: 'object', properties, required }, normalize } as const;
  if (!jsonSchema) readBefore.set(schema, made);
  return made;
};

/** The properties of an object that a schema describes; `undefined` for anything else. Throws as `readParameters` does. */
export const propertiesOf = (
  schema: StandardSchema,
): { readonly properties: Raw; readonly required: Path } | undefined => {
  const { type, properties, required } = Object(inlineReferences(jsonSchemaOf(schema))) as Raw;
  if (type !== 'object') return undefined;
  return { properties: isJsonObject(properties) ? properties : {}, required: Array.isArray(required) ? required : [] };
};

/** Each phone call has tools of its own, most of them with the same schemas. */
const readBefore = new WeakMap<StandardSchema, ToolParameters>();

interface GivesJsonSchema {
  readonly jsonSchema?: { readonly input?: (options: { readonly target: 'draft-07' }) => object };
}

export const jsonSchemaOf = (schema: StandardSchema): object => {
  assertSchema(schema);
  const standard: GivesJsonSchema & StandardSchema['~standard'] = schema['~standard'];
  const fix = 'also pass `jsonSchema`, or use a zod 4 schema';
  try {
    if (isZodSchema(schema)) return toJSONSchema(schema, { io: 'input', target: 'draft-07' });
    const found = standard.jsonSchema?.input?.({ target: 'draft-07' });
    if (found) return found;
  } catch (cause) {
    const expressible = 'replace what JSON cannot express (dates, transforms, functions)';
    throw new InvalidArgumentError('parameters', `cannot be turned into JSON Schema: ${fix} and ${expressible}`, {
      cause,
    });
  }
  throw new InvalidArgumentError('parameters', `cannot be turned into JSON Schema: ${fix}`);
};

/** Plain JavaScript may pass anything. */
const assertSchema = (schema: unknown): void => {
  if (isStandardSchema(schema)) return;
  const isShape = isJsonObject(schema) && Object.values(schema).some(isStandardSchema);
  const isJsonSchema =
    isJsonObject(schema) && ['type', 'properties', '$schema', 'anyOf', '$ref'].some((name) => name in schema);
  const fix = isShape
    ? 'wrap the shape in z.object(…)'
    : isJsonSchema
      ? 'for JSON Schema pass z.fromJSONSchema(…) of zod'
      : 'z.object({}) is a tool without arguments';
  throw new InvalidArgumentError('parameters', `must be a schema of zod 4, or another Standard Schema: ${fix}`);
};

const isStandardSchema = (value: unknown): boolean =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && '~standard' in value;

type Raw = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** Puts what a `$ref` points to in its place. Throws `InvalidArgumentError` when a schema contains itself. */
const inlineReferences = (schema: object): unknown => {
  const inline = (node: unknown, within: readonly string[], depth = 0): unknown => {
    if (depth > maximumJsonDepth) throw new InvalidArgumentError('parameters', tooDeep);
    if (Array.isArray(node)) return node.map((item) => inline(item, within, depth + 1));
    if (!isJsonObject(node)) return node;
    const { $ref: reference, ...rest } = node;
    const own = Object.fromEntries(
      Object.entries(rest).map(([name, value]) => [name, inline(value, within, depth + 1)]),
    );
    if (typeof reference !== 'string') return own;
    if (reference === '#' || within.includes(reference))
      throw new InvalidArgumentError('parameters', 'must not contain itself: give it a fixed depth');
    const target = inline(resolve(schema, reference), [...within, reference], depth + 1);
    return { ...(isJsonObject(target) ? target : {}), ...own };
  };
  const { definitions: _, $defs: __, ...root }: Raw = { ...schema };
  return inline(root, []);
};

/** RFC 6901, within the same document. */
export const resolve = (schema: object, reference: string): Raw => {
  const segments = reference.startsWith('#/') ? reference.slice(2).split('/') : ['\0'];
  const target = segments.reduce<unknown>((node, segment) => {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    return isJsonObject(node) && Object.hasOwn(node, name) ? node[name] : undefined;
  }, schema);
  if (isJsonObject(target)) return target;
  throw new InvalidArgumentError('parameters', `must not point to another document: ${reference}`);
};

/** One part of the schema. */
interface Part {
  readonly schema: PropertySchema;
  readonly isNullable: boolean;
  readonly normalize: (value: unknown) => unknown;
}

const asItIs = (value: unknown) => value;

const read = (raw: unknown, path: Path): Part => {
  if (path.length > maximumDepth) throw problem(path, tooDeep);
  if (!isJsonObject(raw)) throw problem(path, 'must say what it accepts: give it a type');
  for (const [keyword, fix] of Object.entries(refused)) if (keyword in raw) throw problem(path, fix);
  const { schema, isNullable } = withoutNull(raw);
  const part = readType(schema, path);
  const { enum: values = [''], anyOf: choices = values } = part.schema;
  if (Math.min(values.length, choices.length) === 0) throw problem(path, 'must have something to choose from');
  if (values.length > mostChoices)
    throw problem(path, `has ${values.length} choices, and OpenAI takes ${mostChoices}: use a tool that looks them up`);
  return { isNullable, ...part };
};

const readType = (schema: Raw, path: Path): Omit<Part, 'isNullable'> => {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) return readChoice(schema, anyOf, path);
  switch (type) {
    case 'object':
      return readObject(schema, path);
    case 'array': {
      if (Array.isArray(schema['items'])) throw problem(path, refused['prefixItems'] ?? '');
      const { schema: items, normalize } = read(schema['items'], [...path, '[]']);
      return {
        schema: withLimits({ type, ...described(schema), ...limits(schema, ['minItems', 'maxItems']), items }),
        normalize: (value) => (Array.isArray(value) ? value.map(normalize) : value),
      };
    }
    case 'string': {
      const own = { ...described(schema), ...readText(schema), ...limits(schema, ['minLength', 'maxLength']) };
      return { schema: withLimits({ type, ...own }, schema), normalize: asItIs };
    }
    case 'number':
    case 'integer': {
      const bounds = limits(schema, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);
      return { schema: withLimits({ type, ...described(schema), ...bounds }), normalize: asItIs };
    }
    case 'boolean':
      return { schema: { type, ...described(schema) }, normalize: asItIs };
    default:
      throw problem(path, 'must say what it accepts: give it a type');
  }
};

/** The keywords that OpenAI's strict mode allows. */
const maximumDepth = 10;
export const mostChoices = 1_000;
const tooDeep = 'is nested too deeply: flatten it';

const refused: Readonly<Record<string, string>> = {
  not: 'must not use `not`: write it as a rule of the tool',
  if: 'must not use `if`: write it as a rule of the tool',
  patternProperties: 'must name its properties',
  dependentRequired: 'must not depend on another: write it as a rule of the tool',
  dependencies: 'must not depend on another: write it as a rule of the tool',
  prefixItems: 'must not be a tuple: use an object with named properties',
  additionalItems: 'must not be a tuple: use an object with named properties',
};

/** Providers spell "or null" in four ways; ours is "not required". */
export const withoutNull = (raw: Raw): { readonly schema: Raw; readonly isNullable: boolean } => {
  // OpenAPI's word.
  if (raw['nullable'] === true) return { ...withoutNull({ ...raw, nullable: undefined }), isNullable: true };
  const { oneOf, allOf, type, ...rest } = raw;
  if (Array.isArray(allOf)) return withoutNull(together([...allOf, withoutUndefined({ ...rest, type })]));
  const choices = raw['anyOf'] ?? oneOf ?? (Array.isArray(type) ? type.map((one) => ({ type: one })) : undefined);
  if (!Array.isArray(choices)) return { schema: constantAsEnum(raw), isNullable: false };
  const { anyOf: _, ...shared } = rest;
  const others = choices.filter((choice) => !(isJsonObject(choice) && choice['type'] === 'null'));
  const isNullable = others.length < choices.length;
  const [only] = others;
  if (others.length === 1 && isJsonObject(only)) {
    const inner = withoutNull({ ...only, ...shared });
    return { schema: inner.schema, isNullable: isNullable || inner.isNullable };
  }
  return { schema: { ...shared, anyOf: others }, isNullable };
};

/** All parts of an `allOf`: what is required of one is required, and each adds its properties. */
const together = (parts: readonly Raw[]): Raw => {
  const properties = parts.flatMap((part) => (isJsonObject(part['properties']) ? [part['properties']] : []));
  const required = parts.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : []));
  const all: Raw = Object.assign({}, ...parts);
  return properties.length > 0 ? { ...all, properties: Object.assign({}, ...properties), required } : all;
};

const constantAsEnum = ({ const: constant, ...rest }: Raw): Raw =>
  constant === undefined ? rest : { ...rest, enum: [constant] };

const readChoice = (schema: Raw, anyOf: readonly unknown[], path: Path): Omit<Part, 'isNullable'> => {
  if (path.length === 0) throw problem(path, 'must be one object: use a property for the choice');
  const choices = anyOf.map((choice) => read(choice, path));
  return {
    schema: { ...described(schema), anyOf: choices.map((choice) => choice.schema) },
    normalize: (value) => choices.find((choice) => looksLike(value, choice.schema))?.normalize(value) ?? value,
  };
};

/** Returns whether a value was probably meant as this choice: by its kind, its fields and its constants. */
const looksLike = (value: unknown, { type, properties = {}, required = [] }: PropertySchema): boolean => {
  if (!isJsonObject(value)) return Array.isArray(value) && type === 'array';
  const isThere = (name: string) => value[name] !== undefined && value[name] !== null;
  const fits = ([name, { enum: values }]: [string, PropertySchema]) =>
    !values || !isThere(name) || values.some((one) => one === value[name]);
  return type === 'object' && required.every(isThere) && Object.entries(properties).every(fits);
};

const readObject = (schema: Raw, path: Path): Omit<Part, 'isNullable'> => {
  if (isRecord(schema, path)) throw problem(path, 'must name its properties: a record has none');
  const named = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const fields = Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {}).map(([name, value]) => {
    if (!propertyName.test(name) || forbiddenNames.has(name)) throw problem([...path, name], otherName);
    return { name, ...read(value, [...path, name]), isNamed: named.includes(name) };
  });
  if (fields.length === 0 && path.length > 0)
    throw problem(path, 'must have a property, or Gemini refuses it: leave it out');
  return {
    schema: {
      type: 'object',
      ...described(schema),
      properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
      required: fields.filter(({ isNamed, isNullable }) => isNamed && !isNullable).map(({ name }) => name),
    },
    normalize: (value) => {
      if (!isJsonObject(value)) return value;
      const result: Record<string, unknown> = {};
      for (const { name, isNamed, isNullable, normalize } of fields) {
        // The model sent own properties only.
        const sent = Object.hasOwn(value, name) ? value[name] : undefined;
        const isAbsent = sent === undefined || sent === null || ((!isNamed || isNullable) && isBlank(sent));
        if (!isAbsent) result[name] = normalize(sent);
        else if (isNamed && isNullable) result[name] = null;
      }
      return result;
    },
  };
};

/** JSON Schema that doesn't forbid other fields only has them dropped, unless there is nothing else within. */
const isRecord = ({ additionalProperties: others, propertyNames, properties = {} }: Raw, path: Path): boolean => {
  if (!isJsonObject(others)) return propertyNames !== undefined;
  const isAnything = Object.keys(others).length === 0 && propertyNames === undefined;
  return !isAnything || (path.length > 0 && Object.keys(Object(properties)).length === 0);
};

const propertyName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const otherName = 'must be named differently: a letter or _, then letters, digits and _, at most 64';
const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Models fill a text that they have nothing for with `""`. */
const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

const described = ({ description, default: standard, enum: values }: Raw) =>
  withoutUndefined({
    description: typeof description === 'string' && description !== '' ? description : undefined,
    // It came out of JSON Schema, so it is JSON.
    enum: Array.isArray(values) ? ([...new Set(values.filter((value) => value !== null))] as Json[]) : undefined,
    default: (standard ?? undefined) as Json | undefined,
  });

/** A pattern next to a format was generated by the library: up to 180 tokens that say nothing more. */
const readText = ({ format, pattern }: Raw) =>
  withoutUndefined({
    format: typeof format === 'string' && formats.has(format) ? format : undefined,
    pattern: typeof pattern === 'string' && format === undefined && isPlainPattern(pattern) ? pattern : undefined,
  });

/** The formats that every strict mode accepts. */
const formats: ReadonlySet<string> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** The bounds of safe integers go without saying. */
const limits = <Name extends string>(schema: Raw, names: readonly Name[]): { readonly [Key in Name]?: number } =>
  // Each entry is a name of the list with a number.
  Object.fromEntries(
    names
      .map((name) => [name, schema[name]] as const)
      .filter(([, value]) => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER),
  ) as { [Key in Name]?: number };

/**
 * Adds the limits of a property to its description, unless that names them already. Some providers drop the keywords,
 * and a model that knows a limit keeps to it.
 */
const withLimits = <Schema extends PropertySchema>(schema: Schema, raw: Raw = {}): Schema => {
  const description = schema.description ?? '';
  const words = limitsInWords(schema, raw).flatMap(([sign, one]) => (description.includes(sign) ? [] : [one]));
  if (words.length === 0) return schema;
  const all = words.join(', ');
  const sentence = `${all.charAt(0).toUpperCase()}${all.slice(1)}.`;
  return { ...schema, description: description ? `${description.replace(/[.\s]*$/, '')}. ${sentence}` : sentence };
};

/** Each with what a description that already names it contains. */
const limitsInWords = (
  schema: PropertySchema,
  { format, pattern }: Raw,
): (readonly [sign: string, words: string])[] => {
  const { minLength = 0, minItems = 0 } = schema;
  const words: readonly (readonly [limit: number | undefined, words: string])[] = [
    [schema.exclusiveMinimum, `greater than ${schema.exclusiveMinimum}`],
    [schema.minimum, `at least ${schema.minimum}`],
    [schema.exclusiveMaximum, `below ${schema.exclusiveMaximum}`],
    [schema.maximum, `at most ${schema.maximum}`],
    // That a required text is not empty goes without saying.
    [minLength > 1 ? minLength : undefined, `at least ${minLength} characters`],
    [schema.maxLength, `at most ${schema.maxLength} characters`],
    [minItems > 0 ? minItems : undefined, `at least ${minItems} entries`],
    [schema.maxItems, `at most ${schema.maxItems} entries`],
  ];
  return [
    ...(typeof pattern === 'string' && format === undefined && schema.pattern === undefined
      ? [[pattern, `matches ${pattern}`] as const]
      : []),
    ...(format === 'e164' ? [['E.164', 'E.164 format, such as +14155550100'] as const] : []),
    ...words.flatMap(([limit, one]) => (limit === undefined ? [] : [[String(limit), one] as const])),
  ];
};

const problem = (path: Path, words: string) => new InvalidArgumentError(['parameters', ...path].join('.'), words);

/**
 * Returns whether every provider takes a pattern. They compile it to an automaton, which can't look around or back.
 * OpenAI refuses the whole request for one: https://developers.openai.com/api/docs/guides/structured-outputs
 */
const isPlainPattern = (pattern: string): boolean => {
  try {
    // One of another language, such as `(?P<year>…)`, throws. An escaped backslash begins nothing.
    return new RegExp(pattern).source !== '' && !notPlain.test(pattern.replaceAll('\\\\', ''));
  } catch {
    return false;
  }
};

/**
 * In this order: groups other than `(` and `(?:`, back references, word boundaries, Unicode properties, control
 * characters. Then classes of nothing and of everything, and repetitions of a thousand or more.
 */
const notPlain = /(?<!\\)\(\?(?!:)|\\[1-9k]|\\[bB]|\\[pPcu]|\[\^?\]|\{\d*,?\d{4,}/;
