import type { CrmClient, CrmSchemas } from '../../crm/index.ts';
import { assertSpelled, type OptionNames } from '../../core/option-checks.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { assertNotices } from './describe-call.ts';
import { clientOf, type OngoingCall, wordNames } from './ongoing-call.ts';
import { requestOptions, type StepOptions } from './step.ts';
import { createTaskClaim, type LoggedCall, type TaskClaim } from './task-claim.ts';
import { type CallFacts, type LogCallInput, type TaskOptions, toTaskFields } from './task-fields.ts';

/** The form of the Task, and the time for writing it. */
export interface LogCallOptions<Schemas extends CrmSchemas = CrmSchemas> extends StepOptions, TaskOptions<Schemas> {}

/** Shared by everything that logs the same phone call. */
export interface TaskOwner {
  /** @defaultValue a claim for this step alone, which is then the last one */
  readonly task?: TaskClaim | undefined;
}

/** Says whether more steps may log the phone call. */
interface LastStep {
  /** @defaultValue `true` without a shared `task` */
  readonly isLast?: boolean | undefined;
}

/**
 * Logs a phone call as one Task with subject, status, day, description, who, what, direction and whole seconds.
 * Creating it carries the key `callId:task`, so repeating it, also in another process, makes no second one. A shared
 * `task` claim makes later steps update it with what they know more. A CRM that can't change a Task gets it from the
 * last step.
 * Throws what the client throws, and `InvalidArgumentError` for a direction, duration, moment or time zone that can't be
 * right.
 */
export const logCall = (
  { crm }: { readonly crm: CrmClient },
  input: LogCallInput & CallFacts,
  { task, isLast = task === undefined, ...options }: LogCallOptions & TaskOwner & LastStep = {},
): Promise<LoggedCall> =>
  (task ?? createTaskClaim()).write(crm, input, {
    ...requestOptions(input.callId, options),
    isLast,
    toFields: (known) => toTaskFields(known, options),
  });

/** {@link logCall} in a phone call: to its one Task, about the records that its steps found. */
export const logCallStep =
  ({ facts, settings, state, within, ...call }: OngoingCall) =>
  async (input: LogCallInput = {}, options?: LogCallOptions): Promise<LoggedCall> => {
    assertSpelled(input, logCallNames);
    assertNotices(input);
    const { whoId, whatId, ownerId } = { ...state.related, ...withoutUndefined(input) };
    return logCall(
      { crm: clientOf(call, 'crm') },
      { ...state.notices, ...withoutUndefined(input), ...facts, whoId, whatId, ownerId },
      { ...settings, task: state.task, ...within(options) },
    );
  };

export const logCallNames: OptionNames<LogCallInput> = {
  ...wordNames,
  learned: true,
  whoId: true,
  whatId: true,
  ownerId: true,
  subject: true,
  outcome: true,
  durationSeconds: true,
};
