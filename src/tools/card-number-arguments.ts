import { maskCardNumbers } from '../observability/card-numbers.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { FieldProblem } from './tool.ts';

/** The arguments that hold a payment card number: it must not travel through a model into any system. */
export const cardNumberProblems = (args: JsonObject): readonly FieldProblem[] =>
  Object.entries(args).flatMap(([field, value]) =>
    holdsCardNumber(value) ? [{ field, problem: 'must not hold a card number' }] : [],
  );

const holdsCardNumber = (value: Json): boolean => {
  if (typeof value === 'string') return value.length >= 13 && isMasked(asItIsRead(value));
  if (typeof value === 'number') return Math.abs(value) >= 1e12 && isMasked(String(value));
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsCardNumber);
};

const isMasked = (text: string) => maskCardNumbers(text) !== text;

/** Digits of any width, without what nobody sees, and with one kind of space: a number hides in none of them. */
const asItIsRead = (text: string): string =>
  plain.test(text)
    ? text
    : text
        .normalize('NFKC')
        .replace(/\p{Cf}/gu, '')
        .replace(/\s/g, ' ');

const plain = /^[\x20-\x7e]*$/;
