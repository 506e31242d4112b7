import { InvalidArgumentError } from '../../core/errors.ts';
import type { SearchQuery } from '../search.ts';

/**
 * A query in the words of Zendesk's search, in which conditions about different keywords must all be fulfilled.
 * Throws `InvalidArgumentError` for what it can't say.
 * Source: Zendesk Support search reference.
 */
export const zendeskQuery = (
  operation: string,
  query: SearchQuery,
  phoneFormats: (phone: string) => readonly string[],
): string => {
  if ('all' in query) return query.all.map((part) => zendeskQuery(operation, part, phoneFormats)).join(' ');
  if ('any' in query)
    throw new InvalidArgumentError('any', "isn't known to Zendesk: search once for each", { operation });
  const { field, operator, value } = query;
  const keyword = field === 'contact_ids' ? 'requester' : field;
  if (!/^[a-z]\w*$/i.test(keyword))
    throw new InvalidArgumentError('field', 'must be a keyword of the search, such as email', { operation });
  const sign = Object.hasOwn(signs, operator) ? signs[operator] : undefined;
  if (sign === undefined || typeof value === 'object')
    throw new InvalidArgumentError('operator', 'must be =, !=, <, >, <= or >=, with one value', { operation });
  const text = String(value);
  if (keyword === 'phone' && operator === '=') return `phone:*${commonEnd(digitsOf([text, ...phoneFormats(text)]))}`;
  return `${operator === '!=' ? '-' : ''}${keyword}${sign}${/^\d+$/.test(text) ? text : phrase(text)}`;
};

const signs: Readonly<Record<string, string>> = { '=': ':', '!=': ':', '<': '<', '>': '>', '<=': '<=', '>=': '>=' };

/** Only a quote could end a phrase, a backslash could change the next sign, and a star matches anything. */
const phrase = (text: string): string => `"${text.replaceAll(/["“”\\*\p{Cc}]/gu, ' ').trim()}"`;

const digitsOf = (texts: readonly string[]): readonly string[] => texts.map((text) => text.replaceAll(/\D/g, ''));

/**
 * The digits in which all ways to write a number end. With a star before them, Zendesk finds each of these ways.
 * Source: developer.zendesk.com, "Retrieving the Zendesk user id of a caller".
 */
const commonEnd = ([first = '', ...others]: readonly string[]): string => {
  const lengths = Array.from({ length: first.length }, (_, index) => first.length - index);
  const longest = lengths.find((length) => others.every((other) => other.endsWith(first.slice(-length))));
  return longest !== undefined && longest >= fewestDigits ? first.slice(-longest) : first;
};

/** Fewer would find too many people. */
const fewestDigits = 6;
