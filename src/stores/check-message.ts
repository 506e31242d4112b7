import { InvalidArgumentError } from '../errors.ts';
import type { ConsumeOptions, QueuedMessage } from '../ports/message-queue.ts';

/** Throws `InvalidArgumentError` for what no queue can store. */
export const checkMessage = ({ id, group, payload, dueAt }: QueuedMessage): void => {
  if (typeof id !== 'string' || id === '') throw new InvalidArgumentError('id', 'must be a text that is not empty');
  if (typeof group !== 'string' || group === '')
    throw new InvalidArgumentError('group', 'must be a text that is not empty');
  if (dueAt !== undefined && !Number.isFinite(dueAt))
    throw new InvalidArgumentError('dueAt', 'must be a moment in milliseconds since 1970');
  const text: string | undefined = JSON.stringify(payload);
  if (text === undefined) throw new InvalidArgumentError('payload', 'must be something that JSON can hold');
};

/** Throws `InvalidArgumentError` for numbers that no consumer can work with. */
export const checkConsumeOptions = ({ groups, leaseMs, maximumAttempts }: ConsumeOptions): void => {
  const whole = { ...groups, maximumAttempts };
  for (const [field, value] of Object.entries(whole)) {
    if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError(field, 'must be a whole number above 0');
  }
  if (!(leaseMs > 0 && leaseMs < Number.POSITIVE_INFINITY))
    throw new InvalidArgumentError('leaseMs', 'must be a number of milliseconds above 0');
};
