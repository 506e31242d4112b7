import type { Job } from 'bullmq';
import type { Json } from '../ports/json.ts';
import type { DeadLetter, QueuedMessage, StoredMessage } from '../ports/message-queue.ts';
import { parseStored } from '../message-ledger.ts';

/** A message as the data of a job. */
export interface JobData {
  /** JSON as text: PostgreSQL would refuse a NUL character in it. */
  readonly payload: string;
  /** The attempts that began of a message that was in flight when a process died. BullMQ counts those that ended. */
  readonly attempts?: number;
}

/** The arguments of `queue.add`. */
export const toJob = ({ id, payload, dueAt }: QueuedMessage, keepDoneMs: number) => {
  const jobId = jobIdOf(id);
  return [
    'message',
    { payload: JSON.stringify(payload) },
    {
      jobId,
      delay: dueAt === undefined ? 0 : Math.max(0, Math.ceil(dueAt - Date.now())),
      // Our count of attempts and our schedule hold; failed jobs are the dead letters, and nothing trims them.
      attempts: 2 ** 31 - 1,
      backoff: 1_000,
      removeOnFail: false,
      // What is done leaves nothing but its id.
      removeOnComplete: true,
      deduplication: { id: jobId, ttl: Math.ceil(keepDoneMs) },
    },
  ] as const;
};

export const attemptsOf = ({ data, attemptsMade }: Job<JobData>): number => data.attempts ?? attemptsMade;

/** The reason of a failed job, as BullMQ keeps it: a word, and the note after it. */
export const failureText = (word: string, note: Json | undefined): string =>
  note === undefined ? word : `${word} ${JSON.stringify(note)}`;

export const toMessage = (job: Job<JobData>, state: string): StoredMessage => {
  const [, word = '', note] = /^(\S+)(?: (.*))?$/s.exec(job.failedReason ?? '') ?? [];
  return {
    id: idOfJob(job.id),
    group: groupOfQueue(job.queueName),
    state: state === 'failed' ? 'dead' : state === 'active' ? 'leased' : 'waiting',
    payload: parseStored(job.data.payload),
    attempts: attemptsOf(job),
    enqueuedAt: job.timestamp,
    note: note === undefined ? undefined : parseStored(note),
    reason: state === 'failed' ? word : undefined,
  };
};

export const toDeadLetter = (job: Job<JobData>): DeadLetter => {
  const { state: _state, reason = '', ...message } = toMessage(job, 'failed');
  const diedAt = job.finishedOn ?? job.timestamp;
  return { ...message, diedAt, reason, cursor: `${cursorOf(job.queueName, job.id)}${diedAt}` };
};

/** The beginning of the cursor of a dead letter. */
export const cursorOf = (queue: string, jobId: string | undefined): string => `${queue}:${jobId}:`;

/**
 * BullMQ builds its keys with colons and takes an id of digits for one of its own, so our names are percent-encoded behind a
 * letter. With `~` for `%`, since tools such as bull-board decode a name twice.
 */
const encode = (text: string): string => encodeURIComponent(text).replaceAll('~', '%7E').replaceAll('%', '~');

const decode = (text: string): string => decodeURIComponent(text.replaceAll('~', '%'));

/** The BullMQ queue of a group. */
export const queueOf = (name: string, group: string): string => `${name}.group.${encode(group)}`;

export const groupOfQueue = (queue: string): string => decode(queue.slice(queue.indexOf('.group.') + 7));

export const jobIdOf = (id: string): string => `m.${encode(id)}`;

export const idOfJob = (jobId = ''): string => decode(jobId.slice(2));
