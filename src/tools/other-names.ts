import { inWords } from '../observability/redaction/secrets.ts';

/** A name that every provider takes: `get-order` becomes `get_order`. `fallback` begins one that would begin with a digit. */
export const otherNameOf = (name: string, fallback: string): string => {
  const words = inWords(name).replace(/^_+|_+$/g, '');
  return words === '' ? fallback : /^[a-z]/.test(words) ? words : `${fallback}_${words}`;
};

/** The name, with a number if it's taken. Takes it. */
export const uniqueName = (name: string, taken: Set<string>, longest: number): string => {
  let unique = name.slice(0, longest);
  for (let number = 2; taken.has(unique); number += 1) {
    const end = `_${number}`;
    unique = `${name.slice(0, longest - end.length)}${end}`;
  }
  taken.add(unique);
  return unique;
};

export const longestPropertyName = 64;
const propertyName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** The name of an argument that every provider takes: `filter[status]` becomes `filter_status`. */
export const propertyNameOf = (name: string): string => {
  const isForbidden = ['__proto__', 'constructor', 'prototype'].includes(name);
  if (propertyName.test(name) && !isForbidden) return name;
  return otherNameOf(isForbidden ? `${name}_value` : name, 'value');
};
