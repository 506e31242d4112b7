import type { Json, JsonObject } from '../stores/ports/json.ts';

/** The budget of a result. */
export interface ResultBudget {
  /** Characters of the line of JSON; three are about one token. At most 1200. A failure may always have 500. @defaultValue 600 */
  readonly maxChars?: number | undefined;
  /** Counts tokens exactly; each is taken for three characters. @defaultValue none, characters are counted */
  readonly countTokens?: ((text: string) => number) | undefined;
}

interface CompactOptions extends ResultBudget {
  /** Takes out of each text what the model must not see, before the text is cut. */
  readonly mask?: ((text: string) => string) | undefined;
}

/** A result as data and as the line that a provider is sent. */
export interface CompactResult {
  readonly value: Json;
  readonly text: string;
}

/** No one listens to more than this, and four hundred tokens are enough for everything. */
const longestResult = 1200;

/** The most entries of a list that a model gets; people can't remember more on the phone. */
export const topEntries = 5;

/**
 * Turns the result of a tool into one line of valid JSON within the budget. Lists are cut to their first five entries
 * and counted, texts are cleaned and clipped. Ids stay whole, or their entry is left out; numbers lose the noise of
 * floating point. If it's still too long, texts and lists become shorter. Then the last fields go, and `truncated` says
 * so.
 */
export const compact = (result: unknown, { maxChars = 600, countTokens, mask }: CompactOptions = {}): CompactResult => {
  const budget = Math.min(maxChars, longestResult);
  const fits = (text: string) => (countTokens ? countTokens(text) * charactersPerToken : text.length) <= budget;
  let shaped: Json = null;
  for (const size of sizes) {
    shaped = shape(result, size, mask);
    const text = JSON.stringify(shaped);
    if (fits(text)) return { value: shaped, text };
  }
  return withoutLastFields(shaped, fits);
};

/**
 * Only these fields of a record, those that it has; a field that is `null` counts as absent.
 *
 * @example
 * compact: (booking) => pick(booking, ['id', 'starts_at']),
 */
export const pick = <Name extends string>(
  record: { readonly [name in Name]?: unknown } | undefined | null,
  names: readonly Name[],
): { readonly [name in Name]?: unknown } => {
  const picked: { [name in Name]?: unknown } = {};
  for (const name of names) {
    const value = record?.[name];
    if (value !== undefined && value !== null) picked[name] = value;
  }
  return picked;
};

const charactersPerToken = 3;

interface Size {
  readonly textLength: number;
  readonly listLength: number;
}

const sizes: readonly Size[] = [
  { textLength: 300, listLength: topEntries },
  { textLength: 160, listLength: topEntries },
  { textLength: 80, listLength: 3 },
  { textLength: 40, listLength: 2 },
  { textLength: 20, listLength: 1 },
];

/** Fields by which a model asks for something again. They're given whole, or not at all. */
const idName = /(?:^|_)id$|Id$|^confirmation_(?:number|token)$/;
const longestId = 300;

/** Cuts only text that would be cut anyway. */
const longestToMask = 5_000;

const deepest = 6;
const mostFields = 40;
const mostValues = 400;

const shape = (result: unknown, size: Size, mask: CompactOptions['mask']): Json => {
  let valuesLeft = mostValues;

  const toJson = (raw: unknown, depth: number, textLength = size.textLength): Json | undefined => {
    const value = typeof raw === 'object' && hasToJson(raw) ? raw.toJSON() : raw;
    valuesLeft -= 1;
    if (valuesLeft < 0) return undefined;
    switch (typeof value) {
      case 'string':
        return textForModels(mask ? mask(value.slice(0, longestToMask)) : value, textLength);
      case 'number':
        return Number.isFinite(value) ? withoutNoise(value) : null;
      case 'bigint':
        return String(value);
      case 'boolean':
        return value;
      case 'object':
        if (value === null) return null;
        if (depth > deepest) return undefined;
        return Array.isArray(value) ? listToJson(value, depth) : objectToJson(value, depth);
      default:
        return undefined;
    }
  };

  const listToJson = (list: readonly unknown[], depth: number): Json => {
    const items: Json[] = [];
    for (const item of list.slice(0, size.listLength)) {
      const json = toJson(item, depth + 1);
      if (json !== undefined) items.push(json);
    }
    return items;
  };

  const objectToJson = (object: object, depth: number): JsonObject | undefined => {
    const fields: Record<string, Json> = {};
    for (const rawName of Object.keys(object).slice(0, mostFields)) {
      const value: unknown = (object as Record<string, unknown>)[rawName];
      const isId = idName.test(rawName);
      // An entry with half an id is worse than none: what a model does with it would be refused.
      if (isId && typeof value === 'string' && value.length > longestId) {
        if (depth > 0) return undefined;
        continue;
      }
      const json = toJson(value, depth + 1, isId ? longestId : size.textLength);
      const name = textForModels(rawName, 64);
      // Assigned, it would be no field of the result.
      if (json === undefined || name === '__proto__') continue;
      fields[name] = json;
      const isCut = Array.isArray(value) && value.length > size.listLength;
      if (isCut && !(`${name}_count` in object)) fields[`${name}_count`] = value.length;
    }
    return fields;
  };

  const isLongList = Array.isArray(result) && result.length > size.listLength;
  return toJson(isLongList ? { items: result } : result, 0) ?? null;
};

const hasToJson = (value: object | null): value is { toJSON: () => unknown } =>
  value !== null && 'toJSON' in value && typeof value.toJSON === 'function';

/** 0.1 + 0.2 is read out as 0.3, and there is one zero. */
const withoutNoise = (value: number) => {
  if (Number.isInteger(value)) return value || 0;
  // Most are money, and the way over text is slow.
  return Math.round(value * 100) / 100 === value ? value : Number(value.toPrecision(12));
};

const withoutLastFields = (value: Json, fits: (text: string) => boolean): CompactResult => {
  const fields = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  for (let kept = fields.length - 1; kept > 0; kept -= 1) {
    const rest = { ...Object.fromEntries(fields.slice(0, kept)), truncated: true };
    const text = JSON.stringify(rest);
    if (fits(text)) return { value: rest, text };
  }
  return { value: { truncated: true }, text: '{"truncated":true}' };
};

/**
 * Makes text from elsewhere safe for a prompt: one line of at most `maximumLength` UTF-16 units. Removes control
 * characters, and characters that hide text or turn its direction.
 */
export const textForModels = (text: string, maximumLength: number): string => {
  if (text.length <= maximumLength && !needsCleaning.test(text)) return text;
  // What is far beyond the limit is not worth cleaning.
  const clean = text
    .slice(0, maximumLength * 4)
    .toWellFormed()
    .replace(invisible, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return clean.length <= maximumLength ? clean : `${cut(clean, maximumLength - 1)}…`;
};

/** Most texts are plain ASCII on one line. */
const needsCleaning = /[^\x20-\x7e]| {2}|^ | $/;

/** Format characters: bidirectional marks and isolates, zero-width ones, tags (U+E0000), soft hyphens. */
const invisible = /[\p{Cf}\p{Co}]/gu;

/** Never through a character. */
const cut = (text: string, length: number) =>
  text.slice(0, (text.charCodeAt(length - 1) & 0xfc00) === 0xd800 ? length - 1 : length).trimEnd();
