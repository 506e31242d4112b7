/** The text is not JSON that can be used. Says what it looks like, never what it contains. */
export class JsonError extends Error {
  readonly looksLike: 'html' | 'truncated' | 'too deep' | 'other';

  constructor(looksLike: JsonError['looksLike']) {
    super(words[looksLike]);
    this.name = 'JsonError';
    this.looksLike = looksLike;
  }
}

/** Deeper nesting is an attack: code that walks a value by recursion would run out of stack. */
export const maximumJsonDepth = 200;

/**
 * Parses the body of an answer; an empty one is `undefined`. Own keys named `__proto__`, `constructor` or `prototype`
 * are left out at every depth, so that no later merge can reach a prototype.
 * Throws {@link JsonError} for anything else than JSON, and for nesting deeper than {@link maximumJsonDepth}.
 */
export const parseJson = (text: string): unknown => {
  if (text === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    if (text.trim() === '') return undefined;
    throw new JsonError(lookOf(text));
  }
  // A walk costs as much as the parsing: most answers show at a glance that they need none.
  if (mayHoldDangerousKeys(text) || mayBeDeep(text)) makeSafe(value);
  return value;
};

const dangerousKeys = ['__proto__', 'constructor', 'prototype'];

/**
 * The letters of the keys are ASCII, so that an escape that hides one begins with `\u00`. A part that two of them share
 * is looked for, and no quotation mark: JSON is full of them, which makes the search three times as slow.
 */
const mayHoldDangerousKeys = (text: string): boolean =>
  text.includes('\\u00') || text.includes('proto') || text.includes('constructor');

/** So many levels need as many closing brackets. */
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

/** Level by level, without recursion. */
const makeSafe = (root: unknown): void => {
  let level = [root].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maximumJsonDepth) throw new JsonError('too deep');
    const next: object[] = [];
    for (const container of level) {
      if (!Array.isArray(container)) for (const key of dangerousKeys) Reflect.deleteProperty(container, key);
      for (const child of Object.values(container)) if (isContainer(child)) next.push(child);
    }
    level = next;
  }
};

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

const lookOf = (text: string): JsonError['looksLike'] => {
  if (/^\s*</.test(text)) return 'html';
  return /^\s*[[{"]/.test(text) && endsInside(text) ? 'truncated' : 'other';
};

/** Whether a string or a bracket is still open at the end. */
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
  other: 'is not JSON',
};
