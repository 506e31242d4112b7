import { maskPersonalData } from './personal-data.ts';

/**
 * Returns a body for the log: its fields, numbers, flags and dates. Texts stay only in fields that are named as ids,
 * kinds or states, with personal data masked. Every other text becomes `[text]`, and so does a reason that is a
 * sentence, and a long text. A number of ten digits and more stays if its name says that it is a time or an id. Long
 * lists, deep nesting and large bodies are cut.
 */
export const sanitizeBody = (body: unknown): unknown => sanitize(body, '', 0, { left: maximumValues });

const maximumValues = 200;
const maximumDepth = 8;
const maximumItems = 10;
const maximumText = 100;

/** Shared by the whole body. */
interface Budget {
  left: number;
}

const sanitize = (value: unknown, name: string, depth: number, budget: Budget): unknown => {
  budget.left -= 1;
  if (budget.left < 0) return '[cut]';
  if (typeof value === 'string') return sanitizeText(value, name);
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? maskNumber(value, name) : value;
  if (depth >= maximumDepth) return '[cut]';
  if (Array.isArray(value)) {
    const kept = value.slice(0, maximumItems).map((item) => sanitize(item, name, depth + 1, budget));
    return value.length > maximumItems ? [...kept, `[${value.length - maximumItems} more]`] : kept;
  }
  const fields = Object.entries(value).slice(0, Math.max(0, budget.left));
  return Object.fromEntries(
    fields.map(([field, inner]) => [
      maskPersonalData(field).slice(0, maximumText),
      sanitize(inner, field, depth + 1, budget),
    ]),
  );
};

const sanitizeText = (text: string, name: string): string => {
  if (text === '') return text;
  if (text.length > maximumText || (!isDescriptive(name) && !isDate(text))) return '[text]';
  if (/\s/.test(text) && /reason$/i.test(name)) return '[text]';
  return maskPersonalData(text);
};

const isDescriptive = (name: string): boolean =>
  /(?:^|_)(?:id|type|topic|event|status|state|version|currency|direction|outcome|kind|reason|code)$/i.test(name) ||
  /[a-z](?:Id|Type|Status|State|Version)$/.test(name);

const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2}))?$/.test(text);

/** A card number or a phone number may be written as a number too. */
const maskNumber = (value: number, name: string): number | string => {
  if (Math.abs(value) < 1e9) return value;
  return Math.abs(value) < 1e14 && (isDescriptive(name) || isTime(name)) ? value : '[number]';
};

const isTime = (name: string): boolean =>
  /(?:^|_)(?:at|time|timestamp|date|ts|created|updated)$|[a-z](?:At|Time)$/i.test(name);
