import { isSamePhone } from './forms.ts';

/** The details by which a person was asked for; at least one. */
export interface AskedPerson {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * Whether a record that a search gave is certainly another person's: it shows a number or an address, and none that was
 * asked for. A search may ignore its condition, or find what is only similar.
 * A record that shows neither of those that were asked for may be the person's: the API may keep them to itself.
 */
export const isOtherPerson = (record: object, { phone, email }: AskedPerson): boolean => {
  const shown = shownIn(record);
  if (phone && shown.some(({ text }) => isSamePhone(phone, text))) return false;
  if (email && shown.some(({ text }) => isSameEmail(email, text))) return false;
  const showsPhone = (one: Shown) => isNumber(one) || hasDigits(one.text, phone?.slice(-8) ?? '');
  return (!!phone && shown.some(showsPhone)) || (!!email && shown.some(isAddress));
};

/** Returns whether two texts are one address. */
export const isSameEmail = (email: string, other: string): boolean =>
  email.trim().toLowerCase() === other.trim().toLowerCase();

/** A text in a record, and the names that lead to it. */
interface Shown {
  readonly name: string;
  readonly text: string;
}

/** The texts of a record, also those in lists and in what it says about ways to reach the person. */
const shownIn = (value: unknown, name = '', depth = 0): readonly Shown[] => {
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    return text.length > longest ? [] : [{ name, text }];
  }
  if (typeof value !== 'object' || value === null || depth > 4) return [];
  if (Array.isArray(value)) return value.flatMap((item) => shownIn(item, name, depth + 1));
  return Object.entries(value).flatMap(([key, inner]) => {
    if (notTheirs.test(key)) return [];
    const isReach = depth === 0 || typeof inner !== 'object' || reaches.test(key) || reaches.test(name);
    return isReach ? shownIn(inner, `${name} ${key}`, depth + 1) : [];
  });
};

/** No number and no address is longer. */
const longest = 254;

/** Ids, moments and flags may look like numbers; these people are others. */
const notTheirs =
  /(?:^id|_id|Id|_at|_on|At|[dD]ate|verified|country|code|fax|extension|locale|zone)$|manager|owner|agent|support|sales|assistant|referr/;

const reaches =
  /phone|mobile|cell|e-?mail|contact|person|profile|details|attributes|billing|address|channel|propert|data/i;

const isNumber = ({ name, text }: Shown): boolean =>
  /phone|mobile|cell|msisdn|whatsapp|\btel(?:_|\b)/i.test(name) &&
  /^[\d\s+().[\]/\u00b7\p{Pd}]{6,40}(?:\s*(?:ext\.?|x|#)\s*\d{1,7})?$/iu.test(
    text.normalize('NFKC').replace(/^tel:/i, '').trim(),
  ) &&
  text.normalize('NFKC').replaceAll(/\D/g, '').length >= 6;

/** An address that's partly hidden shows nothing. */
const isAddress = ({ name, text }: Shown): boolean =>
  /e-?mail/i.test(name) && /^[^\s@*•]+@[^\s@*•]+$/.test(text.trim());

/** Returns whether these digits are in a text, in this order, with anything between them. */
const hasDigits = (text: string, digits: string): boolean => {
  if (digits === '') return false;
  let found = 0;
  for (const sign of text) if (sign === digits[found]) found += 1;
  return found === digits.length;
};
