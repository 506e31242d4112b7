import { lanes } from '../../stores/ports/rate-limiter.ts';
import { oneOf, type OptionNames } from '../../core/option-checks.ts';
import type { CrmClient } from '../../crm/index.ts';
import { leadDispositions } from '../../crm/leads.ts';
import type { RequestOptions } from '../../http/operation.ts';
import type { MessagingClient } from '../../messaging/index.ts';
import { callDay, toDate } from './call-day.ts';
import { clientsOf } from './clients-of.ts';
import type { CallWords } from './describe-call.ts';
import { findPerson } from './find-person.ts';
import { identifyCaller } from './identify-caller.ts';
import { logCall, logCallNames, type TaskOwner } from './log-call.ts';
import {
  type CallAttributes,
  type RecordCallOptions,
  recordCall,
  recordCallNames,
  type RecordStep,
} from './record-call.ts';
import { requestOptions } from './step.ts';
import {
  createStepRunner,
  done,
  type EarlierTries,
  isDone,
  isSettled,
  type SkippedStep,
  type StepReport,
  skipped,
  stepsThatMayBeDone,
} from './step-report.ts';
import { createTaskClaim, type TaskClaim } from './task-claim.ts';
import {
  type CallFacts,
  type LogCallInput,
  readDirection,
  type RelatedRecords,
  type TaskOptions,
} from './task-fields.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';

/** A part of {@link finishCall}. */
export type FinishStep = 'contact' | RecordStep | 'relate' | 'task';

/** The input for the end of a phone call. Facts that the phone call knows already are filled in. */
export interface FinishInput extends LogCallInput {
  /** E.164. By phone and e-mail the contact is found, or made, where `contactId` is unknown. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  /** The caller in the messaging platform. */
  readonly contactId?: string | undefined;
  /** A conversation that is there already. @defaultValue the phone call's own, or a new one */
  readonly conversationId?: string | undefined;
  /** Internal; the customer never sees it. Without a conversation, it's on the Task. */
  readonly note?: string | undefined;
  readonly tagIds?: readonly string[] | undefined;
  /** The team that goes on with the conversation. */
  readonly teamId?: string | undefined;
  /**
   * Attributes of the contact. Day and outcome are added if the client's `customAttributes` declare them; `false`
   * leaves the contact as it is.
   */
  readonly attributes?: CallAttributes | false | undefined;
  /** The phone call's Task, where one was made before. */
  readonly taskId?: string | undefined;
}

export const finishNames: OptionNames<FinishInput> = {
  ...logCallNames,
  ...recordCallNames,
  phone: true,
  email: true,
  taskId: true,
};

/**
 * The parts of a phone call that are left to do. Pass it to {@link finishCall}, now or in another process. Plain data
 * with the caller's words in it; it survives JSON.
 */
export interface UnfinishedCall extends CallFacts, FinishInput, EarlierTries {
  /** With which words an earlier try may have started the conversation: exactly that is repeated. */
  readonly wordsBefore?: CallWords | undefined;
  /** Above 1 where the team had the conversation before. @defaultValue 1 */
  readonly teamOrdinal?: number | undefined;
  /** The log of earlier steps, where the Task doesn't say it yet. */
  readonly logged?: LogCallInput | undefined;
  /** The settings of this try, so that a later one writes the same; the options of {@link finishCall} win. */
  readonly settings?: FinishSettings | undefined;
}

/** The options of {@link finishCall} that change what is written. */
export type FinishSettings = TaskOptions & Pick<RecordCallOptions, 'adminId'>;

/** The form of the records, their author, and the time for writing them. */
export interface FinishCallOptions extends RecordCallOptions, TaskOptions {}

/** The result of {@link finishCall}: everything written, and everything that is left. */
export interface FinishedCall {
  /** Nothing is left to do. Parts that an unknown caller makes impossible are skipped; `steps` names them. */
  readonly complete: boolean;
  /** It is stored, and a worker writes it: `steps` is empty, and there is nothing to try again. */
  readonly queued?: true;
  readonly steps: readonly StepReport<FinishStep>[];
  readonly contactId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly taskId?: string | undefined;
  /** The records that the Task relates to, if they were looked up. */
  readonly related?: RelatedRecords | undefined;
  /** Absent when nothing is left that may be tried again. */
  readonly unfinished?: UnfinishedCall | undefined;
}

/**
 * Leaves a finished phone call in both systems: the contact, and the conversation with note, tags, attributes and team.
 * The CRM gets one Task, related to the caller's record. Every part is reported; one that fails leaves the others done,
 * and doesn't throw. Repeating it repeats the keys `callId:step`. A system whose client is not configured is left out.
 * Throws `InvalidArgumentError` for a moment or time zone that can't be right.
 *
 * @example
 * const { unfinished } = await phoneCall.finish({ summary, outcome: 'resolved' });
 * if (unfinished) await finishCall({ messaging, crm }, unfinished); // later, or in another process
 */
export const finishCall = async (
  clients: { readonly messaging?: MessagingClient | undefined; readonly crm?: CrmClient | undefined },
  input: UnfinishedCall,
  { task = createTaskClaim(input), ...own }: FinishCallOptions & TaskOwner = {},
): Promise<FinishedCall> => {
  readDirection(input.direction);
  oneOf(own.lane, 'lane', lanes)();
  const { messaging, crm } = clientsOf(clients);
  const settings = settingsOf(input.settings, own);
  const logged = loggedBesides(task, input);
  const options = { ...own, ...settings };
  const day = callDay(input.startedAt, options.timeZone);
  const shared = { ...options, ...requestOptions(input.callId, options) };

  // The two don't wait for each other: a system that hangs must not take the other's time.
  const forCrm = hasNoPlaceForNote(messaging, input) ? withNote(input) : input;
  const [inMessaging, inCrm] = await Promise.all([
    leaveInMessaging(messaging, input, day, shared),
    leaveInCrm(crm, forCrm, { ...shared, task }),
  ]);
  const addNote = async (report: StepReport<FinishStep>) =>
    crm && input.note && report.step === 'task' && isDone(report) && leavesNoteOut(inMessaging)
      ? writeTask(crm, withNote({ ...input, ...inCrm.related }), { ...shared, task })
      : report;
  const steps = [...inMessaging.steps, ...(await Promise.all(inCrm.steps.map(addNote)))];
  const isLeft = leftAfter(steps);
  const { contactId = input.contactId, conversationId } = inMessaging;
  const taskId = task.taskId ?? input.taskId;
  // Not the conversation's id: it would say that the conversation was there before this phone call.
  const unfinished = unfinishedOf({ ...input, ...inCrm.related, contactId, taskId, logged, settings }, steps, isLeft);
  return {
    complete: !steps.some(isLeft),
    steps,
    contactId: inMessaging.contactId,
    taskId: task.taskId,
    conversationId,
    related: inCrm.related,
    unfinished,
  };
};

/** Returns what steps have logged that the end of the phone call doesn't say. */
export const loggedBesides = ({ known = {} }: TaskClaim, input: LogCallInput): LogCallInput | undefined => {
  const rest = Object.entries(known).filter(
    ([name, value]) => value !== undefined && input[name as keyof LogCallInput] === undefined,
  );
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
};

const settingsOf = (kept: FinishSettings = {}, own: FinishSettings): FinishSettings => ({
  timeZone: own.timeZone ?? kept.timeZone,
  taskStatus: own.taskStatus ?? kept.taskStatus,
  maximumTextLength: own.maximumTextLength ?? kept.maximumTextLength,
  taskFields: own.taskFields ?? kept.taskFields,
  adminId: own.adminId ?? kept.adminId,
});

interface InMessaging {
  readonly steps: readonly StepReport<FinishStep>[];
  readonly contactId?: string | undefined;
  readonly conversationId?: string | undefined;
}

const leaveInMessaging = async (
  messaging: MessagingClient | undefined,
  input: UnfinishedCall,
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
  { callId, contactId, phone, email, ...earlier }: UnfinishedCall,
  options: FinishCallOptions,
): Promise<StepReport<'contact'>> => {
  if (contactId) return done('contact', contactId);
  if (!phone && !email) return skipped('contact', 'needs_phone_or_email');
  if (earlier.mayBeDone?.includes('contact'))
    return lookAgain(messaging, { phone, email }, requestOptions(callId, options));
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

/**
 * An earlier try may have made the contact, and by now a search may know it. Looking can't make a second one; when it
 * fails, it's as open as before.
 */
const lookAgain = async (
  messaging: MessagingClient,
  by: { readonly phone: string | undefined; readonly email: string | undefined },
  call: RequestOptions,
): Promise<StepReport<'contact'>> => {
  const found = await messaging.contacts.find(by, call).catch(() => undefined);
  if (!found) return skipped('contact', 'may_be_done');
  return found.ambiguous ? skipped('contact', 'ambiguous_contact') : done('contact', found.contact.id);
};

interface InCrm {
  readonly steps: readonly StepReport<FinishStep>[];
  readonly related?: RelatedRecords | undefined;
}

/** Writes the Task. If no step has related it to a record, searches the CRM for the caller. */
const leaveInCrm = async (
  crm: CrmClient | undefined,
  input: UnfinishedCall,
  options: FinishCallOptions & TaskOwner,
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
  // A Task that an earlier try made without it gets it now.
  const earlier = related ? input.done?.filter(({ step }) => step !== 'task') : input.done;
  return { steps: [relate, await writeTask(crm, { ...input, ...related, done: earlier }, options)], related };
};

type FoundRelated = RelatedRecords | 'ambiguous' | undefined;

/** A contact, or else a lead, or what a converted lead has become. `undefined` when the CRM doesn't know the caller. */
const findRelated = async (
  crm: CrmClient,
  { phone, email }: { readonly phone: string | undefined; readonly email: string | undefined },
  call: RequestOptions,
): Promise<FoundRelated> => {
  const person = await findPerson(crm, { phone, email, closedStatuses: [leadDispositions.disqualified] }, call);
  if (!person) return undefined;
  if (person.kind === 'ambiguous') return 'ambiguous';
  if (person.kind !== 'converted_lead') return { whoId: person.kind === 'contact' ? person.contactId : person.leadId };
  const { leadId, contactId, opportunityId } = person;
  return { whoId: contactId ?? leadId, whatId: opportunityId };
};

const writeTask = (
  crm: CrmClient,
  input: UnfinishedCall,
  options: FinishCallOptions & TaskOwner,
): Promise<StepReport<'task'>> => {
  const { callId, direction, startedAt, durationSeconds, subject, outcome, whoId, whatId, ownerId } = input;
  const { aiNoticeAt, recordingConsent, summary, learned, transcript, transcriptUrl } = input;
  const facts = { callId, direction, startedAt, durationSeconds, subject, outcome, whoId, whatId, ownerId };
  const words = { aiNoticeAt, recordingConsent, summary, learned, transcript, transcriptUrl };
  const run = createStepRunner(callId, input, {});
  const last = { ...options, isLast: true };
  return run('task', async () => (await logCall({ crm }, { ...facts, ...words }, last)).taskId);
};

/** No conversation can hold the note: there's no messaging platform, or nothing to find the caller by. */
const hasNoPlaceForNote = (
  messaging: MessagingClient | undefined,
  { conversationId, contactId, phone, email }: UnfinishedCall,
): boolean => !messaging || !(conversationId || contactId || phone || email);

/** The caller turned out to be one of several contacts. */
const leavesNoteOut = ({ conversationId, steps }: InMessaging): boolean =>
  conversationId === undefined && steps.some((report) => isSkipped(report, 'contact', ['ambiguous_contact']));

/** The team reads the note on the Task then. */
const withNote = (input: UnfinishedCall): UnfinishedCall => ({
  ...input,
  summary: [input.note, input.summary].filter(Boolean).join('\n\n') || undefined,
});

const isSkipped = (
  report: StepReport<FinishStep>,
  step: FinishStep,
  reasons: readonly SkippedStep['reason'][],
): boolean => report.step === step && report.status === 'skipped' && reasons.includes(report.reason);

/**
 * Finds the parts that are left. Once the Task holds the phone call, parts that an unknown caller makes impossible
 * aren't left. Withheld numbers are everyday, and another try doesn't tell who called.
 */
const leftAfter = (steps: readonly StepReport<FinishStep>[]) => {
  const unknown: readonly SkippedStep['reason'][] = ['needs_phone_or_email', 'ambiguous_contact'];
  const isWritten = steps.some((report) => report.step === 'task' && isDone(report));
  const isUnknown = steps.some((report) => isSkipped(report, 'contact', unknown));
  const hopeless = isUnknown ? [...unknown, 'needs_contact', 'needs_conversation'] : unknown;
  return (report: StepReport<FinishStep>): boolean =>
    !isSettled(report) && !(isWritten && report.status === 'skipped' && hopeless.includes(report.reason));
};

/** Returns everything that isn't done and may be tried again. */
const unfinishedOf = (
  input: UnfinishedCall,
  steps: readonly StepReport<FinishStep>[],
  isLeft: (report: StepReport<FinishStep>) => boolean,
): UnfinishedCall | undefined => {
  const mayBeDone = stepsThatMayBeDone(steps);
  if (!steps.some((report) => isLeft(report) && !mayBeDone.includes(report.step))) return undefined;
  return withoutUndefined({
    ...input,
    startedAt: toDate(input.startedAt).toISOString(),
    done: steps.filter(isDone),
    mayBeDone: mayBeDone.length > 0 ? mayBeDone : undefined,
  });
};
