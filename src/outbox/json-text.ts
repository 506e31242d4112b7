import { InvalidArgumentError } from '../errors.ts';

/** A value as JSON. Throws `InvalidArgumentError` for one that JSON can't hold: a cycle, a BigInt, a `toJSON` that throws. */
export const jsonText = (field: string, value: unknown): string => {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  throw new InvalidArgumentError(
    field,
    'must be something that JSON can hold: no cycle, no BigInt, no function, and no toJSON that throws',
    { operation: 'outbox.publish', cause },
  );
};
