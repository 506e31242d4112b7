/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** An object of JSON, by the names of its fields. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Parsed JSON that is no scalar and no list. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of parsed JSON: none, unless it's an object. */
export const fieldsOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** The objects in a list of parsed JSON: none, unless it's a list. */
export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** The text is not JSON that can be used. Says what it looks like, never what it contains. */
export class JsonError extends Error {
  readonly looksLike: 'html' | 'truncated' | 'too deep' | 'too large a number' | 'other';

  constructor(looksLike: JsonError['looksLike']) {
    super(words[looksLike]);
    this.name = 'JsonError';
    this.looksLike = looksLike;
  }
}

/** Deeper nesting is an attack: code that walks a value by recursion would run out of stack. */
export const maximumJsonDepth = 200;

/**
 * Parses the body of an answer; an empty one is `undefined`. Leaves out own keys named `__proto__`, `constructor` or
 * `prototype` at every depth, so that no later merge can reach a prototype. A number that JavaScript can't hold, such
 * as 9007199254740993 or 1e400, becomes the text of its digits. So an id stays exact, and a schema refuses an amount.
 * Throws {@link JsonError} for anything but JSON, and for nesting deeper than {@link maximumJsonDepth}.
 */
export const parseJson = (text: string): unknown => {
  if (text === '') return undefined;
  let value: unknown;
  try {
    // Most answers show at a glance that every number fits.
    value = mayHoldLargeNumber.test(text) ? parseExactly(text) : JSON.parse(text);
  } catch (error) {
    if (error instanceof JsonError) throw error;
    if (text.trim() === '') return undefined;
    throw new JsonError(lookOf(text));
  }
  // A walk costs up to half of the parsing: most answers show at a glance that they need none.
  const holdsDangerousKeys = mayBeDangerous.test(text);
  if (holdsDangerousKeys || mayBeDeep(text)) makeSafe(value, holdsDangerousKeys);
  return value;
};

/** Parses JSON; `undefined` for any other text. */
export const jsonIn = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/** 16 digits, outside a string of digits alone, or an exponent of three. The largest safe integer has 16 digits. */
const mayHoldLargeNumber = /[:,[\s]-?\d{16}|\d[eE]\+?\d{3}|^-?\d{16}/;

const parseExactly = (text: string): unknown => {
  const reviver = (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    if (typeof value !== 'number' || !isTooLarge(value)) return value;
    // Runtimes from before 2023 don't say what the text was.
    if (context?.source === undefined) throw new JsonError('too large a number');
    return isExact(value, context.source) ? value : context.source;
  };
  return JSON.parse(text, reviver);
};

const isTooLarge = (value: number): boolean => !(Math.abs(value) <= Number.MAX_SAFE_INTEGER);

const isExact = (value: number, source: string): boolean =>
  Number.isFinite(value) && (/e/i.test(source) || (/^-?\d+$/.test(source) && BigInt(source) === BigInt(value)));

const dangerousKeys = ['__proto__', 'constructor', 'prototype'];

/**
 * The letters of the keys are ASCII, so that an escape that hides one begins with `\u00`. A part that two of them share
 * is looked for, and no quotation mark: JSON is full of them, which makes the search slower.
 */
const mayBeDangerous = /proto|constructor|\\u00/;

/** Counts closing brackets: so many levels need as many of them. */
const mayBeDeep = (text: string): boolean => {
  let brackets = 0;
  for (const bracket of [']', '}']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      brackets += 1;
      if (brackets > maximumJsonDepth) return true;
    }
  }
  return false;
};

/** Goes down no further than is allowed, so that the recursion is as bounded as the depth. */
const makeSafe = (value: unknown, holdsDangerousKeys: boolean, levelsLeft = maximumJsonDepth): void => {
  if (!isContainer(value)) return;
  if (levelsLeft === 0) throw new JsonError('too deep');
  if (Array.isArray(value)) {
    for (const item of value) makeSafe(item, holdsDangerousKeys, levelsLeft - 1);
    return;
  }
  if (holdsDangerousKeys) for (const key of dangerousKeys) Reflect.deleteProperty(value, key);
  for (const inner of Object.values(value)) makeSafe(inner, holdsDangerousKeys, levelsLeft - 1);
};

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

const lookOf = (text: string): JsonError['looksLike'] => {
  if (/^\s*</.test(text)) return 'html';
  return /^\s*[[{"]/.test(text) && endsInside(text) ? 'truncated' : 'other';
};

/** Returns `true` if a string or a bracket is still open at the end. */
const endsInside = (text: string): boolean => {
  let open = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString && character === '\\') at += 1;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === '{' || character === '[') open += 1;
    else if (character === '}' || character === ']') open -= 1;
  }
  return inString || open > 0;
};

const words: Readonly<Record<JsonError['looksLike'], string>> = {
  html: 'is HTML or XML instead of JSON',
  truncated: 'is JSON that ends too early',
  'too deep': `is JSON nested deeper than ${maximumJsonDepth} levels`,
  'too large a number': 'is JSON with a number that is too large to be read exactly',
  other: 'is not JSON',
};
