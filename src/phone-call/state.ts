import {
  type CallWords,
  type DoneStep,
  type FinishCallInput,
  isDone,
  type RecordCallInput,
  type RelatedRecords,
  type StepReport,
  stepsThatMayBeDone,
  type TaskClaim,
} from '../calls/index.ts';
import { isIntegrationError } from '../errors.ts';
import type { Contact } from '../messaging/index.ts';
import type { Caller } from './caller.ts';

/** What one phone call has learned and done so far. */
export interface PhoneCallState {
  caller: Caller;
  /** A contact that this phone call made. */
  madeContact: Contact | undefined;
  /** A lead that this phone call made. */
  madeLeadId: string | undefined;
  /** The caller's contact in the CRM. */
  crmContactId: string | undefined;
  /** What the Task is about. */
  related: RelatedRecords;
  conversationId: string | undefined;
  /** The teams that the conversation was handed to, one after the other. */
  teams: readonly string[];
  recorded: Recorded;
  readonly task: TaskClaim;
}

/** What has been recorded, and with which words. */
export interface Recorded {
  readonly done: readonly DoneStep[];
  readonly mayBeDone: readonly string[];
  readonly contents: Contents;
  /** With which words a conversation may have been started although the answer was lost. */
  readonly wordsBefore: CallWords | undefined;
}

type Contents = Readonly<Partial<Record<'note' | 'route' | 'attributes', string>>>;
type Content = Pick<RecordCallInput, 'note' | 'teamId'> & Pick<FinishCallInput, 'attributes' | 'outcome'>;

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
export const addRecorded = (before: Recorded, input: Content & CallWords, reports: readonly StepReport[]): Recorded => {
  const done = reports.filter(isDone);
  const steps = new Map([...before.done, ...done].map((report) => [report.step, report]));
  const fresh = Object.entries(contentsOf(input)).filter(([step]) => done.some((report) => report.step === step));
  return {
    done: [...steps.values()],
    mayBeDone: [...new Set([...before.mayBeDone, ...stepsThatMayBeDone(reports)])],
    contents: { ...before.contents, ...Object.fromEntries(fresh) },
    wordsBefore: before.wordsBefore ?? (reports.some(isUnclearConversation) ? wordsOf(input) : undefined),
  };
};

const isUnclearConversation = (report: StepReport): boolean =>
  report.step === 'conversation' &&
  report.status === 'failed' &&
  isIntegrationError(report.error) &&
  report.error.outcome === 'unknown';

const wordsOf = ({ summary, transcript, transcriptUrl }: CallWords): CallWords => ({
  summary,
  transcript,
  transcriptUrl,
});

const contentsOf = ({ note, teamId, attributes, outcome }: Content): Required<Contents> => ({
  note: note ?? '',
  route: teamId ?? '',
  attributes: JSON.stringify([attributes, outcome]),
});
