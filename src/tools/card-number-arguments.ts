import { maskCardNumbers } from '../observability/card-numbers.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { FieldProblem } from './tool.ts';

/** The arguments that hold a payment card number: it must not travel through a model into any system. */
export const cardNumberProblems = (args: JsonObject): readonly FieldProblem[] =>
  Object.entries(args).flatMap(([field, value]) =>
    holdsCardNumber(value) ? [{ field, problem: 'must not hold a card number' }] : [],
  );

const holdsCardNumber = (value: Json): boolean => {
  if (typeof value === 'string') return value.length >= 13 && maskCardNumbers(value) !== value;
  if (typeof value === 'number') return Math.abs(value) >= 1e12 && maskCardNumbers(String(value)) !== String(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsCardNumber);
};
