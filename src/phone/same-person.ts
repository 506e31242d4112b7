import { digitsIn, withUsualDigits } from './digits.ts';
import { isSamePhone } from './forms.ts';

/** The details by which a person was asked for; at least one. */
export interface AskedPerson {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * Returns whether a found record is certainly another person's: it shows a number or an address, and none that was asked
 * for. A search may ignore its condition, or find what is only similar.
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
  if (typeof value === 'string' || typeof value === 'number') return textsIn(String(value), name);
  if (typeof value !== 'object' || value === null || depth > 4) return [];
  if (Array.isArray(value)) return value.flatMap((item) => shownIn(item, name, depth + 1));
  // `{ system: 'phone', value: … }`
  const kinds = Object.entries(value).flatMap(([key, inner]) => (isKind.test(key) ? [String(inner)] : []));
  const within = [name, ...kinds].join(' ');
  const inside = Object.entries(value).flatMap(([key, inner]) => {
    if (notAWay.test(key) || others.test(key)) return [];
    const isReach = depth === 0 || typeof inner !== 'object' || reaches.test(key) || reaches.test(within);
    return isReach ? shownIn(inner, `${within} ${key}`, depth + 1) : [];
  });
  // `{ country_code: '1', area: '415', number: '5550100' }`
  return phoneName.test(name) ? [...inside, { name: '', text: Object.values(value).join(' ') }] : inside;
};

/** A text may list several, each perhaps with a word or a name before it: `Home: 555-0100, Work: 555-0199`. */
const textsIn = (text: string, name: string): readonly Shown[] =>
  text.length > longest
    ? []
    : text.split(/[,;|\n]|\s(?:\/|or|and)\s/).map((part) => ({
        name,
        text: part
          .replace(/^.*<([^<>]*)>.*$/, '$1')
          .replace(/^\s*[\p{L}\s]+:/u, '')
          .trim(),
      }));

/** No number and no address is longer. */
const longest = 254;

const isKind = /^(?:type|kind|system|channel|label)$/i;

/** Ids, moments and flags may look like numbers. */
const notAWay = /(?:^id|_id|Id|_at|_on|At|[dD]ate|verified|country|code|fax|extension|locale|zone)$/;

/** These people are others, and what was asked or was true once shows no one. */
const others =
  /manager|owner|agent|support|sales|assistant|referr|spouse|partner|emergency|previous|former|(?:^|_)old|last_?call|query|search|request|filter|note|comment|descri/i;

const reaches =
  /phone|mobile|cell|e-?mail|contact|person|profile|details|attributes|billing|address|channel|propert|data/i;

const phoneName = /phone|mobile|cell|msisdn|whatsapp|\btel(?:_|\b)/i;

const isNumber = ({ name, text }: Shown): boolean => {
  const plain = withUsualDigits(text);
  const digits = digitsIn(plain);
  if (/^(\d)\1*$/.test(digits) || !written.test(plain)) return false;
  return phoneName.test(name) ? digits.length >= 6 : plain.startsWith('+') && digits.length >= 10;
};

const written = /^[\d\s+().[\]/\u00b7\p{Pd}]{6,40}(?:\s*(?:ext\.?|x|#)\s*\d{1,7})?$/iu;

/** An address that's partly hidden shows nothing. */
const isAddress = ({ name, text }: Shown): boolean =>
  /mail|login|user_?name/i.test(name) && /^[^\s@*•]+@[^\s@*•]+$/.test(text);

/** Returns whether these digits are in a text, in this order, with anything between them. */
const hasDigits = (text: string, digits: string): boolean => {
  if (digits === '') return false;
  let found = 0;
  for (const sign of withUsualDigits(text)) if (sign === digits[found]) found += 1;
  return found === digits.length;
};
