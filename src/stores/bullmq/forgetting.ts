import type { Answered } from './answered.ts';
import type { Backends } from './backends.ts';
import { behindAllMessages, readMessage } from './job.ts';
import { readJob } from './read-job.ts';

/** Forgets the ids of a group that were kept long enough, once a minute at most. */
export type Forget = (group: string, now: number) => Promise<void>;

/** BullMQ itself forgets only when another message of the group is done. */
export const createForgetting = ({ backends, answered, keepDoneMs }: ForgettingOptions): Forget => {
  const forgottenAt = new Map<string, number>();

  return async (group, now) => {
    if (now - (forgottenAt.get(group) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
    forgottenAt.set(group, now);
    const backend = await answered(backends.of(group));
    const [[all = 0], [messages = 0]] = await Promise.all([
      answered(backend.getCounts(['delayed'])),
      answered(backend.getCounts(['delayed'], behindAllMessages)),
      answered(backend.cleanJobsByState('completed', now - keepDoneMs, forgottenAtOnce)),
    ]);
    if (all === messages) return;
    const last = Math.min(all - messages, forgottenAtOnce) - 1;
    const [ids = []] = await answered(backend.getRanges(['delayed'], 0, last, false));
    for (const jobId of ids) {
      const job = await answered(readJob(backend, jobId));
      // The first one that is kept for longer stands before all others that are.
      if (job && readMessage(job, { group, state: 'delayed', keepDoneMs, now })) return;
      await answered(backend.remove(jobId, false));
    }
  };
};

interface ForgettingOptions {
  readonly backends: Backends;
  readonly answered: Answered;
  readonly keepDoneMs: number;
}

const everyMs = 60_000;
const forgottenAtOnce = 1_000;
