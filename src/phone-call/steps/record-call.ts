import { assertSpelled, type OptionNames } from '../../core/option-checks.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { CustomAttributes, MessagingClient } from '../../messaging/index.ts';
import { maskCardNumbers } from '../../observability/redaction/card-numbers.ts';
import { assertNotices, type CallWords, clip, defaultMaximumLength, describeCall } from './describe-call.ts';
import { maskFields } from './mask-fields.ts';
import { clientOf, type OngoingCall, wordNames } from './ongoing-call.ts';
import { routeConversation } from './route-conversation.ts';
import { nextTeam, rememberRecorded, stillDone, wordsGoToNote } from './state.ts';
import { digest, requestOptions, type StepOptions } from './step.ts';
import {
  createStepRunner,
  done,
  type EarlierTries,
  isDone,
  isSettled,
  type KeyedRequestOptions,
  type StepReport,
  type StepRunner,
  skipped,
} from './step-report.ts';

/** Attributes that a phone call leaves on the contact, under the names of `callAttributes` in the messaging client. */
export interface CallAttributes {
  /** The kind of end, in your own words: `call_outcome_category`. */
  readonly outcomeCategory?: string | undefined;
  /** A person has to look at it: `escalation_flag`. */
  readonly escalated?: boolean | undefined;
  /** The caller's satisfaction, in your own words: `satisfaction_signal`. */
  readonly satisfaction?: string | undefined;
  /** YYYY-MM-DD: `last_call_date`. */
  readonly lastCallDate?: string | undefined;
  /** Further custom attributes, by their own names. */
  readonly custom?: CustomAttributes | undefined;
}

/** A part of `recordCall`; there is one per tag. */
export type RecordStep = 'conversation' | 'note' | `tag:${string}` | 'attributes' | 'route';

/** The parts of a phone call for the messaging platform. Only these are written. */
export interface RecordCallInput extends CallWords {
  /** The contact who starts the conversation and gets the attributes. @defaultValue the contact that was identified */
  readonly contactId?: string | undefined;
  /**
   * A conversation that is there already: summary and transcript then become part of the note, for colleagues only.
   * @defaultValue the phone call's own, or a new conversation with summary and transcript as its body
   */
  readonly conversationId?: string | undefined;
  /** Internal; the customer never sees it. */
  readonly note?: string | undefined;
  /** Ids of tags for the conversation. */
  readonly tagIds?: readonly string[] | undefined;
  readonly attributes?: CallAttributes | undefined;
  /** The team that goes on with the conversation. */
  readonly teamId?: string | undefined;
}

/** Facts that the phone call adds. */
export interface RecordedBefore extends EarlierTries {
  readonly callId: string;
  /** With which words an earlier try may have started the conversation: exactly that is repeated. */
  readonly wordsBefore?: CallWords | undefined;
  /** Above 1 where the team had the conversation before. @defaultValue 1 */
  readonly teamOrdinal?: number | undefined;
}

/** The author, the length of a body, and the time for writing. */
export interface RecordCallOptions extends StepOptions {
  /** The author. @defaultValue the client's `adminId` */
  readonly adminId?: string | undefined;
  /** The longest body, in UTF-16 units. @defaultValue 32000 */
  readonly maximumTextLength?: number | undefined;
}

/** The report on each part. */
export interface RecordedCall {
  /** Everything that was asked for is done. */
  readonly complete: boolean;
  readonly conversationId?: string | undefined;
  /** Each part that was asked for; always the conversation and the attributes. */
  readonly steps: readonly StepReport<RecordStep>[];
}

/**
 * Leaves a phone call in the messaging platform: a conversation with summary and transcript, an internal note, tags,
 * attributes of the contact, a team. Every part is reported; one that fails leaves the others done, and doesn't throw.
 * Repeating it with the same words repeats the keys, which begin with `callId:conversation`, `callId:note` and so on.
 * Pass `done` to send only missing parts. Card numbers are masked.
 */
export const recordCall = async (
  { messaging }: { readonly messaging: MessagingClient },
  input: RecordCallInput & RecordedBefore,
  { adminId, maximumTextLength = defaultMaximumLength, ...options }: RecordCallOptions = {},
): Promise<RecordedCall> => {
  const run = createStepRunner(input.callId, input, requestOptions(input.callId, options));
  const parts = { messaging, input, adminId, maximumTextLength, run };

  const [inConversation, attributes] = await Promise.all([recordConversation(parts), recordAttributes(parts)]);

  const steps = [...inConversation.steps, attributes];
  return { complete: steps.every(isSettled), conversationId: inConversation.conversationId, steps };
};

/** {@link recordCall} in a phone call: in its conversation, and only what isn't recorded yet. */
export const recordCallStep =
  ({ facts, settings, state, within, ...call }: OngoingCall) =>
  async (input: RecordCallInput, options?: RecordCallOptions): Promise<RecordedCall> => {
    assertSpelled(input, recordCallNames);
    assertNotices(input);
    return state.conversationQueue.run('messaging.conversations.create', async () => {
      const known = {
        ...state.notices,
        contactId: state.caller.contactId,
        conversationId: wordsGoToNote(state),
        ...withoutUndefined(input),
        wordsBefore: state.recorded.unclear?.words,
      };
      const done = stillDone(state.recorded, known);
      const { mayBeDone } = state.recorded;
      const teamOrdinal = nextTeam(state, input.teamId);
      const recorded = await recordCall(
        { messaging: clientOf(call, 'messaging') },
        { ...known, callId: facts.callId, done, mayBeDone, teamOrdinal },
        { ...settings, ...within(options) },
      );
      const holdsWords = known.conversationId === undefined && known.wordsBefore === undefined;
      rememberRecorded(state, known, recorded, { holdsWords });
      return recorded;
    });
  };

export const recordCallNames: OptionNames<RecordCallInput> = {
  ...wordNames,
  contactId: true,
  conversationId: true,
  note: true,
  tagIds: true,
  attributes: true,
  teamId: true,
};

interface Parts {
  readonly messaging: MessagingClient;
  readonly input: RecordCallInput & RecordedBefore;
  readonly adminId: string | undefined;
  readonly maximumTextLength: number;
  readonly run: StepRunner;
}

/** One after the other; routed last, so that the team finds everything in place. */
const recordConversation = async (parts: Parts): Promise<Omit<RecordedCall, 'complete'>> => {
  const { messaging, input, adminId, maximumTextLength, run } = parts;
  const { callId, teamId, teamOrdinal: ordinal, tagIds = [] } = input;
  const note = noteOf(input, maximumTextLength);
  const conversation = await startConversation(parts);
  const id = isDone(conversation) ? conversation.id : undefined;

  const within = async <Step extends RecordStep>(
    step: Step,
    work: (conversationId: string, call: KeyedRequestOptions) => Promise<unknown>,
  ): Promise<StepReport<Step>> =>
    id === undefined
      ? skipped(step, 'needs_conversation')
      : run(step, async (call) => {
          await work(id, call);
          return undefined;
        });

  const steps: StepReport<RecordStep>[] = [conversation];
  const { conversations } = messaging;
  if (note) {
    const addNote = (to: string, call: KeyedRequestOptions) =>
      conversations.addNote(to, { body: note, adminId }, underKeyFor(note, call));
    steps.push(await within('note', addNote));
  }
  for (const tagId of new Set(tagIds)) {
    steps.push(await within(`tag:${tagId}`, (to, call) => conversations.tags.attach(to, { tagId, adminId }, call)));
  }
  if (teamId) {
    const route = (conversationId: string, call: KeyedRequestOptions) =>
      routeConversation({ messaging }, { callId, conversationId, teamId, ordinal }, { ...call, adminId });
    steps.push(await within('route', route));
  }
  return { conversationId: id, steps };
};

const startConversation = async ({
  messaging,
  input,
  maximumTextLength,
  run,
}: Parts): Promise<StepReport<'conversation'>> => {
  const { contactId, conversationId } = input;
  const earlier = input.done?.find(({ step }) => step === 'conversation');
  if (earlier) return done('conversation', earlier.id);
  if (conversationId) return done('conversation', conversationId);
  const body = describeCall(input.wordsBefore ?? input, maximumTextLength);
  if (!body) return skipped('conversation', 'not_asked');
  if (!contactId) return skipped('conversation', 'needs_contact');
  return run('conversation', async (call) => (await messaging.conversations.create({ contactId, body }, call)).id);
};

const recordAttributes = async ({ messaging, input, run }: Parts): Promise<StepReport<'attributes'>> => {
  const custom_attributes = toCustomAttributes(input.attributes ?? {});
  if (Object.keys(custom_attributes).length === 0) return skipped('attributes', 'not_asked');
  const { contactId } = input;
  if (!contactId) return skipped('attributes', 'needs_contact');
  const update = (call: KeyedRequestOptions) =>
    messaging.contacts.update(contactId, { custom_attributes }, underKeyFor(custom_attributes, call));
  return run('attributes', async (call) => (await update(call)).id);
};

/** The custom attributes as the workspace knows them. Card numbers are masked; what is not known is left out. */
const toCustomAttributes = ({
  outcomeCategory,
  escalated,
  satisfaction,
  lastCallDate,
  custom,
}: CallAttributes): CustomAttributes =>
  maskFields(
    withoutUndefined({
      ...custom,
      last_call_date: lastCallDate,
      call_outcome_category: outcomeCategory,
      escalation_flag: escalated,
      satisfaction_signal: satisfaction,
    }),
  );

/** Another note or other attributes are other work: a key belongs to one content. */
const underKeyFor = (content: unknown, call: KeyedRequestOptions): KeyedRequestOptions => ({
  ...call,
  idempotencyKey: `${call.idempotencyKey}:${digest(content)}`,
});

/**
 * In a conversation that was started before, or with other words, what was said goes into the note, where no customer
 * reads it.
 */
const noteOf = (input: RecordCallInput & RecordedBefore, maximumTextLength: number): string => {
  const note = input.note ? maskCardNumbers(input.note) : '';
  const words = describeCall(input, maximumTextLength);
  const inBody = input.conversationId ? '' : describeCall(input.wordsBefore ?? input, maximumTextLength);
  return clip([note, words === inBody ? '' : words].filter(Boolean).join('\n\n'), maximumTextLength);
};
