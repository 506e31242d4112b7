import type { CrmClient } from '../crm/index.ts';
import type { MessagingClient } from '../messaging/index.ts';
import type { CallAttributes } from './call-attributes.ts';
import { callDay, toDate } from './call-day.ts';
import type { CallWords } from './describe-call.ts';
import { type FoundRelated, findRelated } from './find-related.ts';
import { identifyCaller } from './identify-caller.ts';
import { logCall } from './log-call.ts';
import { type RecordCallOptions, recordCall, type RecordStep } from './record-call.ts';
import { stepsThatMayBeDone } from './safe-to-repeat.ts';
import { requestOptions } from './step-options.ts';
import { done, isDone, isSettled, type StepReport, skipped } from './step-report.ts';
import { createStepRunner, type EarlierTries } from './step-runner.ts';
import { createTaskClaim, type TaskClaim } from './task-claim.ts';
import type { LogCallInput, RelatedRecords, TaskOptions } from './task-fields.ts';

/** A part of {@link finishCall}. */
export type FinishStep = 'contact' | RecordStep | 'relate' | 'task';

/** All there is to leave behind of a phone call. Plain data: it survives JSON when `startedAt` is a text. */
export interface FinishCallInput extends LogCallInput, EarlierTries {
  /** E.164. By phone and e-mail the contact is found, or made, where `contactId` is not given. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  /** The caller in the messaging platform. */
  readonly contactId?: string | undefined;
  /** A conversation that is there already. @defaultValue a new one */
  readonly conversationId?: string | undefined;
  /** With which words an earlier try may have started the conversation: exactly that is repeated. */
  readonly wordsBefore?: CallWords | undefined;
  /** Internal; the customer never sees it. */
  readonly note?: string | undefined;
  readonly tagIds?: readonly string[] | undefined;
  /** The team that goes on with the conversation. */
  readonly teamId?: string | undefined;
  /** Raise it to hand the conversation back to a team that had it before. @defaultValue 1 */
  readonly teamOrdinal?: number | undefined;
  /**
   * For the contact, beside day and outcome of the call, which are written where the client's `customAttributes` declare
   * them; `false` leaves the contact as it is.
   */
  readonly attributes?: CallAttributes | false | undefined;
  /** The phone call's Task, where one was made before. */
  readonly taskId?: string | undefined;
  /** How it is to be written, so that a later try writes the same; `options` win. */
  readonly settings?: FinishSettings | undefined;
}

/** The options of {@link finishCall} that change what is written. */
export type FinishSettings = TaskOptions & Pick<RecordCallOptions, 'adminId'>;

/** How the phone call is written down, as whom, and how long that may take. */
export interface FinishCallOptions extends RecordCallOptions, TaskOptions {
  /** Shared by everything that logs the same phone call in this process. @defaultValue one for this step alone */
  readonly task?: TaskClaim | undefined;
}

/** What was left behind of a phone call, and what is still to be done. */
export interface FinishedCall {
  /** Whether everything that was asked for is done. */
  readonly complete: boolean;
  /** It is stored, and a worker writes it: `steps` is empty, and there is nothing to try again. */
  readonly queued?: true;
  readonly steps: readonly StepReport<FinishStep>[];
  readonly contactId?: string;
  readonly conversationId?: string;
  readonly taskId?: string;
  /** What the Task was related to, where that was looked up. */
  readonly related?: RelatedRecords;
  /**
   * What is needed to try the rest again, now or in another process: pass it to `finishCall`. Plain data with the
   * caller's words in it. Absent when nothing is left that may be tried again.
   */
  readonly unfinished?: FinishCallInput;
}

/**
 * Leaves a finished phone call in both systems: the contact, the conversation with note, tags, attributes and team, and
 * one Task, related to the caller's record in the CRM. Every part is reported, and one that fails leaves the others
 * done; this function does not throw for it. Repeating it repeats the keys `callId:step`. A system whose client is not
 * given is left out.
 * Throws `InvalidArgumentError` for a moment or time zone that is none.
 *
 * @example
 * const facts = { callId, direction: 'Inbound', startedAt: call.startedAt, durationSeconds: 312 } as const;
 * const { unfinished } = await finishCall({ messaging, crm }, { ...facts, phone, summary, outcome: 'resolved' });
 * if (unfinished) await keepForLater(unfinished);
 */
export const finishCall = async (
  { messaging, crm }: { readonly messaging?: MessagingClient | undefined; readonly crm?: CrmClient | undefined },
  input: FinishCallInput,
  { task = createTaskClaim({ taskId: input.taskId }), ...given }: FinishCallOptions = {},
): Promise<FinishedCall> => {
  const settings = settingsOf(input.settings, given);
  const options = { ...given, ...settings };
  const day = callDay(input.startedAt, options.timeZone ?? 'UTC');
  const shared = { ...options, ...requestOptions(input.callId, options) };

  const [inMessaging, inCrm] = await Promise.all([
    leaveInMessaging(messaging, input, day, shared),
    leaveInCrm(crm, input, { ...shared, task }),
  ]);
  const steps: readonly StepReport<FinishStep>[] = [...inMessaging.steps, ...inCrm.steps];
  const { contactId, conversationId } = inMessaging;
  const ids = { ...(contactId && { contactId }), ...(task.taskId && { taskId: task.taskId }) };
  // Not the conversation's id: it would say that the conversation was there before this phone call.
  const unfinished = unfinishedOf({ ...input, ...inCrm.related, ...ids, settings }, steps);
  return {
    complete: steps.every(isSettled),
    steps,
    ...ids,
    ...(conversationId && { conversationId }),
    ...(inCrm.related && { related: inCrm.related }),
    ...(unfinished && { unfinished }),
  };
};

const settingsOf = (kept: FinishSettings = {}, given: FinishSettings): FinishSettings => ({
  timeZone: given.timeZone ?? kept.timeZone,
  taskStatus: given.taskStatus ?? kept.taskStatus,
  maximumTextLength: given.maximumTextLength ?? kept.maximumTextLength,
  taskFields: given.taskFields ?? kept.taskFields,
  adminId: given.adminId ?? kept.adminId,
});

interface InMessaging {
  readonly steps: readonly StepReport<FinishStep>[];
  readonly contactId?: string | undefined;
  readonly conversationId?: string | undefined;
}

const leaveInMessaging = async (
  messaging: MessagingClient | undefined,
  input: FinishCallInput,
  day: string,
  options: FinishCallOptions,
): Promise<InMessaging> => {
  if (!messaging) return { steps: [skipped('conversation', 'needs_messaging')] };
  const contact = await findContact(messaging, input, options);
  const contactId = isDone(contact) ? contact.id : undefined;
  const declares = (name: string) => messaging.contacts.declaresAttribute(name);
  const attributes: CallAttributes | undefined =
    input.attributes === false
      ? undefined
      : {
          lastCallDate: declares('last_call_date') ? day : undefined,
          outcomeCategory: declares('call_outcome_category') ? input.outcome : undefined,
          ...input.attributes,
        };
  const { conversationId, steps } = await recordCall({ messaging }, { ...input, contactId, attributes }, options);
  return { steps: [contact, ...steps], contactId, conversationId };
};

const findContact = async (
  messaging: MessagingClient,
  { callId, contactId, phone, email, ...earlier }: FinishCallInput,
  options: FinishCallOptions,
): Promise<StepReport<'contact'>> => {
  if (contactId) return done('contact', contactId);
  if (!phone && !email) return skipped('contact', 'needs_phone_or_email');
  let isAmbiguous = false;
  const report = await createStepRunner(
    callId,
    earlier,
    {},
  )('contact', async () => {
    const { contact, ambiguous } = await identifyCaller({ messaging }, { callId, phone, email }, options);
    isAmbiguous = ambiguous;
    return contact.id;
  });
  return isAmbiguous ? skipped('contact', 'ambiguous_contact') : report;
};

interface InCrm {
  readonly steps: readonly StepReport<FinishStep>[];
  readonly related?: RelatedRecords | undefined;
}

/** Where nobody has said what the phone call is about, the CRM is asked who the caller is. */
const leaveInCrm = async (
  crm: CrmClient | undefined,
  input: FinishCallInput,
  options: FinishCallOptions,
): Promise<InCrm> => {
  if (!crm) return { steps: [skipped('task', 'needs_crm')] };
  const { callId, phone, email, whoId, whatId } = input;
  const isLookedUp = input.done?.some(({ step }) => step === 'relate');
  if (!isLookedUp && (whoId || whatId || (!phone && !email))) return { steps: [await writeTask(crm, input, options)] };

  let found: FoundRelated;
  const run = createStepRunner(callId, input, {});
  const lookedUp = await run('relate', async () => {
    found = await findRelated(crm, { phone, email }, requestOptions(callId, options));
    return found === 'ambiguous' ? undefined : found?.whoId;
  });
  const relate = found === 'ambiguous' ? skipped('relate', 'ambiguous_contact') : lookedUp;
  const related = found === 'ambiguous' ? undefined : found;
  // A Task that an earlier try made without it is told now.
  const earlier = related ? input.done?.filter(({ step }) => step !== 'task') : input.done;
  return { steps: [relate, await writeTask(crm, { ...input, ...related, done: earlier }, options)], related };
};

const writeTask = (crm: CrmClient, input: FinishCallInput, options: FinishCallOptions): Promise<StepReport<'task'>> => {
  const { callId, direction, startedAt, durationSeconds, subject, outcome, whoId, whatId, ownerId } = input;
  const { summary, transcript, transcriptUrl } = input;
  const facts = { callId, direction, startedAt, durationSeconds, subject, outcome, whoId, whatId, ownerId };
  const words = { summary, transcript, transcriptUrl };
  const run = createStepRunner(callId, input, {});
  return run('task', async () => (await logCall({ crm }, { ...facts, ...words }, options)).taskId);
};

/** What has not been done and may be tried again. */
const unfinishedOf = (
  input: FinishCallInput,
  steps: readonly StepReport<FinishStep>[],
): FinishCallInput | undefined => {
  const mayBeDone = stepsThatMayBeDone(steps);
  const isLeft = steps.some((report) => !isSettled(report) && !mayBeDone.includes(report.step));
  if (!isLeft) return undefined;
  return {
    ...input,
    startedAt: toDate(input.startedAt).toISOString(),
    done: steps.filter(isDone),
    ...(mayBeDone.length > 0 && { mayBeDone }),
  };
};
