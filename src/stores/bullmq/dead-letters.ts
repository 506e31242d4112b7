import type { Job } from 'bullmq';
import type { Page, Selection } from '../ports/message-queue.ts';
import { defaultPageLimit } from '../message-ledger.ts';
import { cursorOf, type JobData, jobIdOf, toDeadLetter } from './job.ts';
import type { Server } from './server.ts';

/** BullMQ's failed jobs: group by group, the longest dead first. Their ids alone, since they may be many. */
const failedOf = async (server: Server, group: string | undefined) => {
  const found = await server.each(async (queue) => {
    const jobIds = await queue.getRanges(['failed'], 0, -1, true);
    return jobIds.map((jobId) => ({ queue, jobId }));
  }, group);
  return found.flat();
};

export const readDeadLetters = async (server: Server, { group, after = '', limit = defaultPageLimit }: Page) => {
  const failed = await failedOf(server, group);
  const read = async (from: number, to: number) => {
    const jobs = await Promise.all(failed.slice(from, to).map(({ queue, jobId }) => queue.getJob(jobId)));
    return jobs.filter((job) => job !== undefined).map(toDeadLetter);
  };
  const at = failed.findIndex(({ queue, jobId }) => after.startsWith(cursorOf(queue.name, jobId)));
  const [last, ...next] = at < 0 ? [] : await read(at, at + 1 + limit);
  // When the letter of the cursor was redriven or discarded meanwhile, begin again.
  return last?.cursor === after ? next : read(0, limit);
};

/** Changes dead letters one by one. How many: another process may have redriven or discarded one meanwhile. */
const change = async (server: Server, which: Selection, apply: (job: Job<JobData>) => Promise<void>) => {
  const places =
    'ids' in which
      ? (await server.each(async (queue) => which.ids.map((id) => ({ queue, jobId: jobIdOf(id) })))).flat()
      : await failedOf(server, which.group);
  let changed = 0;
  for (const { queue, jobId } of places) {
    const job = await queue.getJob(jobId);
    // Only what has failed has finished: what is done is removed.
    if (job?.finishedOn === undefined || ('since' in which && job.finishedOn < which.since)) continue;
    await apply(job);
    changed += 1;
  }
  return changed;
};

export const redrive = (server: Server, which: Selection) =>
  change(server, which, async (job) => {
    await job.updateData({ payload: job.data.payload });
    await job.retry('failed', { resetAttemptsMade: true });
  });

export const discard = (server: Server, which: Selection) => change(server, which, (job) => job.remove());
