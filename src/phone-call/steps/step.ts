import { hash } from 'node:crypto';
import { InvalidArgumentError } from '../../core/errors.ts';
import { deadlineIn } from '../../http/deadline.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { assertCallId } from './call-id.ts';

/** The limits of all requests of one step. */
export interface StepOptions extends Pick<RequestOptions, 'signal' | 'attemptTimeoutMs' | 'lane'> {
  /**
   * The time of the whole step: its requests share it. A number is milliseconds from now.
   * @defaultValue each operation has the default of its client
   */
  readonly deadline?: RequestOptions['deadline'] | undefined;
}

/** The options of the step's requests; every event they cause carries the phone call's id. */
export const requestOptions = (callId: string, options: StepOptions): RequestOptions => ({
  callId,
  deadline: typeof options.deadline === 'number' ? deadlineIn(options.deadline) : options.deadline,
  signal: options.signal,
  attemptTimeoutMs: options.attemptTimeoutMs,
  lane: options.lane,
});

/**
 * The idempotency key of one step of one phone call. Repeating the step, also in another process, repeats the key,
 * so the API does the work once. Throws `InvalidArgumentError` for an id that is none, or that no header can carry.
 */
export const stepKey = (callId: string, step: string): string => {
  assertCallId(callId);
  if (!fitsKey(callId))
    throw new InvalidArgumentError('callId', 'must be 1 to 200 characters of Latin-1, and not begin with a space');
  return `${callId}:${step}`;
};

/** A key travels in a header, and has room for the step after it. */
export const fitsKey = (callId: string): boolean => fitsHeader.test(callId);

const fitsHeader = /^[!-~\u00a1-\u00ff][ -~\u00a0-\u00ff]{0,199}$/;

/** 32 hexadecimal digits for a key: they identify a value without showing it. The order of fields counts. */
export const digest = (value: unknown): string => hash('sha256', JSON.stringify(value), 'hex').slice(0, 32);
