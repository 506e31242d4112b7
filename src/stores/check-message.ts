import { InvalidArgumentError } from '../errors.ts';
import type { ConsumeOptions, QueuedMessage } from '../ports/message-queue.ts';

/** Throws `InvalidArgumentError` for what no queue can store. */
export const checkMessage = ({ id, group, payload, dueAt }: QueuedMessage): void => {
  assertName('id', id);
  assertName('group', group);
  if (dueAt !== undefined && !Number.isFinite(dueAt))
    throw new InvalidArgumentError('dueAt', 'must be a moment in milliseconds since 1970');
  const text: string | undefined = JSON.stringify(payload);
  if (text === undefined) throw new InvalidArgumentError('payload', 'must be something that JSON can hold');
};

/** Throws `InvalidArgumentError` for numbers that no consumer can work with. */
export const checkConsumeOptions = ({ groups, leaseMs, maximumAttempts }: ConsumeOptions): void => {
  for (const group of Object.keys(groups)) assertName('group', group);
  const whole = { ...groups, maximumAttempts };
  for (const [field, value] of Object.entries(whole)) {
    if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError(field, 'must be a whole number above 0');
  }
  if (!(leaseMs > 0 && leaseMs < Number.POSITIVE_INFINITY))
    throw new InvalidArgumentError('leaseMs', 'must be a number of milliseconds above 0');
};

const assertName = (field: string, name: string): void => {
  if (typeof name !== 'string' || name === '')
    throw new InvalidArgumentError(field, 'must be a text that is not empty');
  // A server would keep another text, or none.
  if (!name.isWellFormed()) throw new InvalidArgumentError(field, 'must be well-formed Unicode');
};
