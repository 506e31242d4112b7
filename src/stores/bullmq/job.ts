import type { Job } from 'bullmq';
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
  /** How many attempts a message has begun that was in flight when a process died. BullMQ counts those that ended. */
  readonly attempts?: number;
}

export const toJob = ({ id, payload, dueAt }: QueuedMessage, now: number, keepDoneMs: number) => ({
  name: 'message',
  data: { payload: JSON.stringify(payload) },
  opts: {
    jobId: jobIdOf(id),
    delay: Math.max(0, Math.ceil((dueAt ?? now) - now)),
    // Our schedule and our count of attempts hold; failed jobs are the dead letters, and nothing trims them.
    attempts: 2 ** 31 - 1,
    backoff: { type: 'handler' },
    removeOnFail: false,
    removeOnComplete: { age: Math.ceil(keepDoneMs / 1_000) },
  },
});

export const attemptsOf = ({ data, attemptsMade }: Job<JobData>): number => data.attempts ?? attemptsMade;

/** What BullMQ keeps of why a job failed: a word, and the note after it. */
export const toFailure = (word: string, note: Json | undefined): string =>
  note === undefined ? word : `${word} ${JSON.stringify(note)}`;

const splitFailure = (failedReason: string | null | undefined) =>
  /^(\S+)(?: (.*))?$/s.exec(failedReason ?? '')?.slice(1) ?? [];

export const toMessage = (job: Job<JobData>, group: string, state: string): StoredMessage => {
  const { data, timestamp: enqueuedAt } = job;
  const [word = '', note] = splitFailure(job.failedReason);
  const base = { id: idOfJob(job), group, payload: null, attempts: attemptsOf(job), enqueuedAt };
  if (data.discarded !== undefined) return { ...base, state: 'discarded', reason: data.discarded };
  if (state === 'completed') return { ...base, state: 'done' };
  const live = {
    ...base,
    payload: parseStored(data.payload),
    note: note === undefined ? undefined : parseStored(note),
  };
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

export const idOfJob = ({ id = '' }: { readonly id?: string | undefined }): string =>
  decodeURIComponent(id.slice(2).replaceAll('~', '%'));
