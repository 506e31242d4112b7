import type { Job } from 'bullmq';
import type { DeadLetter, Page, Selection } from '../../ports/message-queue.ts';
import { defaultPageLimit } from '../message-ledger.ts';
import { type JobData, jobIdOf, toDeadLetter } from './job.ts';
import type { Server } from './server.ts';

/** Where a job may be. */
interface Place {
  readonly group: string;
  readonly jobId: string;
}

const readJob = ({ queue }: Server, { group, jobId }: Place) => queue(group).getJob(jobId);

/** BullMQ's failed jobs: group by group, the longest dead first. Their ids alone, since they may be many. */
const failedOf = async ({ queue, groups }: Server, group: string | undefined): Promise<readonly Place[]> => {
  const found = (group === undefined ? await groups() : [group]).map(async (group) => {
    const jobIds = await queue(group).getRanges(['failed'], 0, -1, true);
    return jobIds.map((jobId) => ({ group, jobId }));
  });
  return (await Promise.all(found)).flat();
};

export const readDeadLetters = async (
  server: Server,
  { group, after = '', limit = defaultPageLimit }: Page,
): Promise<readonly DeadLetter[]> => {
  const failed = await failedOf(server, group);
  const read = async (places: readonly Place[]) => {
    const letters = places.map(async (place) => {
      const job = await readJob(server, place);
      return job && toDeadLetter(job, place.group);
    });
    return (await Promise.all(letters)).filter((letter) => letter !== undefined);
  };
  const at = failed.findIndex(({ group, jobId }) => after.endsWith(`:${jobId}:${group}`));
  const [last] = await read(failed.slice(at, at + 1));
  // When the letter of the cursor was redriven or discarded meanwhile, begin again.
  const first = last?.cursor === after ? at + 1 : 0;
  return read(failed.slice(first, first + limit));
};

/** Changes dead letters one by one. How many: another process may have redriven or discarded one meanwhile. */
const change = async (
  server: Server,
  which: Selection,
  apply: (job: Job<JobData>) => Promise<void>,
): Promise<number> => {
  const groups = await server.groups();
  const places =
    'ids' in which
      ? which.ids.flatMap((id) => groups.map((group) => ({ group, jobId: jobIdOf(id) })))
      : await failedOf(server, which.group);
  let changed = 0;
  for (const place of places) {
    const job = await readJob(server, place);
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
