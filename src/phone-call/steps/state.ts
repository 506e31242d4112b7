import { IntegrationError } from '../../core/errors.ts';
import type { Contact } from '../../messaging/index.ts';
import type { CallNotices, CallWords } from './describe-call.ts';
import { type DoneStep, isDone, type StepReport, stepsThatMayBeDone } from './step-report.ts';
import { createTaskClaim, type TaskClaim } from './task-claim.ts';
import type { RelatedRecords } from './task-fields.ts';
import { createStepQueue, type StepQueue } from './step-queue.ts';

/** The person on the phone, as far as the application knows. */
export interface Caller {
  /** E.164. */
  readonly phone?: string | undefined;
  readonly email?: string | undefined;
  /** In the messaging platform; only when exactly one contact matches. */
  readonly contactId?: string | undefined;
  /** In the billing system; only where the application named it. */
  readonly customerId?: string | undefined;
  /** `caller-id`: the number was transmitted, which can be forged. `strong`: the person proved who they are. */
  readonly verified: 'no' | 'caller-id' | 'strong';
}

/** The phone call's knowledge and work so far. */
export interface PhoneCallState {
  caller: Caller;
  /** A contact that this phone call made. */
  madeContact: Contact | undefined;
  /** The contact that was found last, and when: it isn't read again at once. */
  found: { readonly contact: Contact; readonly at: number } | undefined;
  /** A lead that this phone call made. */
  madeLeadId: string | undefined;
  /** The caller's contact in the CRM. */
  crmContactId: string | undefined;
  notices: CallNotices;
  /** The records that the Task is about. */
  related: RelatedRecords;
  conversation: CallConversation | undefined;
  /** The teams that the conversation was handed to, one after the other. */
  teams: readonly string[];
  recorded: Recorded;
  readonly task: TaskClaim;
  /** Lets one step at a time start the conversation. */
  readonly conversationQueue: StepQueue;
}

/** The state of a phone call that begins. */
export const startState = (caller: Caller, conversationId: string | undefined): PhoneCallState => ({
  caller,
  madeContact: undefined,
  found: undefined,
  madeLeadId: undefined,
  crmContactId: undefined,
  notices: {},
  related: {},
  conversation: conversationId === undefined ? undefined : { id: conversationId, holdsWords: false },
  teams: [],
  recorded: { done: [], mayBeDone: [], contents: {}, unclear: undefined },
  task: createTaskClaim(),
  conversationQueue: createStepQueue(),
});

/** The conversation that this phone call writes to. */
export interface CallConversation {
  readonly id: string;
  /** It was started with summary and transcript as its body. Otherwise they go into a note. */
  readonly holdsWords: boolean;
}

/** The conversation that is there already and in which summary and transcript belong into a note. */
export const wordsGoToNote = ({ conversation }: PhoneCallState): string | undefined =>
  conversation && !conversation.holdsWords ? conversation.id : undefined;

/** The recorded parts, and their words. */
export interface Recorded {
  readonly done: readonly DoneStep[];
  readonly mayBeDone: readonly string[];
  readonly contents: Contents;
  /** A conversation that may have been started although the answer was lost. */
  readonly unclear: { readonly words: CallWords; readonly error: Error } | undefined;
}

type Contents = Readonly<Partial<Record<'note' | 'route' | 'attributes', string>>>;

/** The content of a step, as far as it's compared with earlier content. */
interface Content extends CallWords {
  readonly note?: string | undefined;
  readonly teamId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly wordsBefore?: CallWords | undefined;
  readonly attributes?: unknown;
  readonly outcome?: string | undefined;
}

/** Notes that a team is to have the conversation next, and says for which time. The team that has it keeps it. */
export const nextTeam = (state: PhoneCallState, teamId: string | undefined): number | undefined => {
  if (teamId === undefined) return undefined;
  if (state.teams.at(-1) !== teamId) state.teams = [...state.teams, teamId];
  return state.teams.filter((team) => team === teamId).length;
};

/** The parts that need not be done again for this input: done, and with the same content. */
export const stillDone = ({ done, contents }: Recorded, input: Content): readonly DoneStep[] => {
  const wanted: Readonly<Record<string, string | undefined>> = contentsOf(input);
  const before: Readonly<Record<string, string | undefined>> = contents;
  return done.filter(({ step }) => before[step] === undefined || before[step] === wanted[step]);
};

/** Adds what was just done, and what may have been. */
export const addRecorded = (before: Recorded, input: Content, reports: readonly StepReport[]): Recorded => {
  const done = reports.filter(isDone);
  const steps = new Map([...before.done, ...done].map((report) => [report.step, report]));
  const fresh = Object.entries(contentsOf(input)).filter(([step]) => done.some((report) => report.step === step));
  return {
    done: [...steps.values()],
    mayBeDone: [...new Set([...before.mayBeDone, ...stepsThatMayBeDone(reports)])],
    contents: { ...before.contents, ...Object.fromEntries(fresh) },
    unclear: before.unclear ?? unclearConversation(input, reports),
  };
};

/** Keeps what was written, for the steps that come. */
export const rememberRecorded = (
  state: PhoneCallState,
  input: Content,
  { steps, conversationId }: { readonly steps: readonly StepReport[]; readonly conversationId?: string | undefined },
  { holdsWords }: { readonly holdsWords: boolean },
): void => {
  if (conversationId !== undefined) state.conversation ??= { id: conversationId, holdsWords };
  state.recorded = addRecorded(state.recorded, input, steps);
  if (input.attributes) state.found = undefined;
};

const unclearConversation = (input: Content, reports: readonly StepReport[]): Recorded['unclear'] => {
  const report = reports.find(({ step }) => step === 'conversation');
  const error = report?.status === 'failed' ? report.error : undefined;
  return error instanceof IntegrationError && error.outcome === 'unknown'
    ? { words: wordsOf(input), error }
    : undefined;
};

const wordsOf = ({ aiNoticeAt, recordingConsent, summary, transcript, transcriptUrl }: CallWords): CallWords => ({
  aiNoticeAt,
  recordingConsent,
  summary,
  transcript,
  transcriptUrl,
});

const contentsOf = (input: Content): Required<Contents> => {
  const { note, teamId, attributes, outcome, conversationId, wordsBefore } = input;
  const wordsInNote = conversationId || wordsBefore ? wordsOf(input) : undefined;
  return {
    note: JSON.stringify([note ?? '', wordsInNote]),
    route: teamId ?? '',
    attributes: JSON.stringify([attributes, outcome]),
  };
};
