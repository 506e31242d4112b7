import type { Clock } from '../clock.ts';
import { deadlineIn } from './deadline.ts';
import type { RequestOptions } from './operation.ts';

/**
 * Makes one budget of what a caller allows, for a method that sends several requests: together they take no longer than
 * one would. A number that is no budget is left for the request to refuse.
 */
export const shareDeadline = (
  call: RequestOptions = {},
  { deadlineMs = 8_000, clock }: { readonly deadlineMs?: number | undefined; readonly clock: Clock },
): RequestOptions => {
  const { deadline = deadlineMs } = call;
  return typeof deadline === 'number' && deadline > 0 ? { ...call, deadline: deadlineIn(deadline, { clock }) } : call;
};
