import type { GroupStats } from '../../ports/message-queue.ts';
import { addCounts, noMessages } from '../message-counts.ts';
import type { MessageLedger, Remote } from '../message-ledger.ts';
import type { Answered } from './answered.ts';
import type { Backend } from './backend.ts';
import type { Backends } from './backends.ts';
import type { Groups } from './groups.ts';
import { behindAllMessages, readData, readMessage } from './job.ts';
import { jobIdOf } from './names.ts';
import { inChunks, readJob } from './read-job.ts';

export interface OverviewOptions {
  readonly backends: Backends;
  readonly groups: Groups;
  readonly answered: Answered;
  readonly keepDoneMs: number;
}

/** What is looked up in the queue, and the switch of a group. */
export const createOverview = ({
  backends,
  groups,
  answered,
  keepDoneMs,
}: OverviewOptions): Pick<Remote<MessageLedger>, 'get' | 'stats' | 'pause' | 'resume'> => {
  const find = async (group: string, id: string, now: number) => {
    const backend = await answered(backends.of(group));
    const job = await answered(readJob(backend, jobIdOf(id)));
    return job && readMessage(job, { group, state: await answered(backend.getState(job.id)), keepDoneMs, now });
  };

  const agesOf = async (backend: Backend, waiting: number, now: number) => {
    const [[next = []], [due = []], [dead = []]] = await Promise.all([
      // The first in line stand at the end.
      answered(backend.getRanges(['wait'], Math.max(0, waiting - lookedAt), Math.max(0, waiting - 1), false)),
      answered(backend.getRanges(['delayed'], 0, lookedAt - 1, true)),
      answered(backend.getRanges(['failed'], 0, 0, true)),
    ]);
    const jobs = await inChunks([...next, ...due], (jobId) => answered(readJob(backend, jobId)));
    const [longestDead] = await inChunks(dead, (jobId) => answered(readJob(backend, jobId)));
    const enqueued = jobs.flatMap((job) => (job && !readData(job).discarded ? [job.timestamp] : []));
    const oldest = Math.min(now, ...enqueued);
    return { oldestAgeMs: now - oldest, oldestDeadAgeMs: Math.max(0, now - (longestDead?.finishedOn ?? now)) };
  };

  const statsOf = async (group: string, now: number): Promise<GroupStats> => {
    const backend = await answered(backends.of(group));
    const [[wait = 0, paused = 0, leased = 0, dead = 0, due = 0], [delayed = 0], isPaused] = await Promise.all([
      answered(backend.getCounts(['wait', 'paused', 'active', 'failed', 'delayed'], now + 1)),
      answered(backend.getCounts(['delayed'], behindAllMessages)),
      answered(backend.hasQueueMetaField('paused')),
    ]);
    const waiting = wait + paused;
    const counts = { ready: waiting + due, delayed: delayed - due, leased, dead };
    const isIdle = waiting + delayed + dead === 0;
    const ages = isIdle ? { oldestAgeMs: 0, oldestDeadAgeMs: 0 } : await agesOf(backend, waiting, now);
    return { ...counts, ...ages, isPaused };
  };

  const setPaused = async (group: string, isPaused: boolean) => {
    await answered(backends.add(groups.entriesFor([group])));
    groups.added([group]);
    await answered((await answered(backends.of(group))).pause(isPaused));
  };

  return {
    get: async ({ id, now }) => {
      const found = await Promise.all((await groups.all()).map((group) => find(group, id, now)));
      return found.find((message) => message !== undefined);
    },
    stats: async (now) => {
      const names = await groups.all();
      const each = await Promise.all(names.map((group) => statsOf(group, now)));
      const standing = names.flatMap((name, index): [string, GroupStats][] => {
        const stats = each[index];
        return stats && holdsSomething(stats) ? [[name, stats]] : [];
      });
      const all = standing.reduce((sum, [, stats]) => addCounts(sum, stats), noMessages);
      return { ...all, groups: Object.fromEntries(standing) };
    },
    pause: (group) => setPaused(group, true),
    resume: (group) => setPaused(group, false),
  };
};

/** How many of those that come next are looked at for the oldest one. */
const lookedAt = 20;

const holdsSomething = ({ ready, delayed, leased, dead, isPaused }: GroupStats): boolean =>
  isPaused || ready + delayed + leased + dead > 0;
