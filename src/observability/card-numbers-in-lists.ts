import { maskCardNumbersOver } from './card-numbers.ts';

/**
 * Masks card numbers that are in pieces over the texts of a list, such as the turns of a transcript. Fields for which `isId`
 * is true stay, and so does everything that isn't in a list.
 */
export const maskCardNumbersInLists = (value: unknown, isId: (name: string) => boolean): unknown => {
  if (!Array.isArray(value)) return mapFields(value, (inner) => maskCardNumbersInLists(inner, isId));
  const texts = textsIn(value, isId);
  const masked = maskCardNumbersOver(texts);
  if (masked.every((text, index) => text === texts[index])) return value;
  let next = 0;
  const replace = (inner: unknown, name: string): unknown => {
    if (typeof inner === 'string') return isId(name) ? inner : masked[next++];
    return Array.isArray(inner) ? inner.map((item) => replace(item, name)) : mapFields(inner, replace);
  };
  return replace(value, '');
};

/** All texts in a value, in its order; numbers too with `withNumbers`. */
export const textsIn = (
  value: unknown,
  isId: (name: string) => boolean = () => false,
  withNumbers = false,
  name = '',
): readonly string[] => {
  if (typeof value === 'string') return isId(name) ? [] : [value];
  if (typeof value === 'number') return withNumbers ? [String(value)] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, isId, withNumbers, name));
  return Object.entries(value).flatMap(([field, inner]) => textsIn(inner, isId, withNumbers, field));
};

const mapFields = (value: unknown, map: (inner: unknown, name: string) => unknown): unknown => {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, map(inner, name)]));
};
