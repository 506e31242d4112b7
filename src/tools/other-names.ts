import { inWords } from '../observability/redaction/secrets.ts';

/** A name that every provider takes: `get-order` becomes `get_order`, `2fa.check` becomes `check_2fa`… or `fallback`. */
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
