import type { PropertySchema } from './json-schema.ts';

/**
 * Adds the limits of a property to its description, unless that names them already: some providers drop the keywords,
 * and a model that knows a limit keeps to it.
 */
export const withLimits = <Schema extends PropertySchema>(schema: Schema, format?: unknown): Schema => {
  const description = schema.description ?? '';
  const missing = limitsOf(schema, format).filter(({ sign }) => !description.includes(sign));
  if (missing.length === 0) return schema;
  const words = missing.map(({ words: one }) => one).join(', ');
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  return { ...schema, description: description ? `${description.replace(/[.\s]*$/, '')}. ${sentence}` : sentence };
};

interface Limit {
  /** What a description that already names it contains. */
  readonly sign: string;
  readonly words: string;
}

const limitsOf = (schema: PropertySchema, format: unknown): Limit[] => {
  const limit = (value: number | undefined, words: (value: number) => string): Limit[] =>
    value === undefined ? [] : [{ sign: String(value), words: words(value) }];
  return [
    ...(format === 'e164' ? [{ sign: 'E.164', words: 'E.164 format, such as +14155550100' }] : []),
    ...limit(schema.exclusiveMinimum, (value) => `greater than ${value}`),
    ...limit(schema.minimum, (value) => `at least ${value}`),
    ...limit(schema.exclusiveMaximum, (value) => `below ${value}`),
    ...limit(schema.maximum, (value) => `at most ${value}`),
    ...limit(nothingBelow(2, schema.minLength), (value) => `at least ${value} characters`),
    ...limit(schema.maxLength, (value) => `at most ${value} characters`),
    ...limit(nothingBelow(1, schema.minItems), (value) => `at least ${value} entries`),
    ...limit(schema.maxItems, (value) => `at most ${value} entries`),
  ];
};

/** That a required text is not empty goes without saying. */
const nothingBelow = (least: number, value: number | undefined) =>
  value !== undefined && value >= least ? value : undefined;
