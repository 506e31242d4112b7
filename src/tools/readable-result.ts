import { maskCardNumbers } from '../observability/redaction/card-numbers.ts';
import { isPersonalName, maskEmails, maskPhones } from '../observability/redaction/personal-data.ts';
import { inWords, isSecretName, maskSecretLooks } from '../observability/redaction/secrets.ts';
import type { Tool } from './tool.ts';

/** Gives each tool a readable result. One tool shows the ids that the others take. */
export const withReadableResults = (tools: readonly Tool[]): readonly Tool[] => {
  const argumentNames = new Set(tools.flatMap(({ parameters }) => Object.keys(parameters.properties).map(inWords)));
  return tools.map((tool) => {
    const { compact = (result) => readableResult(result, { argumentNames, keeps: tool.keeps }) } = tool.options;
    return { ...tool, options: { ...tool.options, compact } };
  });
};

export interface ReadableResultOptions {
  /** The arguments of all tools in snake case: an id is worth telling if a tool takes it. */
  readonly argumentNames: ReadonlySet<string>;
  /** The same of the tools that this one works with, at every depth. Addresses that they take stay too. */
  readonly keeps?: ReadonlySet<string> | undefined;
}

/**
 * Makes a tool's result readable for a model, if the tool has no `compact`. Nested objects become fields such as
 * `plan_name`, codes such as `PAST_DUE` words, and times in seconds dates. Personal data, secrets, links, empty fields,
 * and ids that no tool takes are left out. Lists stay lists; they are cut and counted later.
 */
export const readableResult = (result: unknown, { argumentNames, keeps }: ReadableResultOptions): unknown => {
  let valuesLeft = mostValues;
  const takesIds = [...argumentNames, ...(keeps ?? [])].some((name) => idName.test(name));
  const keptKinds = new Set([...(keeps ?? [])].flatMap((name) => addressName.exec(name)?.[1] ?? []));

  /** Returns whether another tool takes this address, by its kind, or this id. */
  const isKept = (words: string, path: string): boolean => {
    if (!keeps || isSecretName(words)) return false;
    if (!idName.test(words)) return keptKinds.has(addressName.exec(words)?.[1] ?? '');
    // A tax id isn't any id.
    if (isPersonalName(words)) return keeps.has(words);
    return [words, path, `${words}s`, 'id', 'ids'].some((name) => keeps.has(name));
  };

  const isLeftOut = (name: string, path: string, value: unknown): boolean => {
    if (value === null || value === undefined || value === '' || typeof value === 'function') return true;
    if (typeof value === 'boolean') return false;
    const words = inWords(name);
    if (isKept(words, inWords(path))) return false;
    if (isPersonalName(name) || isSecretName(name) || irrelevantName.test(name)) return true;
    if (idName.test(words)) return !argumentNames.has(inWords(path)) && !(words === 'id' && takesIds);
    return typeof value === 'string' && opaqueId.test(value) && !argumentNames.has(words) && !keeps?.has(words);
  };

  const read = (value: unknown, name: string, depth: number): unknown => {
    if (typeof value === 'string') return isId(name) ? value : readableText(value, keeps && keptKinds);
    if (typeof value === 'number') return readableNumber(value, name);
    if (depth > deepest) return undefined;
    if (Array.isArray(value)) return readList(value, name, depth);
    if (!isPlainObject(value)) return value;
    const fields: Record<string, unknown> = {};
    addFields(fields, value, '', depth + 1);
    return fields;
  };

  /** A list that's too long to be read whole is cut: it's cut to a few entries later. */
  const readList = (list: readonly unknown[], name: string, depth: number): unknown[] => {
    const items: unknown[] = [];
    for (const item of list) {
      valuesLeft -= 1;
      if (valuesLeft < 0) break;
      const readable = read(item, name, depth + 1);
      if (!isEmpty(readable)) items.push(readable);
    }
    return items;
  };

  const addFields = (fields: Record<string, unknown>, object: object, prefix: string, depth: number): void => {
    if (depth > deepest) return;
    for (const [name, value] of Object.entries(object).slice(0, mostFields)) {
      valuesLeft -= 1;
      if (valuesLeft < 0) return;
      const path = prefix === '' || prefix === name ? name : `${prefix}_${name}`;
      if (isLeftOut(name, path, value)) continue;
      if (isPlainObject(value)) {
        addFields(fields, value, wrapper.test(name) ? prefix : path, depth + 1);
        continue;
      }
      const readable = read(value, name, depth);
      if (isEmpty(readable) || Object.hasOwn(fields, path) || path === '__proto__') continue;
      fields[path] = readable;
      if (valuesLeft < 0 && Array.isArray(value)) fields[`${path}_count`] = value.length;
    }
  };

  return read(result, '', 0);
};

const deepest = 8;
const mostFields = 60;

/** No result that a model could use has more fields and entries in all. */
const mostValues = 50_000;

const idName = /(?:^|_)(?:ids?|uuid|guid)$/;

/** Returns whether a field or an argument in snake case is an id. */
export const isIdName = (words: string): boolean => idName.test(words);

/** The kind of an address is the last word of its name. */
const addressName = /(?:^|_)(email|phone|ur[il]|path)$/;

const isId = (name: string): boolean => idName.test(inWords(name));

/** A UUID, or a long number in hexadecimal. */
const opaqueId = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{24,})$/i;

/** For programs: links, and what begins with a sign. */
const irrelevantName = /^(?:[_@$].*|links?|href|self|etag)$/i;

/** Objects that only wrap others; their names say nothing. */
const wrapper = /^(?:attributes|body|data|fields|payload|properties|response|result|value)$/i;

/** Dates and the like write themselves. */
const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('toJSON' in value);

const isEmpty = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === '' || (isPlainObject(value) && Object.keys(value).length === 0);
};

/** `kept`: the kinds of addresses that other tools take. They may take codes too. */
const readableText = (text: string, kept: ReadonlySet<string> | undefined): string => {
  if (!kept && isCode.test(text)) return text.toLowerCase().replaceAll('_', ' ');
  const masked = maskCardNumbers(maskSecretLooks(text.slice(0, 5_000)));
  const withoutPhones = kept?.has('phone') ? masked : maskPhones(masked);
  return kept?.has('email') ? withoutPhones : maskEmails(withoutPhones);
};

/** `PAST_DUE` and `past_due`; ids such as `cus_70` have digits. */
const isCode = /^(?:[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:_[a-z]+)+)$/;

const readableNumber = (value: number, name: string): number | string => {
  const masked = Math.abs(value) < shortestCardNumber ? '' : maskCardNumbers(String(value));
  if (masked.includes('*')) return masked;
  if (!isTime.test(inWords(name)) || !Number.isInteger(value)) return value;
  if (value > 1e9 && value < 1e10) return new Date(value * 1000).toISOString();
  return value > 1e12 && value < 1e13 ? new Date(value).toISOString() : value;
};

/** The smallest number of 13 digits. */
const shortestCardNumber = 1e12;

const isTime = /(?:^|_)(?:at|on|date|time|timestamp|since|until|start|end)$/;
