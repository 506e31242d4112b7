import { deadlineIn } from '../http/deadline.ts';
import type { RequestOptions } from '../http/operation.ts';

/** What may be said about all the requests of one step. */
export interface StepOptions extends Pick<RequestOptions, 'signal' | 'attemptTimeoutMs' | 'lane'> {
  /**
   * The time of the whole step: its requests share it. A number is milliseconds from now.
   * @defaultValue each operation has the default of its client
   */
  readonly deadline?: RequestOptions['deadline'];
}

/** The options of the step's requests; every event they cause carries the phone call's id. */
export const requestOptions = (callId: string, options: StepOptions): RequestOptions => ({
  callId,
  deadline: typeof options.deadline === 'number' ? deadlineIn(options.deadline) : options.deadline,
  signal: options.signal,
  attemptTimeoutMs: options.attemptTimeoutMs,
  lane: options.lane,
});
