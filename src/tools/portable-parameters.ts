/** Schemas from elsewhere: what every provider takes of them, and the way back to the arguments that they mean. */
import { InvalidArgumentError } from '../core/errors.ts';
import type { StandardIssue } from '../core/schema.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { inWords } from '../observability/redaction/secrets.ts';
import { fieldsOf, isJsonObject, type Json } from '../stores/ports/json.ts';
import { confirmationToken } from './arguments.ts';
import { longestPropertyName, propertyNameOf, uniqueName } from './other-names.ts';
import { resolve, withoutNull } from './parameters.ts';
import {
  described,
  isJsonText,
  isKeyName,
  keyPlaceholder,
  kindOfSchema,
  numbersIn,
  type Part,
  type Path,
  type Raw,
  readJsonText,
  readScalar,
  standardOf,
  type TextKind,
  tooFew,
  tooMany,
  withoutDefaults,
  wrongKind,
} from './portable-values.ts';

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
  /** The arguments as the tool itself names them, and what is wrong with them. Runs no pattern of the schema. */
  readonly read: (args: unknown) => { readonly value: Json; readonly issues: readonly StandardIssue[] };
}

/**
 * Reads a schema for models. `key` is the argument for the idempotency key, at any depth: `request.key`.
 * Throws `InvalidArgumentError` for what can't be arguments at all.
 */
export const toPortableParameters = (schema: unknown, key?: string): PortableParameters => {
  const names = new Set<string>();
  const keys = new Set<string>();
  const {
    schema: jsonSchema,
    read,
    fields,
  } = readRoot({ root: fieldsOf(schema), key, names, keys, partsLeft: mostParts });
  return {
    jsonSchema,
    names,
    keys,
    nameOf: (own) => fields.find((field) => field.own === own)?.name,
    read: (args) => {
      const issues: StandardIssue[] = [];
      const value = read(args, [], issues);
      return { value, issues };
    },
  };
};

interface Field extends Part {
  /** The tool's own name. */
  readonly own: string;
  /** The model's name. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  /** The value that the tool takes where there's none. Sent along, it is what people agree to, limits see and repeats have. */
  readonly standard: Json | undefined;
}

/** One schema that is being read. */
interface Reading {
  readonly root: Raw;
  readonly key: string | undefined;
  readonly names: Set<string>;
  readonly keys: Set<string>;
  partsLeft: number;
}

const deepest = 7;

/** Beyond this, a part is JSON text: references may multiply without an end. */
const mostParts = 2_000;

/** The place of a part: its path, and the references that led to it. */
interface Place {
  readonly path: Path;
  readonly within: Path;
}

const inside = ({ path, within }: Place, name: string): Place => ({ path: [...path, name], within });

const isKey = ({ key }: Reading, path: Path): boolean =>
  path.join('.') === key || (path.length > 0 && isKeyName(path.at(-1) ?? ''));

const readRoot = (reading: Reading) => {
  const { schema } = withoutNull(inlined(reading, reading.root, [])?.raw ?? {});
  if (schema['type'] === 'object' || 'properties' in schema || Array.isArray(schema['anyOf']))
    return readObject(reading, mergeChoices(reading, schema), { path: [], within: [] });
  throw new InvalidArgumentError('parameters', 'must be an object: wrap other values in a property');
};

const readPart = (reading: Reading, raw: unknown, place: Place): Part & { readonly isNullable: boolean } => {
  reading.partsLeft -= 1;
  const found = isJsonObject(raw) && reading.partsLeft > 0 ? inlined(reading, raw, place.within) : undefined;
  if (!found) return { ...readText(reading, fieldsOf(raw), place, 'any'), isNullable: false };
  const { schema, isNullable } = withoutNull(found.raw);
  return { ...readKind(reading, schema, { ...place, within: found.within }), isNullable };
};

/** A part with what its references point to; `undefined` if that is another document, or the part itself. */
const inlined = (
  reading: Reading,
  raw: Raw,
  within: Path,
): { readonly raw: Raw; readonly within: Path } | undefined => {
  const { $ref: reference, allOf, ...rest } = raw;
  if (Array.isArray(allOf)) {
    const parts = allOf.filter(isJsonObject).map((part) => inlined(reading, part, within));
    if (parts.includes(undefined)) return undefined;
    const all = { ...raw, allOf: parts.map((part) => part?.raw) };
    return { raw: withoutNull(all).schema, within: [...within, ...parts.flatMap((part) => part?.within ?? [])] };
  }
  if (typeof reference !== 'string') return { raw, within };
  if (reference === '#' || within.includes(reference)) return undefined;
  try {
    return inlined(reading, { ...resolve(reading.root, reference), ...rest }, [...within, reference]);
  } catch {
    return undefined;
  }
};

const readKind = (reading: Reading, raw: Raw, place: Place): Part => {
  if (place.path.length > deepest) return readText(reading, raw, place, 'any');
  if (Array.isArray(raw['anyOf']) && !('properties' in raw)) return readChoice(reading, raw, place);
  const kind = kindOfSchema(raw);
  switch (kind) {
    case 'object':
      return isRecord(raw) ? readText(reading, raw, place, 'object') : readObject(reading, raw, place);
    case 'array':
      return readList(reading, raw, place);
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return readScalar(raw, kind);
    default:
      return readText(reading, raw, place, 'any');
  }
};

const readChoice = (reading: Reading, raw: Raw, place: Place): Part => {
  const choices = (raw['anyOf'] as readonly unknown[]).map((choice) => readPart(reading, choice, place));
  if (choices.length === 0 || choices.some(isJsonText)) return readText(reading, raw, place, 'any');
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

const readList = (reading: Reading, raw: Raw, place: Place): Part => {
  const { items, minItems, maxItems } = raw;
  if (!isJsonObject(items)) return readText(reading, raw, place, 'array');
  const inner = readPart(reading, items, inside(place, '[]'));
  const limits = numbersIn({ minItems, maxItems });
  const { minItems: least = 0, maxItems: most = Infinity } = limits;
  return {
    schema: withoutUndefined({ type: 'array', ...described(raw), ...limits, items: inner.schema }),
    read: (value, at, issues) => {
      if (!Array.isArray(value)) return wrongKind('array', at, issues);
      if (value.length < least) issues.push(tooFew('array', least, at));
      if (value.length > most) issues.push(tooMany('array', most, at));
      return value.map((item, index) => inner.read(item, [...at, String(index)], issues));
    },
  };
};

const readObject = (reading: Reading, raw: Raw, place: Place): Part & { readonly fields: readonly Field[] } => {
  const { keys, fields } = readFields(reading, raw, place);
  // Without anything to choose from, some providers refuse it.
  if (fields.length === 0 && place.path.length > 0) return { ...readText(reading, raw, place, 'object'), fields };
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
      for (const { own, name, isRequired, isNullable, standard, read } of fields) {
        const one = Object.hasOwn(value, name) ? value[name] : undefined;
        if (one !== undefined && one !== null) result.set(own, read(one, [...at, name], issues));
        else if (standard !== undefined) result.set(own, standard);
        else if (isRequired && isNullable) result.set(own, null);
        else if (isRequired) issues.push({ message: 'is missing', path: [...at, name] });
      }
      return Object.fromEntries(result);
    },
  };
};

/** The fields that a model fills in, and the names of those that take a key. */
const readFields = (reading: Reading, raw: Raw, place: Place) => {
  const required = Array.isArray(raw['required']) ? raw['required'].map(String) : [];
  const parts = Object.entries(fieldsOf(raw['properties'])).filter(([, part]) => part !== false);
  const keys = parts.map(([own]) => own).filter((own) => isKey(reading, [...place.path, own]));
  for (const own of keys) reading.keys.add([...place.path, own].join('.'));
  for (const [own] of parts) reading.names.add(inWords(own));
  const taken = new Set(place.path.length === 0 ? [confirmationToken] : []);
  const isFine = (own: string) => Number(propertyNameOf(own) === own);
  // A name that stays as it is goes before one that has to become like it.
  const nameOf = new Map(
    parts
      .toSorted(([a], [b]) => isFine(b) - isFine(a))
      .map(([own]) => [own, uniqueName(propertyNameOf(own), taken, longestPropertyName)]),
  );
  const fields = parts
    .filter(([own]) => !keys.includes(own))
    .map(([own, part]): Field => {
      const name = nameOf.get(own) ?? own;
      const found = readPart(reading, part, inside(place, own));
      return { own, name, isRequired: required.includes(own), standard: standardOf(found), ...found };
    });
  return { keys, fields };
};

const readText = (reading: Reading, raw: Raw, { path }: Place, kind: TextKind): Part => {
  const { key } = reading;
  const start = `${path.join('.')}.`;
  if (key?.startsWith(start)) reading.keys.add(key);
  const { schema, read } = readJsonText(raw, kind);
  return { schema, read: (value, at, issues) => withPlaceholders(reading, read(value, at, issues), path) };
};

/** Puts the placeholder where a model wrote an idempotency key of its own, and where one belongs. */
const withPlaceholders = (reading: Reading, value: Json, path: Path): Json => {
  if (Array.isArray(value)) return value.map((item: Json) => withPlaceholders(reading, item, path));
  // A model's own isn't one.
  if (!isJsonObject(value)) return value === keyPlaceholder ? '' : value;
  const found = Object.entries(value).map(([name, one]) => {
    const inner = [...path, name];
    return [name, isKey(reading, inner) ? keyPlaceholder : withPlaceholders(reading, one, inner)] as const;
  });
  const start = `${path.join('.')}.`;
  const last = reading.key?.startsWith(start) ? reading.key.slice(start.length) : '';
  const isMissing = last !== '' && !last.includes('.') && !Object.hasOwn(value, last);
  return Object.fromEntries(isMissing ? [...found, [last, keyPlaceholder]] : found);
};

/** An object whose names the model chooses. */
const isRecord = ({ additionalProperties, patternProperties, propertyNames, properties = {} }: Raw): boolean =>
  patternProperties !== undefined ||
  propertyNames !== undefined ||
  Object.keys(Object(properties)).length === 0 ||
  (isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0);

/** One object of all its choices: what not all of them need is optional, and the server checks the rest. */
const mergeChoices = (reading: Reading, { anyOf, ...rest }: Raw): Raw => {
  const given: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  const choices = given.flatMap((one): readonly Raw[] => {
    const found = inlined(reading, fieldsOf(one), []);
    return found ? [found.raw] : [];
  });
  if (choices.length === 0) return rest;
  const requiredOf = ({ required }: Raw): readonly unknown[] => (Array.isArray(required) ? required : []);
  const properties: Raw[] = [
    fieldsOf(rest['properties']),
    // One choice's default may be wrong for another.
    ...choices.map((one) => withoutDefaults(fieldsOf(one['properties']))),
  ];
  const partsOf = (name: string) => properties.filter((one) => Object.hasOwn(one, name)).map((one) => one[name]);
  const merged = [...new Set(properties.flatMap(Object.keys))].map((name): [string, unknown] => {
    const parts = partsOf(name);
    return [name, parts.length > 1 ? { anyOf: parts } : parts[0]];
  });
  const ofAll = requiredOf(choices[0] ?? {}).filter((name) => choices.every((one) => requiredOf(one).includes(name)));
  return { ...rest, properties: Object.fromEntries(merged), required: [...requiredOf(rest), ...ofAll] };
};
