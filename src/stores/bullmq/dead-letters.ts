import type { Job } from 'bullmq';
import type { DeadLetter, Page, Selection } from '../../ports/message-queue.ts';
import { defaultPageLimit } from '../message-ledger.ts';
import { type JobData, jobIdOf, toDeadLetter } from './job.ts';
import type { GroupQueue, Server } from './server.ts';

/** BullMQ's failed jobs, in the order of all groups together. */
export const createDeadLetters = (groupsOf: (server: Server) => Promise<readonly string[]>) => {
  const pageOf = async (server: Server, { group, since, after = '', limit }: Range): Promise<readonly DeadJob[]> => {
    const names = group === undefined ? await groupsOf(server) : [group];
    const pages = await Promise.all(
      names.map(async (name) => {
        const found: DeadJob[] = [];
        for await (const job of failedSince(server.queue(name), since)) {
          const letter = toDeadLetter(job, name);
          // All that died in the same millisecond as the last one belong to the page.
          if (found.length >= limit && letter.diedAt !== found.at(-1)?.letter.diedAt) break;
          if (letter.diedAt > since || letter.cursor > after) found.push({ job, letter });
        }
        return found;
      }),
    );
    return pages.flat().toSorted(longestDeadFirst).slice(0, limit);
  };

  const select = async (server: Server, which: Selection): Promise<readonly Job<JobData>[]> => {
    if (!('ids' in which))
      return (await pageOf(server, { ...which, limit: Number.POSITIVE_INFINITY })).map(({ job }) => job);
    const queues = (await groupsOf(server)).map(server.queue);
    const jobs = [...new Set(which.ids)].flatMap((id) => queues.map((queue) => queue.getJob(jobIdOf(id))));
    return (await Promise.all(jobs)).filter((job) => job !== undefined);
  };

  /** How many could be changed: another process may have redriven or discarded one meanwhile. */
  const change = async (server: Server, which: Selection, toData: (data: JobData) => JobData): Promise<number> => {
    const jobs = await select(server, which);
    let changed = 0;
    const changeOne = async (job: Job<JobData>) => {
      if (!(await job.isFailed())) return;
      await job.updateData(toData(job.data));
      await job.retry('failed', { resetAttemptsMade: true });
      changed += 1;
    };
    for (let at = 0; at < jobs.length; at += atOnce) await Promise.all(jobs.slice(at, at + atOnce).map(changeOne));
    return changed;
  };

  return {
    page: async (server: Server, { after, limit = defaultPageLimit, group }: Page): Promise<readonly DeadLetter[]> => {
      const page = await pageOf(server, { group, after, limit, since: Number.parseInt(after || '0', 10) });
      return page.map(({ letter }) => letter);
    },
    redrive: (server: Server, which: Selection) => change(server, which, ({ payload }) => ({ payload })),
    /** A worker completes it without handling it, so that its id is kept like that of a message that is done. */
    discard: (server: Server, which: Selection, discarded: string) => change(server, which, () => ({ discarded })),
  };
};

interface DeadJob {
  readonly job: Job<JobData>;
  readonly letter: DeadLetter;
}

interface Range {
  readonly group?: string | undefined;
  readonly since: number;
  /** A cursor that begins with `since`. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The longest dead first, which is BullMQ's order too. */
async function* failedSince(queue: GroupQueue, since: number): AsyncGenerator<Job<JobData>> {
  for (let first = await indexOfFirst(queue, since); ; first += atOnce) {
    const jobs = await queue.getJobs(['failed'], first, first + atOnce - 1, true);
    yield* jobs;
    if (jobs.length === 0) return;
  }
}

/** By halves, so that the last page of many takes no longer than the first. */
const indexOfFirst = async (queue: GroupQueue, since: number): Promise<number> => {
  let [low, high] = [0, since <= 0 ? 0 : ((await queue.getJobCounts('failed')).failed ?? 0)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [job] = await queue.getJobs(['failed'], middle, middle, true);
    if ((job?.finishedOn ?? since) < since) low = middle + 1;
    else high = middle;
  }
  return low;
};

const atOnce = 100;

const longestDeadFirst = ({ letter: a }: DeadJob, { letter: b }: DeadJob): number =>
  a.diedAt - b.diedAt || (a.cursor < b.cursor ? -1 : 1);
