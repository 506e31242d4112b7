/** Single values of arguments, as a schema from elsewhere describes them: what models see, and what reads them. */
import { wordsFor } from '../core/problem-words.ts';
import type { StandardIssue } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { inWords } from '../observability/redaction/secrets.ts';
import { isJsonObject, type Json, jsonIn } from '../stores/ports/json.ts';
import { checkValues } from './arguments.ts';
import { textForModels } from './compact.ts';
import { mostChoices } from './parameters.ts';

export type Raw = Readonly<Record<string, unknown>>;
export type Path = readonly string[];

/** One part of a schema: as models see it, and what reads its value. Problems go into `issues`. */
export interface Part {
  readonly schema: object;
  readonly read: (value: unknown, at: Path, issues: StandardIssue[]) => Json;
}

/** A text, a number, or yes and no. No pattern of it runs. */
export const readScalar = (raw: Raw, type: string): Part => {
  const { format, pattern, minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = raw;
  const values = Array.isArray(raw['enum']) ? raw['enum'].filter(isScalar) : undefined;
  const isListed = values && values.length > 0 && values.length <= mostChoices && values.every(isPlain);
  const choices = isListed ? values : undefined;
  const limits = numbersIn(
    type === 'string' ? { minLength, maxLength } : { minimum, maximum, exclusiveMinimum, exclusiveMaximum },
  );
  return {
    schema: withoutUndefined({
      type,
      ...described(
        raw,
        typeof pattern === 'string' && pattern.length <= 60 && isPlain(pattern) ? `It must match ${pattern}.` : '',
      ),
      enum: choices,
      format: type === 'string' && typeof format === 'string' ? format : undefined,
      ...limits,
    }),
    read: (value, at, issues) => {
      const isRight = type === 'integer' ? Number.isInteger(value) : typeof value === type;
      if (!isRight || !isScalar(value) || value === keyPlaceholder) return wrongKind(type, at, issues);
      if (choices && !choices.includes(value))
        issues.push({ message: wordsFor({ code: 'invalid_value', values: choices }), path: at });
      const size = typeof value === 'string' ? value.length : Number(value);
      const least = limits['minLength'] ?? limits['minimum'] ?? -Infinity;
      const most = limits['maxLength'] ?? limits['maximum'] ?? Infinity;
      if (size < least) issues.push(tooFew(type, least, at));
      if (size > most) issues.push(tooMany(type, most, at));
      if (size <= (limits['exclusiveMinimum'] ?? -Infinity))
        issues.push({ message: `must be greater than ${limits['exclusiveMinimum']}`, path: at });
      if (size >= (limits['exclusiveMaximum'] ?? Infinity))
        issues.push({ message: `must be below ${limits['exclusiveMaximum']}`, path: at });
      return value;
    },
  };
};

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Returns whether a model may be shown it as it is: a text of one line without hidden characters. */
const isPlain = (value: string | number | boolean): boolean =>
  typeof value !== 'string' || textForModels(value, longestChoice) === value;

const longestChoice = 200;

/** The idempotency key in arguments before it is known, so that two calls with one meaning are equal. No model sends it. */
export const keyPlaceholder = '(idempotency key)';

/** The kind of a value, also where a schema leaves it to be guessed. */
export const kindOfSchema = ({ type, enum: values, properties, items }: Raw): string | undefined => {
  if (typeof type === 'string') return type;
  if (properties !== undefined) return 'object';
  if (items !== undefined) return 'array';
  const [first, ...others] = new Set(Array.isArray(values) ? values.map((value: unknown) => typeof value) : []);
  return others.length === 0 && (first === 'string' || first === 'number') ? first : undefined;
};

/** Returns whether an argument takes an idempotency key. A model that makes one makes another each time. */
export const isKeyName = (name: string): boolean => /(?:^|_)idempoten(?:cy|t)_?(?:key|token|id)$/.test(inWords(name));

/** The default of a part, if it's one of its values. */
export const standardOf = ({ schema, read }: Part): Json | undefined => {
  const { default: standard }: { readonly default?: unknown } = schema;
  const issues: StandardIssue[] = [];
  const value = standard === undefined ? undefined : read(standard, [], issues);
  return issues.length > 0 ? undefined : value;
};

export const withoutDefaults = (properties: Raw): Raw =>
  Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, isJsonObject(one) ? { ...one, default: undefined } : one]),
  );

export const wrongKind = (expected: string, path: Path, issues: StandardIssue[]): null => {
  issues.push({ message: wordsFor({ code: 'invalid_type', expected }), path });
  return null;
};

export const tooFew = (origin: string, minimum: number, path: Path): StandardIssue => ({
  message: wordsFor({ code: 'too_small', origin, minimum, inclusive: true }),
  path,
});

export const tooMany = (origin: string, maximum: number, path: Path): StandardIssue => ({
  message: wordsFor({ code: 'too_big', origin, maximum, inclusive: true }),
  path,
});

/** A value that no provider's schema can describe: the model writes it as JSON text. */
export const readJsonText = (raw: Raw, kind: TextKind): Part => ({
  schema: { type: 'string', [textNode]: true, description: wordsOfText(raw, kind) },
  read: (value, at, issues) => {
    // Of any kind, `512` may be an id: it stays a text.
    const isJson = kind !== 'any' || (typeof value === 'string' && /^\s*[[{"]/.test(value));
    const parsed = typeof value === 'string' ? (isJson ? jsonIn(value) : undefined) : value;
    if (parsed === undefined && kind === 'any') return value as string;
    const isRight = kind === 'any' || (kind === 'array' ? Array.isArray(parsed) : isJsonObject(parsed));
    if (!isRight) issues.push({ message: `must be JSON text of an ${kind}`, path: at });
    // Written as JSON, a card number may hide in escapes.
    const checked = checkValues({ value: parsed ?? null });
    for (const { problem } of checked.ok ? [] : checked.problems) issues.push({ message: problem, path: at });
    return (parsed ?? null) as Json;
  },
});

export type TextKind = 'object' | 'array' | 'any';

/** Returns whether a part is JSON text. */
export const isJsonText = ({ schema }: Part): boolean => textNode in schema;

/** `JSON.stringify` and readers of schemas don't see it. */
const textNode: unique symbol = Symbol('JSON text');

const longestDescription = 400;

/** The words of a part, as far as a model reads them, and a default that is a single value. */
export const described = ({ description, default: standard }: Raw, more = '') => {
  const words = typeof description === 'string' ? textForModels(description, longestDescription) : '';
  return withoutUndefined({
    description: [words, more].filter((one) => one !== '').join(' ') || undefined,
    default: isScalar(standard) && isPlain(standard) ? standard : undefined,
  });
};

/** The names of limits, and the numbers among their values. */
export const numbersIn = (limits: Raw): { readonly [limit: string]: number } =>
  Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]): [string, number][] =>
      typeof value === 'number' ? [[name, value]] : [],
    ),
  );

/** Says what to write, with the fields that are known. */
const wordsOfText = (raw: Raw, kind: TextKind): string => {
  const { description = '' } = described(raw);
  const fields = Object.keys(isJsonObject(raw['properties']) ? raw['properties'] : {}).slice(0, 20);
  const how = {
    object: 'JSON text of an object, such as {"name":"value"}.',
    array: 'JSON text of a list, such as ["value"].',
    any: 'A text, or JSON text of an object or a list.',
  }[kind];
  const known = fields.length > 0 ? ` Fields: ${textForModels(fields.join(', '), 200)}.` : '';
  return `${description}${description === '' ? '' : description.endsWith('.') ? ' ' : '. '}${how}${known}`;
};
