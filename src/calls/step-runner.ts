import type { RequestOptions } from '../http/operation.ts';
import { stepKey } from './step-key.ts';
import { type DoneStep, done, reportStep, type StepReport } from './step-report.ts';

/** Runs one part of a phone call's work and reports it. `work` is given the part's idempotency key. */
export type StepRunner = <Step extends string>(
  step: Step,
  work: (call: RequestOptions & { readonly idempotencyKey: string }) => Promise<string | undefined>,
) => Promise<StepReport<Step>>;

/** Parts that an earlier try has done are reported and not run. */
export const createStepRunner = (
  callId: string,
  earlier: readonly DoneStep[] | undefined,
  call: RequestOptions,
): StepRunner => {
  const before = new Map(earlier?.map((report) => [report.step, report]));
  return async (step, work) => {
    const report = before.get(step);
    return report
      ? done(step, report.id)
      : reportStep(step, () => work({ ...call, idempotencyKey: stepKey(callId, step) }));
  };
};
