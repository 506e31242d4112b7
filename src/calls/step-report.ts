/** How one part of a step with several parts ended. */
export type StepReport<Step extends string = string> = DoneStep<Step> | FailedStep<Step> | SkippedStep<Step>;

/** A part that is done, now or by an earlier try. */
export interface DoneStep<Step extends string = string> {
  readonly step: Step;
  readonly status: 'done';
  /** Of what was made or changed, where the API gives one. */
  readonly id?: string;
}

/** A part that was tried and is not known to be done. */
export interface FailedStep<Step extends string = string> {
  readonly step: Step;
  readonly status: 'failed';
  /** What the client threw; its `outcome` says whether it may have happened all the same. */
  readonly error: Error;
}

/** A part that was not tried. */
export interface SkippedStep<Step extends string = string> {
  readonly step: Step;
  readonly status: 'skipped';
  readonly reason: SkipReason;
}

/**
 * Why nothing was tried. `not_asked`: there is nothing to do. `may_be_done`: an earlier try may have done it, and
 * trying again could do it twice. `ambiguous_contact`: several contacts match, and what was said must not reach the
 * wrong one. `needs_…`: what it is done with is missing, often since another part failed.
 */
export type SkipReason =
  | 'not_asked'
  | 'may_be_done'
  | 'ambiguous_contact'
  | 'needs_phone_or_email'
  | 'needs_contact'
  | 'needs_conversation'
  | 'needs_messaging'
  | 'needs_crm';

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

export const done = <Step extends string>(step: Step, id?: string): DoneStep<Step> => ({
  step,
  status: 'done',
  ...(id !== undefined && { id }),
});

export const skipped = <Step extends string>(step: Step, reason: SkipReason): SkippedStep<Step> => ({
  step,
  status: 'skipped',
  reason,
});

/**
 * Whether a part is done: picks the reports to pass as `done` to the next try.
 *
 * @example
 * await recordCall({ messaging }, { ...input, done: steps.filter(isDone) });
 */
export const isDone = <Step extends string>(report: StepReport<Step>): report is DoneStep<Step> =>
  report.status === 'done';

/** Done, or nothing to do: also when the client that it takes was never given. */
export const isSettled = (report: StepReport): boolean =>
  isDone(report) || (report.status === 'skipped' && nothingToDo.includes(report.reason));

const nothingToDo: readonly SkipReason[] = ['not_asked', 'needs_messaging', 'needs_crm'];
