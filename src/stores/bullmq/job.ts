import type { Job, JobsOptions } from 'bullmq';
import { InvalidArgumentError } from '../../errors.ts';
import type { Json } from '../../ports/json.ts';
import type { DeadLetter, QueuedMessage, StoredMessage } from '../../ports/message-queue.ts';
import { parseStored } from '../message-ledger.ts';

/** A message as the data of a job. */
export interface JobData {
  /** JSON as text: PostgreSQL would refuse a NUL character in it. */
  readonly payload?: string | undefined;
  /** Why it was discarded. */
  readonly discarded?: string;
  /** Of a message that was in flight when a process died; see {@link isSuspect}. */
  readonly suspicion?: Suspicion;
}

export interface Suspicion {
  /** How many of its attempts had ended when it was last handled alone. */
  readonly attemptsMade: number | undefined;
  /** How often a process died while it was handled alone. */
  readonly crashes: number;
}

/** Our schedule and our count of attempts hold; failed jobs are the dead letters, and nothing trims them. */
const jobOptions: JobsOptions = { attempts: 2 ** 31 - 1, backoff: { type: 'handler' }, removeOnFail: false };

export const toJob = ({ id, payload, dueAt }: QueuedMessage, now: number, keepDoneMs: number) => ({
  name: 'message',
  data: { payload: JSON.stringify(payload) },
  opts: {
    ...jobOptions,
    jobId: jobIdOf(id),
    delay: Math.max(0, Math.ceil((dueAt ?? now) - now)),
    removeOnComplete: { age: Math.ceil(keepDoneMs / 1_000) },
  },
});

/** Whether a process died, or froze for longer than its lock lasts, while it was in flight. */
export const isSuspect = ({ stalledCounter }: Job<JobData>): boolean => stalledCounter > 0;

/** How often it was handled: its own attempts and crashes, not the crashes of jobs in flight at the same time. */
export const attemptsOf = (job: Job<JobData>): number => job.attemptsMade + crashesOf(job);

export const crashesOf = ({ data: { suspicion }, attemptsMade }: Job<JobData>): number =>
  suspicion === undefined ? 0 : suspicion.crashes + (suspicion.attemptsMade === attemptsMade ? 1 : 0);

/** What BullMQ keeps of why a job failed: a word, and the note after it. */
export const toFailure = (word: string, note: Json | undefined): string =>
  note === undefined ? word : `${word} ${JSON.stringify(note)}`;

const readFailure = (failedReason = ''): { readonly word: string; readonly note?: Json } => {
  const [, word = failedReason, note] = /^(\S+) (.*)$/s.exec(failedReason) ?? [];
  return note === undefined ? { word } : { word, note: parseStored(note) };
};

export const toMessage = (job: Job<JobData>, group: string, state: string): StoredMessage => {
  const { data, timestamp: enqueuedAt } = job;
  const { word, note } = readFailure(job.failedReason);
  const base = { id: idOfJob(job.id ?? ''), group, payload: null, attempts: attemptsOf(job), enqueuedAt };
  if (data.discarded !== undefined) return { ...base, state: 'discarded', reason: data.discarded };
  if (state === 'completed') return { ...base, state: 'done' };
  const live = { ...base, payload: parseStored(data.payload), ...(note === undefined ? undefined : { note }) };
  if (state === 'failed') return { ...live, state: 'dead', reason: word };
  return { ...live, state: state === 'active' ? 'leased' : 'waiting' };
};

export const toDeadLetter = (job: Job<JobData>, group: string): DeadLetter => {
  const { state: _state, reason = '', ...message } = toMessage(job, group, 'failed');
  const diedAt = job.finishedOn ?? job.timestamp;
  return { ...message, diedAt, reason, cursor: `${diedAt}:${job.id}` };
};

/**
 * BullMQ builds its keys with colons and takes an id of digits for one of its own, so our names are percent-encoded behind a
 * letter. With `~` for `%`, since tools such as bull-board decode a name twice.
 */
const encode = (text: string, field: string): string => {
  if (!text.isWellFormed()) throw new InvalidArgumentError(field, 'must be well-formed Unicode');
  return encodeURIComponent(text).replaceAll('~', '%7E').replaceAll('%', '~');
};

/** The BullMQ queue of a group. */
export const queueOf = (name: string, group: string): string => `${name}.group.${encode(group, 'group')}`;

/** The BullMQ queue whose jobs are the names of the groups. No worker takes them. */
export const queueOfGroups = (name: string): string => `${name}.groups`;

/** Braces keep all keys on one node of a cluster: a transaction may then hold several groups. */
export const prefixOf = (name: string): string => `{${name}}`;

export const jobIdOf = (id: string): string => `m.${encode(id, 'id')}`;

export const idOfJob = (jobId: string): string => decodeURIComponent(jobId.slice(2).replaceAll('~', '%'));

export const assertName = (name: string): void => {
  if (!/^[\w-]+$/.test(name)) throw new InvalidArgumentError('name', 'must be made of letters, digits, _ and -');
};
