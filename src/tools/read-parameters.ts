import { InvalidArgumentError } from '../errors.ts';
import type { Json } from '../ports/json.ts';
import type { StandardSchema } from '../schema.ts';
import type { ParametersSchema, PropertySchema } from './json-schema.ts';
import { withLimits } from './limits-in-words.ts';
import { inlineReferences } from './references.ts';

/** What a schema says about its input, for models and for our own check. */
export interface ReadParameters {
  readonly parameters: ParametersSchema;
  /** The paths that must be there and may be `null`, such as `reason` or `items.[].note`: absent means `null`. */
  readonly nullable: ReadonlySet<string>;
}

/**
 * Reads the JSON Schema of a tool's input. It is `jsonSchema` where that is given, else what the Standard Schema says.
 * Throws `InvalidArgumentError` for a schema that gives none, and for what some provider would refuse: the message
 * names the place and what to write instead.
 */
export const readParameters = (schema: StandardSchema, jsonSchema: object | undefined): ReadParameters => {
  const raw = inlineReferences(jsonSchema ?? inputOf(schema));
  const nullable = new Set<string>();
  const root = read(raw, [], nullable);
  if (root.type !== 'object' || root.anyOf) throw problem([], 'must be an object: wrap other values in a property');
  return {
    parameters: { ...root, type: 'object', properties: root.properties ?? {}, required: root.required ?? [] },
    nullable,
  };
};

interface GivesJsonSchema {
  readonly jsonSchema?: { readonly input?: (options: { readonly target: 'draft-07' }) => object };
}

const inputOf = (schema: StandardSchema): object => {
  const standard: GivesJsonSchema & StandardSchema['~standard'] = schema['~standard'];
  if (typeof standard.jsonSchema?.input !== 'function') {
    const fix = 'pass `jsonSchema` beside it, or use a schema that gives its own, such as one of zod 4.2 or later';
    throw new InvalidArgumentError('parameters', `cannot be turned into JSON Schema: ${fix}`);
  }
  try {
    return standard.jsonSchema.input({ target: 'draft-07' });
  } catch (cause) {
    const fix = 'pass `jsonSchema` beside it, or replace what JSON cannot express (dates, transforms, functions)';
    throw new InvalidArgumentError('parameters', `cannot be turned into JSON Schema: ${fix}`, { cause });
  }
};

type Raw = Readonly<Record<string, unknown>>;
type Path = readonly string[];

const read = (raw: unknown, path: Path, nullable: Set<string>): PropertySchema => {
  if (path.length > maximumDepth) throw problem(path, 'is nested too deeply: flatten it');
  if (!isObject(raw)) throw problem(path, 'must say what it accepts: give it a type');
  for (const [keyword, fix] of Object.entries(refused)) if (keyword in raw) throw problem(path, fix);
  const { schema, isNullable } = withoutNull(raw);
  if (isNullable) nullable.add(path.join('.'));
  const { anyOf } = schema;
  if (Array.isArray(anyOf)) {
    if (path.length === 0) throw problem(path, 'must be one object: choices stand within a property');
    return { ...described(schema), anyOf: anyOf.map((choice) => read(choice, path, nullable)) };
  }
  switch (schema['type']) {
    case 'object':
      return { type: 'object', ...described(schema), ...readObject(schema, path, nullable) };
    case 'array':
      return withLimits({
        type: 'array',
        ...described(schema),
        ...limits(schema, arrayLimits),
        items: readItems(schema, path, nullable),
      });
    case 'string':
      return withLimits(
        { type: 'string', ...described(schema), ...readText(schema), ...limits(schema, textLimits) },
        schema['format'],
      );
    case 'number':
    case 'integer':
      return withLimits({ type: schema['type'], ...described(schema), ...limits(schema, numberLimits) });
    case 'boolean':
      return { type: 'boolean', ...described(schema) };
    default:
      throw problem(path, 'must say what it accepts: give it a type');
  }
};

/** As OpenAI's strict mode allows. */
const maximumDepth = 10;

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
const withoutNull = (raw: Raw): { readonly schema: Raw; readonly isNullable: boolean } => {
  const { oneOf, allOf, type, ...rest } = raw;
  if (Array.isArray(allOf))
    return withoutNull({ ...Object.assign({}, ...allOf), ...rest, ...(type !== undefined && { type }) });
  const choices = raw['anyOf'] ?? oneOf ?? (Array.isArray(type) ? type.map((one) => ({ type: one })) : undefined);
  if (!Array.isArray(choices)) return { schema: constantAsEnum(raw), isNullable: false };
  const { anyOf: _, ...shared } = rest;
  const others = choices.filter((choice) => !(isObject(choice) && choice['type'] === 'null'));
  const isNullable = others.length < choices.length;
  const [only] = others;
  if (others.length === 1 && isObject(only)) {
    const inner = withoutNull({ ...only, ...shared });
    return { schema: inner.schema, isNullable: isNullable || inner.isNullable };
  }
  return { schema: { ...shared, anyOf: others }, isNullable };
};

const constantAsEnum = ({ const: constant, ...rest }: Raw): Raw =>
  constant === undefined ? rest : { ...rest, enum: [constant] };

const readObject = (schema: Raw, path: Path, nullable: Set<string>) => {
  if (isObject(schema['additionalProperties']) || 'propertyNames' in schema)
    throw problem(path, 'must name its properties: a record has none');
  const entries = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  for (const [name] of entries) {
    if (!propertyName.test(name) || forbiddenNames.has(name)) {
      throw problem(
        [...path, name],
        'must be called differently: a letter or _, then letters, digits and _, at most 64',
      );
    }
  }
  const properties = Object.fromEntries(entries.map(([name, value]) => [name, read(value, [...path, name], nullable)]));
  const named = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const isMust = (name: string) => name in properties && !nullable.has([...path, name].join('.'));
  // A field that may be absent needs no `null` put in its place.
  for (const name of Object.keys(properties)) if (!named.includes(name)) nullable.delete([...path, name].join('.'));
  return { properties, required: named.filter(isMust) };
};

const propertyName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const readItems = (schema: Raw, path: Path, nullable: Set<string>): PropertySchema => {
  if (Array.isArray(schema['items'])) throw problem(path, refused['prefixItems'] ?? '');
  return read(schema['items'], [...path, '[]'], nullable);
};

const described = ({ description, default: standard, enum: values }: Raw) => ({
  ...(typeof description === 'string' && description !== '' && { description }),
  // It came out of JSON Schema, so it is JSON.
  ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) as Json[] }),
  ...(standard !== undefined && standard !== null && { default: standard as Json }),
});

/** A pattern beside a format was generated by the library: up to 180 tokens that say nothing more. */
const readText = ({ format, pattern }: Raw) => ({
  ...(typeof format === 'string' && formats.has(format) && { format }),
  ...(typeof pattern === 'string' && format === undefined && { pattern }),
});

/** Those that every strict mode accepts. */
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

const numberLimits = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
const textLimits = ['minLength', 'maxLength'] as const;
const arrayLimits = ['minItems', 'maxItems'] as const;

/** The bounds of safe integers go without saying. */
const limits = <Name extends string>(schema: Raw, names: readonly Name[]): { readonly [Key in Name]?: number } =>
  // Each entry is a name of the list with a number.
  Object.fromEntries(
    names
      .map((name) => [name, schema[name]] as const)
      .filter(([, value]) => typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER),
  ) as { [Key in Name]?: number };

const isObject = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);

const problem = (path: Path, words: string) => new InvalidArgumentError(['parameters', ...path].join('.'), words);
