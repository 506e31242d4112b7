import type { Job } from 'bullmq';
import type { DeadLetter, Page, Selection } from '../../ports/message-queue.ts';
import { defaultPageLimit } from '../message-ledger.ts';
import { idOfJob, type JobData, jobIdOf, toDeadLetter } from './job.ts';
import type { GroupQueue, Server } from './server.ts';

/** BullMQ's failed jobs, in the order of all groups together. */
export const createDeadLetters = (groupsOf: (server: Server) => Promise<readonly string[]>) => {
  const pageOf = async (
    queue: GroupQueue,
    group: string,
    { since, after, limit }: { readonly since: number; readonly after?: string | undefined; readonly limit: number },
  ): Promise<Found[]> => {
    const found: Found[] = [];
    for (let first = await firstSince(queue, since); ; first += atOnce) {
      const ids = await queue.getRanges(['failed'], first, first + atOnce - 1, true);
      const some = await Promise.all(ids.map((id) => read(queue, group, id)));
      found.push(
        ...some.flatMap((each) =>
          each && (each.letter.diedAt > since || after === undefined || each.jobId > after) ? [each] : [],
        ),
      );
      // All that died in the same millisecond as the last one belong to the page.
      const isTie = found[limit - 1]?.letter.diedAt === found.at(-1)?.letter.diedAt;
      if (ids.length < atOnce || (found.length > limit && !isTie)) return found;
    }
  };

  const pageOfAll = async (server: Server, group: string | undefined, page: Parameters<typeof pageOf>[2]) => {
    const names = group === undefined ? await groupsOf(server) : [group];
    const pages = await Promise.all(names.map((name) => pageOf(server.queue(name), name, page)));
    return pages.flat().toSorted(longestDeadFirst).slice(0, page.limit);
  };

  const select = async (server: Server, which: Selection): Promise<Found[]> => {
    if (!('ids' in which))
      return pageOfAll(server, which.group, { since: which.since, limit: Number.POSITIVE_INFINITY });
    const names = await groupsOf(server);
    const found = [...new Set(which.ids)].flatMap((id) =>
      names.map((group) => read(server.queue(group), group, jobIdOf(id))),
    );
    return (await Promise.all(found)).flatMap((each) => (each ? [each] : []));
  };

  /** How many could be changed: another process may have redriven or discarded one meanwhile. */
  const change = async (server: Server, which: Selection, work: (job: Job<JobData>) => Promise<void>) => {
    const isChanged = await inChunks(await select(server, which), async ({ job }) => {
      if (!job || !(await job.isFailed())) return false;
      await work(job);
      await job.retry('failed', { resetAttemptsMade: true });
      return true;
    });
    return isChanged.filter(Boolean).length;
  };

  return {
    page: async (server: Server, { group, after, limit = defaultPageLimit }: Page): Promise<readonly DeadLetter[]> => {
      const [, since = '0', jobId] = /^(\d+):(.*)$/s.exec(after ?? '') ?? [];
      const page = await pageOfAll(server, group, { since: Number(since), after: jobId, limit });
      return page.map(({ letter }) => letter);
    },
    redrive: (server: Server, which: Selection) =>
      change(server, which, async (job) => {
        const { payload, suspicion } = job.data;
        if (suspicion) await job.updateData({ payload });
      }),
    /** A worker completes it without handling it, so that its id is kept like that of a message that is done. */
    discard: (server: Server, which: Selection, reason: string) =>
      change(server, which, (job) => job.updateData({ discarded: reason })),
  };
};

interface Found {
  readonly jobId: string;
  readonly letter: DeadLetter;
  /** Absent if its data is broken. */
  readonly job?: Job<JobData>;
}

const read = async (queue: GroupQueue, group: string, jobId: string): Promise<Found | undefined> => {
  try {
    const job = await queue.getJob(jobId);
    return job && { jobId, job, letter: toDeadLetter(job, group) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { jobId, letter: unreadable(jobId, group) };
  }
};

const unreadable = (jobId: string, group: string): DeadLetter => ({
  id: idOfJob(jobId),
  group,
  payload: null,
  attempts: 0,
  enqueuedAt: 0,
  diedAt: 0,
  reason: 'unreadable',
  cursor: `0:${jobId}`,
});

/** The index of the first one that died at or after a moment: the failed set is in the order of death. */
const firstSince = async (queue: GroupQueue, since: number): Promise<number> => {
  let low = 0;
  let high = since <= 0 ? 0 : ((await queue.getJobCounts('failed')).failed ?? 0);
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [jobId] = await queue.getRanges(['failed'], middle, middle, true);
    const found = jobId === undefined ? undefined : await read(queue, '', jobId);
    if (found && found.letter.diedAt < since) low = middle + 1;
    else high = middle;
  }
  return low;
};

const atOnce = 100;

const inChunks = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += atOnce)
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))));
  return results;
};

const longestDeadFirst = (a: Found, b: Found): number =>
  a.letter.diedAt - b.letter.diedAt || (a.jobId < b.jobId ? -1 : 1);
