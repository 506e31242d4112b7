import { InvalidArgumentError } from '../errors.ts';

/**
 * The idempotency key of one step of one phone call. Repeating the step, also in another process, repeats the key,
 * so the API does the work once.
 */
export const stepKey = (callId: string, step: string): string => {
  if (typeof callId !== 'string' || callId.trim() === '') {
    throw new InvalidArgumentError('callId', 'must be the id of the phone call');
  }
  return `${callId}:${step}`;
};
