import { idOfJob } from './names.ts';
import type { NewMessage, WrittenDeadLetter, WrittenMessage } from '../message-ledger.ts';

/** A job to be added. */
export interface JobRecord {
  readonly name: string;
  readonly data: string;
  readonly opts: { readonly attempts?: number; readonly delay?: number };
  readonly timestamp: number;
  readonly delay: number;
}

/** A message as BullMQ is given it. */
export const toJob = ({ payload, dueAt }: Pick<NewMessage, 'payload' | 'dueAt'>, now: number): JobRecord =>
  newJob({ payload, dueAt }, now, Math.max(0, dueAt - now));

/** What is kept of a discarded dead letter: a job of the same id that is never due, so that its id is ignored. */
export const toTombstone = (
  { enqueuedAt, attempts }: Pick<WrittenDeadLetter, 'enqueuedAt' | 'attempts'>,
  { reason, keepUntil, now }: { readonly reason: string; readonly keepUntil: number; readonly now: number },
): JobRecord => newJob({ discarded: { reason, keepUntil, attempts, enqueuedAt } }, now, endOfTime - keepUntil - now);

/**
 * Tombstones lie behind everything that is really due, the one to be forgotten first at the very end. In the year 2223;
 * half of it is still later than any message.
 */
const endOfTime = 8_000_000_000_000;
export const behindAllMessages = endOfTime / 2;

/** What we write into a job. The payload is text, since PostgreSQL would put its keys into another order. */
export interface JobData {
  readonly payload?: string;
  readonly dueAt?: number;
  /** How often it had stalled when it was redriven; BullMQ goes on counting. */
  readonly stalledBefore?: number;
  readonly discarded?: {
    readonly reason: string;
    readonly keepUntil: number;
    readonly attempts: number;
    readonly enqueuedAt: number;
  };
}

/** What the last handler left: stands where BullMQ keeps why a job failed, and is written together with its state. */
export interface Ending {
  /** When it is due again. */
  readonly at?: number;
  readonly reason?: string;
  readonly note?: string;
  /** Where BullMQ's own count would be one too high. */
  readonly attempts?: number;
}

const newJob = (data: JobData, now: number, delay: number): JobRecord => ({
  name: 'message',
  data: JSON.stringify(data),
  // Whether it is tried again is never BullMQ's decision.
  opts: { attempts: 1, delay },
  timestamp: now,
  delay,
});

export const readData = ({ data }: Pick<JobRecord, 'data'>): JobData => JSON.parse(data) as JobData;

export const readEnding = ({ failedReason }: Pick<StoredJob, 'failedReason'>): Ending => {
  try {
    return JSON.parse(failedReason ?? '{}') as Ending;
  } catch {
    // Written by somebody else, such as an operator's console.
    return { reason: String(failedReason) };
  }
};

/** A job as BullMQ gives it back. */
export interface StoredJob extends JobRecord {
  readonly id: string;
  readonly attemptsMade: number;
  readonly stalledCounter: number;
  readonly finishedOn?: number;
  readonly processedOn?: number;
  readonly processedBy?: string;
  readonly failedReason?: string;
}

/** How often the message was leased and came to an end, or its lease did. */
export const attemptsOf = (job: Pick<StoredJob, 'attemptsMade' | 'stalledCounter' | 'data'>): number =>
  job.attemptsMade + job.stalledCounter - (readData(job).stalledBefore ?? 0);

/** `undefined`: what is kept of it is to be forgotten by now. */
export const readMessage = (
  job: StoredJob,
  { group, state, keepDoneMs, now }: { group: string; state: string; keepDoneMs: number; now: number },
): WrittenMessage | undefined => {
  const id = idOfJob(job.id);
  const { payload = 'null', dueAt = job.timestamp, discarded } = readData(job);
  const base = { id, group, payload: 'null', attempts: attemptsOf(job), enqueuedAt: job.timestamp };
  if (discarded) {
    const { keepUntil, ...kept } = discarded;
    return keepUntil > now ? { ...base, ...kept, state: 'discarded', dueAt: keepUntil } : undefined;
  }
  if (state === 'completed') {
    const keepUntil = (job.finishedOn ?? now) + keepDoneMs;
    return keepUntil > now ? { ...base, state: 'done', dueAt: keepUntil } : undefined;
  }
  const { at, reason, note, attempts } = readEnding(job);
  const live = { ...base, payload, ...(note !== undefined && { note }) };
  if (state === 'failed') {
    const dead = { reason: reason ?? 'failed', ...(attempts !== undefined && { attempts }) };
    return { ...live, ...dead, state: 'dead', dueAt: job.finishedOn ?? now };
  }
  if (state !== 'active') return { ...live, state: 'waiting', dueAt: at ?? dueAt };
  return { ...live, state: 'leased', attempts: base.attempts + 1, dueAt: leaseEndOf(job) };
};

/** Who leases a job signs with the moment at which its lease ends. */
const leaseEndOf = ({ processedBy, processedOn = 0 }: StoredJob): number => Number(processedBy) || processedOn;

export const readDeadLetter = (job: StoredJob, group: string): WrittenDeadLetter => {
  const { reason = 'failed', note, attempts = attemptsOf(job) } = readEnding(job);
  const diedAt = job.finishedOn ?? job.timestamp;
  return {
    id: idOfJob(job.id),
    group,
    payload: readData(job).payload ?? 'null',
    attempts,
    enqueuedAt: job.timestamp,
    diedAt,
    reason,
    ...(note !== undefined && { note }),
    cursor: `${diedAt}:${job.id}`,
  };
};
