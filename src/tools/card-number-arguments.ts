import { maskCardNumbers } from '../observability/card-numbers.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { FieldProblem } from './tool.ts';

/** The arguments that hold a payment card number: it must not travel through a model into any system. */
export const cardNumberProblems = (args: JsonObject): readonly FieldProblem[] =>
  Object.entries(args).flatMap(([field, value]) =>
    holdsCardNumber(value) ? [{ field, problem: 'must not hold a card number' }] : [],
  );

const holdsCardNumber = (value: Json): boolean => {
  if (typeof value === 'string') return isMasked(value);
  if (typeof value === 'number') return Math.abs(value) >= 1e12 && isMasked(String(value));
  if (typeof value !== 'object' || value === null) return false;
  // A list may hold it in pieces.
  const isInPieces = Array.isArray(value) && isMasked(value.filter(isPiece).join(' '));
  return isInPieces || Object.values(value).some(holdsCardNumber);
};

const isPiece = (value: Json): boolean => typeof value === 'string' || typeof value === 'number';

const isMasked = (text: string) => maskCardNumbers(text) !== text;
