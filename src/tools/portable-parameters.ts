/** Schemas from elsewhere: what every provider takes of them, and the way back to the arguments that they mean. */
import { InvalidArgumentError } from '../core/errors.ts';
import { wordsFor } from '../core/problem-words.ts';
import type { StandardIssue } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { inWords } from '../observability/redaction/secrets.ts';
import { fieldsOf, isJsonObject, type Json, jsonIn } from '../stores/ports/json.ts';
import { checkValues, confirmationToken } from './arguments.ts';
import { textForModels } from './compact.ts';
import { otherNameOf, uniqueName } from './other-names.ts';
import { mostChoices, resolve, withoutNull } from './parameters.ts';

/** The arguments of a tool that another package made. */
export interface PortableParameters {
  /** For models. A free record, which their schemas can't describe, is JSON text. */
  readonly jsonSchema: object;
  /** The names of all arguments, at every depth, in snake case. */
  readonly names: ReadonlySet<string>;
  /** The arguments that take an idempotency key, by their path: the model doesn't see them. */
  readonly keys: ReadonlySet<string>;
  /** The model's name of an argument; `undefined`: there is none of this name. */
  readonly nameOf: (own: string) => string | undefined;
  /** The arguments as the tool itself names them, or what is wrong with them. Runs no pattern of the schema. */
  readonly read: (args: unknown) => { readonly value: Json } | { readonly issues: readonly StandardIssue[] };
}

/** The idempotency key in arguments before it is known, so that two calls with one meaning are equal. */
export const keyPlaceholder = '(idempotency key)';

/** Returns whether an argument takes an idempotency key. A model that makes one makes another each time. */
const isKeyName = (name: string): boolean => /(?:^|_)idempotency_key$/.test(inWords(name));

/**
 * Reads a schema for models. `key` is the argument for the idempotency key, at any depth: `request.key`.
 * Throws `InvalidArgumentError` for what can't be arguments at all.
 */
export const toPortableParameters = (schema: unknown, key?: string): PortableParameters => {
  const names = new Set<string>();
  const keys = new Set<string>();
  const { schema: jsonSchema, read, fields } = createReader({ root: fieldsOf(schema), key, names, keys }).readRoot();
  return {
    jsonSchema,
    names,
    keys,
    nameOf: (own) => fields.find((field) => field.own === own)?.name,
    read: (args) => {
      const issues: StandardIssue[] = [];
      const value = read(args, [], issues);
      return issues.length > 0 ? { issues } : { value };
    },
  };
};

type Raw = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** One part of a schema: as models see it, and what reads its value. Problems go into `issues`. */
interface Part {
  readonly schema: object;
  readonly read: (value: unknown, at: Path, issues: StandardIssue[]) => Json;
}

interface Field extends Part {
  /** The tool's own name. */
  readonly own: string;
  /** The model's name. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
}

interface ReaderOptions {
  readonly root: Raw;
  readonly key: string | undefined;
  readonly names: Set<string>;
  readonly keys: Set<string>;
}

const deepest = 7;

/** Beyond this, a part is JSON text: references may multiply without an end. */
const mostParts = 2_000;

const createReader = ({ root, key, names, keys: allKeys }: ReaderOptions) => {
  const isKey = (path: Path) => path.join('.') === key || (path.length > 0 && isKeyName(path.at(-1) ?? ''));

  let partsLeft = mostParts;

  const readRoot = () => {
    const { schema } = withoutNull(inlined(root, [])?.raw ?? {});
    if (schema['type'] === 'object' || 'properties' in schema || Array.isArray(schema['anyOf']))
      return readObject(mergeChoices(schema), []);
    throw new InvalidArgumentError('parameters', 'must be an object: wrap other values in a property');
  };

  const readPart = (raw: unknown, path: Path, within: Path = []): Part & { readonly isNullable: boolean } => {
    partsLeft -= 1;
    const found = isJsonObject(raw) && partsLeft > 0 ? inlined(raw, within) : undefined;
    if (!found) return { ...anyText(raw, path), isNullable: false };
    const { schema, isNullable } = withoutNull(found.raw);
    return { ...readKind(schema, path, found.within), isNullable };
  };

  /** A part with what its references point to; `undefined` if that is another document, or the part itself. */
  const inlined = (raw: Raw, within: Path): { readonly raw: Raw; readonly within: Path } | undefined => {
    const { $ref: reference, allOf, ...rest } = raw;
    if (Array.isArray(allOf)) {
      const parts = allOf.filter(isJsonObject).map((part) => inlined(part, within));
      if (parts.includes(undefined)) return undefined;
      const all = { ...raw, allOf: parts.map((part) => part?.raw) };
      return { raw: withoutNull(all).schema, within: [...within, ...parts.flatMap((part) => part?.within ?? [])] };
    }
    if (typeof reference !== 'string') return { raw, within };
    if (reference === '#' || within.includes(reference)) return undefined;
    try {
      return inlined({ ...resolve(root, reference), ...rest }, [...within, reference]);
    } catch {
      return undefined;
    }
  };

  const readKind = (raw: Raw, path: Path, within: Path): Part => {
    if (path.length > deepest) return anyText(raw, path);
    if (Array.isArray(raw['anyOf']) && !('properties' in raw)) return readChoice(raw, path, within);
    switch (kindOf(raw)) {
      case 'object':
        return isRecord(raw) ? jsonText(raw, path, 'object') : readObject(raw, path, within);
      case 'array':
        return readList(raw, path, within);
      case 'string':
      case 'number':
      case 'integer':
      case 'boolean':
        return readScalar(raw, kindOf(raw) ?? 'string');
      default:
        return anyText(raw, path);
    }
  };

  const readChoice = (raw: Raw, path: Path, within: Path): Part => {
    const choices = (raw['anyOf'] as readonly unknown[]).map((choice) => readPart(choice, path, within));
    if (choices.length === 0 || choices.some(({ schema }) => textNode in schema)) return anyText(raw, path);
    return {
      schema: { ...described(raw), anyOf: choices.map(({ schema }) => schema) },
      read: (value, at, issues) => {
        for (const choice of choices) {
          const found: StandardIssue[] = [];
          const read = choice.read(value, at, found);
          if (found.length === 0) return read;
        }
        issues.push({ message: 'is none of the kinds that are allowed', path: at });
        return null;
      },
    };
  };

  const readList = (raw: Raw, path: Path, within: Path): Part => {
    const { items, minItems, maxItems } = raw;
    if (!isJsonObject(items)) return jsonText(raw, path, 'array');
    const inner = readPart(items, [...path, '[]'], within);
    return {
      schema: withoutUndefined({
        type: 'array',
        ...described(raw),
        ...numbersIn({ minItems, maxItems }),
        items: inner.schema,
      }),
      read: (value, at, issues) => {
        if (!Array.isArray(value)) return wrongKind('array', at, issues);
        const { minItems: least = 0, maxItems: most = Infinity } = numbersIn({ minItems, maxItems });
        if (value.length < least) issues.push(tooFew('array', least, at));
        if (value.length > most) issues.push(tooMany('array', most, at));
        return value.map((item, index) => inner.read(item, [...at, String(index)], issues));
      },
    };
  };

  const readObject = (raw: Raw, path: Path, within: Path = []): Part & { readonly fields: readonly Field[] } => {
    const required = Array.isArray(raw['required']) ? raw['required'].map(String) : [];
    const own = Object.entries(isJsonObject(raw['properties']) ? raw['properties'] : {}).filter(
      ([, part]) => part !== false,
    );
    const keys = own.map(([name]) => name).filter((name) => isKey([...path, name]));
    const taken = new Set(path.length === 0 ? [confirmationToken] : []);
    // A name that stays as it is goes before one that has to become like it.
    const nameOf = new Map(
      own
        .toSorted(([a], [b]) => Number(propertyName.test(b)) - Number(propertyName.test(a)))
        .map(([name]) => [name, uniqueName(toPropertyName(name), taken, longestName)]),
    );
    const fields = own.flatMap(([name, part]): Field[] => {
      names.add(inWords(name));
      if (keys.includes(name)) {
        allKeys.add([...path, name].join('.'));
        return [];
      }
      return [
        {
          own: name,
          name: nameOf.get(name) ?? name,
          isRequired: required.includes(name),
          ...readPart(part, [...path, name], within),
        },
      ];
    });
    // Without anything to choose from, some providers refuse it.
    if (fields.length === 0 && path.length > 0) return { ...jsonText(raw, path, 'object'), fields };
    return {
      fields,
      schema: {
        type: 'object',
        ...described(raw),
        properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
        required: fields.filter(({ isRequired, isNullable }) => isRequired && !isNullable).map(({ name }) => name),
      },
      read: (value, at, issues) => {
        if (!isJsonObject(value)) return wrongKind('object', at, issues);
        const result = new Map<string, Json>(keys.map((name) => [name, keyPlaceholder]));
        for (const { own: name, name: sent, isRequired, isNullable, read } of fields) {
          const one = Object.hasOwn(value, sent) ? value[sent] : undefined;
          if (one !== undefined && one !== null) result.set(name, read(one, [...at, sent], issues));
          else if (isRequired && isNullable) result.set(name, null);
          else if (isRequired) issues.push({ message: 'is missing', path: [...at, sent] });
        }
        return Object.fromEntries(result);
      },
    };
  };

  /** A value that no provider's schema can say: the model writes it as JSON text. */
  const jsonText = (raw: Raw, path: Path, kind: 'object' | 'array' | 'any'): Part => {
    if (key?.startsWith(`${path.join('.')}.`)) allKeys.add(key);
    return {
      schema: { type: 'string', [textNode]: true, description: wordsOfText(raw, kind) },
      read: (value, at, issues) => {
        const parsed = typeof value === 'string' ? jsonIn(value) : value;
        const isPlain = parsed === undefined && kind === 'any';
        const isRight = kind === 'any' || (kind === 'array' ? Array.isArray(parsed) : isJsonObject(parsed));
        if (!isRight) issues.push({ message: `must be JSON text of an ${kind}`, path: at });
        // Written as JSON, a card number may hide in escapes.
        const checked = checkValues({ value: parsed ?? null });
        for (const { problem } of checked.ok ? [] : checked.problems) issues.push({ message: problem, path: at });
        return withPlaceholders(isPlain ? (value as string) : ((parsed ?? null) as Json), path);
      },
    };
  };

  const anyText = (raw: unknown, path: Path) => jsonText(isJsonObject(raw) ? raw : {}, path, 'any');

  /** Puts the placeholder where a model wrote an idempotency key of its own. */
  const withPlaceholders = (value: Json, path: Path): Json => {
    if (Array.isArray(value)) return value.map((item) => withPlaceholders(item, path));
    if (!isJsonObject(value)) return value;
    const found = Object.entries(value).map(([name, one]) => {
      const inner = [...path, name];
      return [name, isKey(inner) ? keyPlaceholder : withPlaceholders(one, inner)] as const;
    });
    const last = key?.startsWith(`${path.join('.')}.`) ? key.slice(path.join('.').length + 1) : '';
    const isMissing = last !== '' && !last.includes('.') && !Object.hasOwn(value, last);
    return Object.fromEntries(isMissing ? [...found, [last, keyPlaceholder]] : found);
  };

  return { readRoot };
};

/** Marks a part that is JSON text. `JSON.stringify` and readers of schemas don't see it. */
const textNode: unique symbol = Symbol('JSON text');

const readScalar = (raw: Raw, type: string): Part => {
  const { format, pattern, minLength, maxLength, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = raw;
  const values = Array.isArray(raw['enum']) ? raw['enum'].filter(isScalar) : undefined;
  const choices = values && values.length > 0 && values.length <= mostChoices ? values : undefined;
  const limits = numbersIn(
    type === 'string' ? { minLength, maxLength } : { minimum, maximum, exclusiveMinimum, exclusiveMaximum },
  );
  return {
    schema: withoutUndefined({
      type,
      ...described(raw, typeof pattern === 'string' && pattern.length <= 60 ? `It must match ${pattern}.` : ''),
      enum: choices,
      format: type === 'string' && typeof format === 'string' ? format : undefined,
      ...limits,
    }),
    read: (value, at, issues) => {
      const isRight = type === 'integer' ? Number.isInteger(value) : typeof value === type;
      if (!isRight || !isScalar(value)) return wrongKind(type, at, issues);
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

const wrongKind = (expected: string, path: Path, issues: StandardIssue[]): null => {
  issues.push({ message: wordsFor({ code: 'invalid_type', expected }), path });
  return null;
};

const tooFew = (origin: string, minimum: number, path: Path): StandardIssue => ({
  message: wordsFor({ code: 'too_small', origin, minimum, inclusive: true }),
  path,
});

const tooMany = (origin: string, maximum: number, path: Path): StandardIssue => ({
  message: wordsFor({ code: 'too_big', origin, maximum, inclusive: true }),
  path,
});

/** The kind of a value, also where a schema leaves it to be guessed. */
const kindOf = ({ type, enum: values, properties, items }: Raw): string | undefined => {
  if (typeof type === 'string') return type;
  if (properties !== undefined) return 'object';
  if (items !== undefined) return 'array';
  const [first, ...others] = new Set(Array.isArray(values) ? values.map((value: unknown) => typeof value) : []);
  return others.length === 0 && (first === 'string' || first === 'number') ? first : undefined;
};

/** An object whose names the model chooses. */
const isRecord = ({ additionalProperties, patternProperties, propertyNames, properties = {} }: Raw): boolean =>
  patternProperties !== undefined ||
  propertyNames !== undefined ||
  Object.keys(Object(properties)).length === 0 ||
  (isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0);

/** One object of all its choices: what not all of them need is optional, and the server checks the rest. */
const mergeChoices = (raw: Raw): Raw => {
  const { anyOf, ...rest } = raw;
  const choices = Array.isArray(anyOf) ? anyOf.filter(isJsonObject) : [];
  if (choices.length === 0) return rest;
  const properties = choices.map((choice) => Object(choice['properties']) as Raw);
  const requiredOf = ({ required }: Raw) => (Array.isArray(required) ? required : []);
  const ofAll = requiredOf(choices[0] ?? {}).filter((name: unknown) =>
    choices.every((choice) => requiredOf(choice).includes(name)),
  );
  return {
    ...rest,
    properties: Object.assign({}, ...properties, rest['properties']),
    required: [...requiredOf(rest), ...ofAll],
  };
};

const longestName = 64;
const propertyName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** `filter[status]` becomes `filter_status`. */
const toPropertyName = (name: string): string => {
  const isForbidden = ['__proto__', 'constructor', 'prototype'].includes(name);
  if (propertyName.test(name) && !isForbidden) return name;
  return otherNameOf(isForbidden ? `${name}_value` : name, 'value');
};

const longestDescription = 400;

const described = ({ description, default: standard }: Raw, more = '') => {
  const words = typeof description === 'string' ? textForModels(description, longestDescription) : '';
  return withoutUndefined({
    description: [words, more].filter((one) => one !== '').join(' ') || undefined,
    default: isScalar(standard) ? standard : undefined,
  });
};

/** Names of limits, and the numbers among their values. */
const numbersIn = (limits: Raw): { readonly [limit: string]: number } =>
  Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]): [string, number][] =>
      typeof value === 'number' ? [[name, value]] : [],
    ),
  );

/** Says what to write, with the fields that are known. */
const wordsOfText = (raw: Raw, kind: 'object' | 'array' | 'any'): string => {
  const { description = '' } = described(raw);
  const fields = Object.keys(isJsonObject(raw['properties']) ? raw['properties'] : {}).slice(0, 20);
  const how = {
    object: 'JSON text of an object, such as {"name":"value"}.',
    array: 'JSON text of a list, such as ["value"].',
    any: 'A text, or JSON text of any value.',
  }[kind];
  const known = fields.length > 0 ? ` Fields: ${textForModels(fields.join(', '), 200)}.` : '';
  return `${description}${description === '' ? '' : description.endsWith('.') ? ' ' : '. '}${how}${known}`;
};
