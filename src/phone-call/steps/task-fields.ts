import type { CrmSchemas, TaskFields } from '../../crm/index.ts';
import type { FieldsFor } from '../../crm/declared.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import { wrongWord } from '../../core/option-checks.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import { callDay, type Moment } from './call-day.ts';
import { defaultMaximumLength, describeCall, describeSubject, type LearnedWords } from './describe-call.ts';
import { maskFields } from './mask-fields.ts';

/** The direction of a phone call, in the words of the CRM's `CallType`. */
export type CallDirection = 'Inbound' | 'Outbound' | 'Internal';

/** The facts of one phone call. */
export interface CallFacts {
  readonly callId: string;
  readonly direction: CallDirection;
  readonly startedAt: Moment;
}

/** The records that a phone call is about. */
export interface RelatedRecords {
  /** The Lead or Contact. */
  readonly whoId?: string | undefined;
  /** The Opportunity, or another record. */
  readonly whatId?: string | undefined;
  /** The user who should follow it up. */
  readonly ownerId?: string | undefined;
}

/** The content of the Task: words, duration, and the records it's about. */
export interface LogCallInput extends LearnedWords, RelatedRecords {
  /** @defaultValue the direction and the outcome: `Inbound call: resolved` */
  readonly subject?: string | undefined;
  /** The call's end, in words of the application. */
  readonly outcome?: string | undefined;
  /** Rounded to whole seconds. Leave it out while the call goes on. */
  readonly durationSeconds?: number | undefined;
}

/** The form of a phone call's Task. */
export interface TaskOptions<Schemas extends CrmSchemas = CrmSchemas> {
  /** The time zone of the business: `ActivityDate` is the day on which the call started there. @defaultValue 'UTC' */
  readonly timeZone?: string | undefined;
  /** The Task's `Status`. @defaultValue 'Completed' */
  readonly taskStatus?: string | undefined;
  /** The longest description, in UTF-16 units. @defaultValue 32000 */
  readonly maximumTextLength?: number | undefined;
  /** Further fields of each Task, such as `{ TaskSubtype: 'Call' }` in Salesforce. They win over the ones that the call fills in. */
  readonly taskFields?: FieldsFor<Schemas, 'Task'> | undefined;
}

/** The fields of a phone call's Task; what is not known is left out, card numbers are masked. */
export const toTaskFields = (
  input: LogCallInput & CallFacts,
  { timeZone, taskStatus = 'Completed', maximumTextLength = defaultMaximumLength, taskFields = {} }: TaskOptions,
): TaskFields => {
  const { outcome, durationSeconds, whoId, whatId, ownerId } = input;
  const direction = readDirection(input.direction);
  if (durationSeconds !== undefined && !(Number.isFinite(durationSeconds) && durationSeconds >= 0))
    throw new InvalidArgumentError('durationSeconds', 'must be a number of seconds, at least 0');
  const subject = input.subject ?? `${direction} call${outcome ? `: ${outcome}` : ''}`;
  return withoutUndefined({
    Subject: describeSubject(subject),
    Status: taskStatus,
    ActivityDate: callDay(input.startedAt, timeZone),
    CallType: direction,
    Description: describeCall(input, maximumTextLength) || undefined,
    CallDurationInSeconds: durationSeconds === undefined ? undefined : Math.round(durationSeconds),
    WhoId: whoId || undefined,
    WhatId: whatId || undefined,
    OwnerId: ownerId || undefined,
    ...maskFields(taskFields),
  });
};

/** Takes either spelling. Throws `InvalidArgumentError` that names `direction` unless it's one of the three. */
export const readDirection = (text: CallDirection | Lowercase<CallDirection>): CallDirection => {
  const direction = directions.find((one) => one === text || one.toLowerCase() === text);
  if (direction) return direction;
  throw wrongWord(text, 'direction', directions);
};

const directions: readonly CallDirection[] = ['Inbound', 'Outbound', 'Internal'];
