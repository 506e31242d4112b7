/** The parameters of a tool in the dialects of JSON Schema that providers take. Each leaves out what its readers refuse. */
import { withoutUndefined } from '../core/without-undefined.ts';
import type { ParametersSchema, PropertySchema } from './tool.ts';

/** Parameters as they go over the wire. Writable, since the types of the providers' packages are. */
export interface DialectParameters {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
  [keyword: string]: unknown;
}

/** JSON Schema that every provider without a dialect of its own understands. */
export const toPortable = ({ properties, required, ...rest }: ParametersSchema): DialectParameters => ({
  ...rest,
  properties: { ...properties },
  required: [...required],
});

/**
 * For OpenAI's strict mode: every property is required and no other allowed; what may be left out may be `null`, and its
 * description says so. Lengths and defaults are dropped, since the mode refuses them; the descriptions name the limits.
 */
export const toStrict = (schema: ParametersSchema): DialectParameters => ({
  ...strictProperty(schema),
  ...strictObject(schema),
  type: 'object',
});

const strictProperty = (schema: PropertySchema): Dialect => {
  const { default: _, minLength: __, maxLength: ___, properties, items, anyOf, ...kept } = schema;
  return withoutUndefined({
    ...kept,
    ...(properties && strictObject(schema)),
    items: items && strictProperty(items),
    anyOf: anyOf?.map(strictProperty),
  });
};

const strictObject = ({ properties = {}, required = [] }: PropertySchema) => ({
  properties: mapProperties(properties, (property, name) =>
    required.includes(name) ? strictProperty(property) : orNull(strictProperty(property)),
  ),
  required: Object.keys(properties),
  additionalProperties: false,
});

const orNull = ({ type, enum: values, anyOf, description, ...rest }: Dialect): Dialect =>
  withoutUndefined({
    ...rest,
    description: typeof description === 'string' ? withNullForAbsent(description) : undefined,
    type: type === undefined ? undefined : [type, 'null'],
    enum: Array.isArray(values) ? [...values, null] : undefined,
    anyOf: Array.isArray(anyOf) ? [...anyOf, { type: 'null' }] : undefined,
  });

/** Drops the words about leaving out: everything is required. */
const withNullForAbsent = (description: string): string =>
  description.replace(/\bleave (?:it |this |them )?out\b/gi, (words) =>
    words.startsWith('L') ? 'Use null' : 'use null',
  );

/**
 * For Anthropic's strict mode, which builds a grammar: shapes, choices and formats, and no limits. The descriptions
 * name the limits; a pattern is put there.
 */
export const toGrammar = (schema: ParametersSchema): DialectParameters => ({
  ...grammarProperty(schema),
  ...grammarObject(schema),
  type: 'object',
});

const grammarProperty = (schema: PropertySchema): Dialect => {
  const { type, description, enum: values, format, pattern, items, minItems = 0, properties, anyOf } = schema;
  return withoutUndefined({
    type,
    description: withWords(description, pattern === undefined ? [] : [`Matches ${pattern}`]),
    enum: values,
    format,
    items: items && grammarProperty(items),
    // The grammar can say "not empty", and no more.
    minItems: minItems > 0 ? 1 : undefined,
    ...(properties && grammarObject(schema)),
    anyOf: anyOf?.map(grammarProperty),
  });
};

const grammarObject = ({ properties = {}, required = [] }: PropertySchema) => ({
  properties: mapProperties(properties, grammarProperty),
  required: [...required],
  additionalProperties: false,
});

/**
 * For Gemini: its subset of OpenAPI 3.0, in which counts are strings, only strings have choices and only `date-time`
 * is a format. `undefined` for a tool without parameters: an object without properties is refused.
 * Its Live API takes no JSON Schema: https://github.com/googleapis/python-genai/issues/1147
 */
export const toOpenApi = (schema: ParametersSchema): object | undefined =>
  Object.keys(schema.properties).length === 0 ? undefined : openApiProperty(schema);

const openApiProperty = (schema: PropertySchema): Dialect => {
  const { type, description, enum: values, format, pattern, items, properties, required = [], anyOf } = schema;
  // A choice allows no other keyword.
  if (anyOf) return { anyOf: anyOf.map((choice) => openApiProperty(withDescription(choice, description))) };
  // An empty text is no choice there, nor is a number.
  const choices = type === 'string' && !values?.includes('') ? values?.map(String) : undefined;
  const isKnownFormat = format === 'date-time';
  return withoutUndefined({
    type: type?.toUpperCase(),
    description: withWords(description, [
      ...(values && !choices ? [`One of ${values.map((value) => JSON.stringify(value)).join(', ')}`] : []),
      ...(format && !isKnownFormat ? [`Format ${format}`] : []),
    ]),
    enum: choices,
    format: choices ? 'enum' : isKnownFormat ? format : undefined,
    pattern,
    ...openApiLimits(schema),
    items: items && openApiProperty(items),
    properties: properties && mapProperties(properties, openApiProperty),
    required: required.length > 0 ? required : undefined,
  });
};

const openApiLimits = (schema: PropertySchema): Dialect => {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const { minLength, maxLength, minItems, maxItems } = schema;
  // There is no exclusive limit: the nearest one that allows no less.
  const step = type === 'integer' ? 1 : 0;
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step);
  const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step);
  return {
    minimum: least,
    maximum: most,
    minLength: minLength?.toString(),
    maxLength: maxLength?.toString(),
    minItems: minItems?.toString(),
    maxItems: maxItems?.toString(),
  };
};

/**
 * For platforms that list typed fields with a description each, and nothing else: ElevenLabs and its like.
 * Only strings have choices; where a field has several forms, the first is used.
 */
export const toFields = (schema: ParametersSchema): DialectParameters => ({
  ...fieldProperty(schema, ''),
  ...fieldObject(schema),
  type: 'object',
});

const fieldProperty = (schema: PropertySchema, name: string): Dialect => {
  const { type, description, enum: values, format, items, properties, anyOf } = schema;
  const [first] = anyOf ?? [];
  if (first) return fieldProperty(withDescription(first, description), name);
  const words = withWords(description, [
    ...(values && type !== 'string' ? [`One of ${values.map((value) => JSON.stringify(value)).join(', ')}`] : []),
    ...(format ? [`Format ${format}`] : []),
  ]);
  return withoutUndefined({
    type,
    description: words ?? (name === '' ? undefined : name.replaceAll('_', ' ')),
    enum: type === 'string' ? values : undefined,
    items: items && fieldProperty(items, name),
    ...(properties && fieldObject(schema)),
  });
};

const fieldObject = ({ properties = {}, required = [] }: PropertySchema) => ({
  properties: mapProperties(properties, fieldProperty),
  required: [...required],
});

/** One schema on its way to a provider. */
interface Dialect {
  [keyword: string]: unknown;
}

const mapProperties = (
  properties: Readonly<Record<string, PropertySchema>>,
  change: (property: PropertySchema, name: string) => Dialect,
): Record<string, Dialect> =>
  Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, change(property, name)]));

/** The description, and after it what the dialect cannot say. */
const withWords = (description: string | undefined, words: readonly string[]): string | undefined => {
  if (words.length === 0) return description || undefined;
  const parts = [...(description ? [description.replace(/[.\s]*$/, '')] : []), ...words];
  return `${parts.join('. ')}.`;
};

/** A choice, with the description of all of them where it has none. */
const withDescription = (choice: PropertySchema, description: string | undefined): PropertySchema =>
  description ? { description, ...choice } : choice;
