import { isIntegrationError } from '../errors.ts';
import type { StepReport } from './step-report.ts';

/**
 * Whether a failed write may be sent again without doing it twice: nothing happened, or the API knows it by the key
 * that stands on the error.
 */
export const isSafeToRepeat = (error: unknown): boolean =>
  isIntegrationError(error) && (error.outcome !== 'unknown' || error.idempotencyKey !== undefined);

/**
 * The failed parts that must not be tried again: they may be done, and the API would not know that they repeat. Pass
 * them as `mayBeDone` to the next try.
 *
 * @example
 * const { steps } = await recordCall({ messaging }, input);
 * await recordCall({ messaging }, { ...input, done: steps.filter(isDone), mayBeDone: stepsThatMayBeDone(steps) });
 */
export const stepsThatMayBeDone = (steps: readonly StepReport[]): readonly string[] =>
  steps.flatMap((report) => {
    if (report.status === 'failed') return isSafeToRepeat(report.error) ? [] : [report.step];
    return report.status === 'skipped' && report.reason === 'may_be_done' ? [report.step] : [];
  });
