import type { CrmClient } from '../crm/index.ts';
import { requestOptions, type StepOptions } from './step-options.ts';
import { createTaskClaim, type LoggedCall, type TaskClaim } from './task-claim.ts';
import { type LogCallInput, type TaskOptions, toTaskFields } from './task-fields.ts';

/** How the Task is written, and how long that may take. */
export interface LogCallOptions extends StepOptions, TaskOptions {
  /** Shared by everything that logs the same phone call in this process. @defaultValue one for this step alone */
  readonly task?: TaskClaim | undefined;
}

/**
 * Logs a phone call as one Task with subject, status, day, description, who, what, direction and whole seconds.
 * Creating it carries the key `callId:task`, so repeating it, also in another process, makes no second one; a shared
 * `task` claim makes later askers update it with what they know more.
 * Throws what the client throws, and `InvalidArgumentError` for a direction, duration, moment or time zone that is
 * none.
 *
 * @example
 * const facts = { callId, direction: 'Inbound', startedAt: call.startedAt, durationSeconds: 312 } as const;
 * const { taskId } = await logCall({ crm }, { ...facts, outcome: 'resolved', summary, whoId: leadId });
 */
export const logCall = (
  { crm }: { readonly crm: CrmClient },
  input: LogCallInput,
  { task = createTaskClaim(), timeZone, taskStatus, maximumTextLength, taskFields, ...options }: LogCallOptions = {},
): Promise<LoggedCall> =>
  task.write(
    crm,
    input,
    (known) => toTaskFields(known, { timeZone, taskStatus, maximumTextLength, taskFields }),
    requestOptions(input.callId, options),
  );
