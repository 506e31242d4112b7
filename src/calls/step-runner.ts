import type { RequestOptions } from '../http/operation.ts';
import { stepKey } from './step-key.ts';
import { type DoneStep, done, reportStep, type StepReport, skipped } from './step-report.ts';

/** What is said about the requests of one part, its idempotency key among it. */
export type KeyedRequestOptions = RequestOptions & { readonly idempotencyKey: string };

/** Runs one part of a phone call's work and reports it. `work` is given the part's idempotency key. */
export type StepRunner = <Step extends string>(
  step: Step,
  work: (call: KeyedRequestOptions) => Promise<string | undefined>,
) => Promise<StepReport<Step>>;

/** What is known of earlier tries of the same work. */
export interface EarlierTries {
  /** What they have done: the `done` reports of their results. It is not done again. */
  readonly done?: readonly DoneStep[] | undefined;
  /** What they may have done although they failed, at an API that knows no keys. It is not tried again. */
  readonly mayBeDone?: readonly string[] | undefined;
}

/** Parts that an earlier try has done, or may have done, are reported and not run. */
export const createStepRunner = (
  callId: string,
  { done: earlier, mayBeDone }: EarlierTries,
  call: RequestOptions,
): StepRunner => {
  const before = new Map(earlier?.map((report) => [report.step, report]));
  return async (step, work) => {
    const report = before.get(step);
    if (mayBeDone?.includes(step)) return skipped(step, 'may_be_done');
    return report
      ? done(step, report.id)
      : reportStep(step, () => work({ ...call, idempotencyKey: stepKey(callId, step) }));
  };
};
