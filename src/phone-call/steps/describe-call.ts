import { InvalidArgumentError } from '../../core/errors.ts';
import { maskCardNumbers } from '../../observability/redaction/card-numbers.ts';
import { type Moment, toDate } from './call-day.ts';

/** The announcement and the question before a phone call is recorded; they are in every record of it. */
export interface CallNotices {
  /** The moment at which the agent said that it's an AI. */
  readonly aiNoticeAt?: Moment | undefined;
  /** The caller's answer to being recorded. Left out: they weren't asked. */
  readonly recordingConsent?: boolean | undefined;
}

/** Throws `InvalidArgumentError` for a moment that is none, and for an answer that is neither yes nor no. */
export const assertNotices = ({ aiNoticeAt, recordingConsent }: CallNotices): void => {
  if (aiNoticeAt !== undefined) toDate(aiNoticeAt, 'aiNoticeAt');
  if (recordingConsent !== undefined && typeof recordingConsent !== 'boolean')
    throw new InvalidArgumentError('recordingConsent', 'must be true or false: what the caller said');
};

/** The words that a phone call leaves behind. */
export interface CallWords extends CallNotices {
  /** A few sentences on the call. */
  readonly summary?: string | undefined;
  /** Everything that was said. */
  readonly transcript?: string | undefined;
  /** The address of the transcript or recording. It's never masked, and comes first, so that it's never cut. */
  readonly transcriptUrl?: string | undefined;
}

/** The same, with what the CRM didn't take as a lead. */
export interface LearnedWords extends CallWords {
  /** Facts on a caller whose lead the CRM refused, as `qualifyLead` writes them. */
  readonly learned?: string | undefined;
}

/** The longest description that a CRM record takes; Salesforce's limit for long text. */
export const defaultMaximumLength = 32_000;

/**
 * Writes a phone call down as the text of a record: link, summary, what was learned, transcript.
 * Card numbers are masked; what exceeds `maximumLength` UTF-16 units is cut from the end, and a mark says how much.
 */
export const describeCall = (words: LearnedWords, maximumLength = defaultMaximumLength): string => {
  const spoken = [words.summary, words.learned, words.transcript].filter(
    (text) => text !== undefined && text.trim() !== '',
  );
  const link = words.transcriptUrl ? [`Transcript: ${words.transcriptUrl}`] : [];
  return clip(
    [...link, ...noticesIn(words), ...spoken.map((text) => maskCardNumbers(text as string))].join('\n\n'),
    maximumLength,
  );
};

const noticesIn = ({ aiNoticeAt, recordingConsent }: CallNotices): readonly string[] => [
  ...(aiNoticeAt === undefined ? [] : [`AI notice: ${toDate(aiNoticeAt, 'aiNoticeAt').toISOString()}`]),
  ...(recordingConsent === undefined ? [] : [`Recording: ${recordingConsent ? 'agreed to' : 'refused'}`]),
];

/** The title of a record: card numbers masked, at most 255 UTF-16 units; Salesforce's limit for tasks and cases. */
export const describeSubject = (subject: string): string => clip(maskCardNumbers(subject), 255);

/** Cuts a text to at most `maximumLength` UTF-16 units, its mark included, and never through a character. */
export const clip = (text: string, maximumLength: number): string => {
  if (text.length <= maximumLength) return text;
  const room = Math.max(0, maximumLength - mark(text.length).length);
  const kept = isHighSurrogate(text, room - 1) ? room - 1 : room;
  return `${text.slice(0, kept)}${mark(text.length - kept)}`.slice(0, maximumLength);
};

const mark = (left: number) => `\n[clipped: ${left} more characters]`;

const isHighSurrogate = (text: string, index: number) => (text.charCodeAt(index) & 0xfc00) === 0xd800;
