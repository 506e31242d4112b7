import { endInWord } from '../phone-call/steps/take-payment.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { WorkOutcome } from './tool.ts';

/** How a payment ended, and what the application should know of it. */
export interface ReadOutcome {
  readonly outcome: WorkOutcome;
  readonly problem?: { readonly error: unknown } | undefined;
}

/**
 * Reads how a payment ended from what its tool returned, where the tool has no `outcome`. Only what says nothing against
 * it is `done`: the same payment would be "already paid" from then on.
 */
export const outcomeIn = (tool: string, result: unknown): ReadOutcome => {
  const { success, ok, status, outcome }: { readonly [name: string]: unknown } = Object(result);
  const end = typeof status === 'string' ? endInWord(status) : undefined;
  if (end === 'refused' || (success === false && (outcome === 'rejected' || outcome === 'not_sent')))
    return { outcome: 'refused' };
  if (end === 'pending') return { outcome: 'unknown' };
  if (success !== false && ok !== false && !(result instanceof Error)) return { outcome: 'done' };
  const isKnown = outcome === 'unknown';
  return { outcome: 'unknown', problem: isKnown ? undefined : { error: missingOutcome(tool, result) } };
};

const missingOutcome = (tool: string, result: unknown) =>
  new InvalidArgumentError(
    'outcome',
    `of ${tool} is needed, since its run returned a failure: say if the money can have moved, or return refused(…)`,
    { cause: result instanceof Error ? result : undefined },
  );
