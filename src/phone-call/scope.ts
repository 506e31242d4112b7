import type { StepOptions } from './steps/step.ts';
import { type LeadOptions, openLeadWays } from './steps/qualify-lead.ts';
import { lanes } from '../stores/ports/rate-limiter.ts';
import { assertSpelled, checkOptions, oneOf } from '../core/option-checks.ts';
import { withoutUndefined } from '../core/without-undefined.ts';
import { type Deadline, deadlineIn } from '../http/deadline.ts';
import { stepOptionNames } from './names.ts';

/** What bounds a turn. */
export interface Scope {
  readonly deadline?: Deadline | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Puts the options of a step under a turn: its signal ends the step whatever else does, and no step outlives it.
 * Options that are `undefined` are taken for left out.
 */
export const createScope =
  (turn: Scope) =>
  <Options extends StepOptions>(options: Partial<Options> = {}): Partial<Options> & Scope => {
    assertSpelled(options, stepOptionNames);
    const { deadline, signal, lane, onOpenLead }: Partial<StepOptions & LeadOptions> = options;
    checkOptions(undefined, [oneOf(lane, 'lane', lanes), oneOf(onOpenLead, 'onOpenLead', openLeadWays)]);
    const own = typeof deadline === 'number' ? deadlineIn(deadline) : deadline;
    return {
      ...withoutUndefined(options),
      ...withoutUndefined({ deadline: earlier(own, turn.deadline), signal: either(signal, turn.signal) }),
    };
  };

const earlier = (one: Deadline | undefined, other: Deadline | undefined): Deadline | undefined => {
  if (!one || !other) return one ?? other;
  return {
    budgetMs: Math.min(one.budgetMs, other.budgetMs),
    remainingMs: () => Math.min(one.remainingMs(), other.remainingMs()),
  };
};

const either = (one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined =>
  one && other ? AbortSignal.any([one, other]) : (one ?? other);
