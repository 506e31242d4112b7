import { InvalidArgumentError } from '../errors.ts';

/**
 * The idempotency key of one step of one phone call. Repeating the step, also in another process, repeats the key,
 * so the API does the work once. Throws `InvalidArgumentError` for an id that no header can carry.
 */
export const stepKey = (callId: string, step: string): string => {
  if (typeof callId !== 'string' || !fitsHeader.test(callId))
    throw new InvalidArgumentError('callId', 'must be 1 to 200 characters of Latin-1, and not begin with a space');
  return `${callId}:${step}`;
};

/** A key travels in a header, and has room for the step behind it. */
const fitsHeader = /^[!-~\u00a1-\u00ff][ -~\u00a0-\u00ff]{0,199}$/;
