import { isSafeToRepeat } from '../../core/errors.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { stepKey } from './step.ts';

/** The end of one part of a step that has several. */
export type StepReport<Step extends string = string> = DoneStep<Step> | FailedStep<Step> | SkippedStep<Step>;

/** A part that is done, now or by an earlier try. */
export interface DoneStep<Step extends string = string> {
  readonly step: Step;
  readonly status: 'done';
  /** The id of the record, if the API returns one. */
  readonly id?: string | undefined;
}

/** A part that was tried and is not known to be done. */
export interface FailedStep<Step extends string = string> {
  readonly step: Step;
  readonly status: 'failed';
  /** The client's error; its `outcome` says whether it may have happened all the same. */
  readonly error: Error;
}

/** A part that was not tried. */
export interface SkippedStep<Step extends string = string> {
  readonly step: Step;
  readonly status: 'skipped';
  /**
   * `not_asked`: there is nothing to do. `kept_for_finish`: this CRM can't change a Task, and `finish` writes it.
   * `may_be_done`: an earlier try may have done it, and trying again could do it
   * twice. `ambiguous_contact`: several contacts match, and what was said must not reach the wrong one. `needs_…`: it
   * can't be done without that, often because another part failed.
   */
  readonly reason:
    | 'not_asked'
    | 'kept_for_finish'
    | 'may_be_done'
    | 'ambiguous_contact'
    | 'needs_phone_or_email'
    | 'needs_contact'
    | 'needs_conversation'
    | 'needs_messaging'
    | 'needs_crm';
}

/** Runs one part and reports it: a failure becomes data, so that the other parts go on. */
export const reportStep = async <Step extends string>(
  step: Step,
  work: () => Promise<string | undefined>,
): Promise<DoneStep<Step> | FailedStep<Step>> => {
  try {
    return done(step, await work());
  } catch (error) {
    return { step, status: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  }
};

export const done = <Step extends string>(step: Step, id?: string): DoneStep<Step> => ({ step, status: 'done', id });

export const skipped = <Step extends string>(step: Step, reason: SkippedStep['reason']): SkippedStep<Step> => ({
  step,
  status: 'skipped',
  reason,
});

export const isDone = <Step extends string>(report: StepReport<Step>): report is DoneStep<Step> =>
  report.status === 'done';

/** Done, or nothing to do now: also when the client that it takes is not configured. */
export const isSettled = (report: StepReport): boolean =>
  isDone(report) || (report.status === 'skipped' && nothingToDo.has(report.reason));

const nothingToDo = new Set<SkippedStep['reason']>(['not_asked', 'kept_for_finish', 'needs_messaging', 'needs_crm']);

/** The parts that must not be tried again: they may be done, and the API would not know that they repeat. */
export const stepsThatMayBeDone = (steps: readonly StepReport[]): readonly string[] =>
  steps.flatMap((report) => {
    if (report.status === 'failed') return isSafeToRepeat(report.error) ? [] : [report.step];
    return report.status === 'skipped' && report.reason === 'may_be_done' ? [report.step] : [];
  });

/** The earlier tries of the same work. */
export interface EarlierTries {
  /** The `done` reports of their results. These parts are not done again. */
  readonly done?: readonly DoneStep[] | undefined;
  /** Failed parts that may be done, at an API that knows no keys. They aren't tried again. */
  readonly mayBeDone?: readonly string[] | undefined;
}

/** The options of one part's requests, with its idempotency key. */
export type KeyedRequestOptions = RequestOptions & { readonly idempotencyKey: string };

/** Runs one part of a phone call's work and reports it. `work` gets the part's idempotency key. */
export type StepRunner = <Step extends string>(
  step: Step,
  work: (call: KeyedRequestOptions) => Promise<string | undefined>,
) => Promise<StepReport<Step>>;

/** Parts that an earlier try has done, or may have done, are reported and not run. */
export const createStepRunner = (
  callId: string,
  { done: earlier = [], mayBeDone = [] }: EarlierTries,
  call: RequestOptions,
): StepRunner => {
  const before = new Map(earlier.map((report) => [report.step, report]));
  return async (step, work) => {
    if (mayBeDone.includes(step)) return skipped(step, 'may_be_done');
    const report = before.get(step);
    return report
      ? done(step, report.id)
      : reportStep(step, () => work({ ...call, idempotencyKey: stepKey(callId, step) }));
  };
};
