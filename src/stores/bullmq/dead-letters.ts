import type { Selection } from '../../ports/message-queue.ts';
import { defaultPageLimit, type MessageLedger, type Remote, type WrittenDeadLetter } from '../message-ledger.ts';
import type { Answered } from './answered.ts';
import type { Backend } from './backend.ts';
import type { Backends } from './backends.ts';
import type { Groups } from './groups.ts';
import { readData, readDeadLetter, type StoredJob, toTombstone } from './job.ts';
import { jobIdOf } from './names.ts';
import { inChunks, readJob } from './read-job.ts';

export interface DeadLettersOptions {
  readonly backends: Backends;
  readonly groups: Groups;
  readonly answered: Answered;
}

/** BullMQ's failed jobs, which it keeps by the moment of their death, in the order of all groups together. */
export const createDeadLetters = ({
  backends,
  groups,
  answered,
}: DeadLettersOptions): Pick<Remote<MessageLedger>, 'deadLetters' | 'redrive' | 'discard'> => {
  const read = async (backend: Backend, group: string, first: number, last: number): Promise<Found[]> => {
    const [ids = []] = await answered(backend.getRanges(['failed'], first, last, true));
    const jobs = await inChunks(ids, (jobId) => answered(readJob(backend, jobId)));
    return jobs.flatMap((job) => (job ? [{ backend, job, letter: readDeadLetter(job, group) }] : []));
  };

  /** Where those who died at or after a moment begin. */
  const firstSince = async (backend: Backend, group: string, since: number): Promise<number> => {
    const [count = 0] = await answered(backend.getCounts(['failed']));
    let low = 0;
    let high = since <= 0 ? 0 : count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [found] = await read(backend, group, middle, middle);
      if (found && found.letter.diedAt < since) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  /** At least `limit` after the cursor if there are so many, and all that died in the same millisecond as the last. */
  const pageOf = async (group: string, [since, after]: Cursor, limit: number): Promise<Found[]> => {
    const backend = await answered(backends.of(group));
    const found: Found[] = [];
    for (let first = await firstSince(backend, group, since); ; first += atOnce) {
      const more = await read(backend, group, first, first + atOnce - 1);
      found.push(...more.filter(({ letter, job }) => letter.diedAt > since || after === undefined || job.id > after));
      const isTie = found[limit - 1]?.letter.diedAt === found.at(-1)?.letter.diedAt;
      if (more.length < atOnce || (found.length > limit && !isTie)) return found;
    }
  };

  const page = async (group: string | undefined, cursor: Cursor, limit: number): Promise<Found[]> => {
    const names = group === undefined ? await groups.all() : [group];
    const pages = await Promise.all(names.map((name) => pageOf(name, cursor, limit)));
    return pages.flat().toSorted(longestDeadFirst).slice(0, limit);
  };

  const byIds = async (ids: readonly string[]): Promise<Found[]> => {
    const names = await groups.all();
    const found = await inChunks([...new Set(ids)], async (id): Promise<Found[]> => {
      const each = names.map(async (group): Promise<Found[]> => {
        const backend = await answered(backends.of(group));
        const job = await answered(readJob(backend, jobIdOf(id)));
        if (!job || (await answered(backend.getState(job.id))) !== 'failed') return [];
        return [{ backend, job, letter: readDeadLetter(job, group) }];
      });
      return (await Promise.all(each)).flat();
    });
    return found.flat();
  };

  /** All at the time of asking: what dies again meanwhile is not taken twice. */
  const select = async (which: Selection): Promise<Found[]> =>
    'ids' in which ? byIds(which.ids) : page(which.group, [which.since, undefined], Number.POSITIVE_INFINITY);

  const change = async (which: Selection, work: (found: Found) => Promise<unknown>): Promise<number> => {
    const changed = await inChunks(await select(which), (found) => work(found).then(isTrue, isFalseWhenGone));
    return changed.filter(Boolean).length;
  };

  return {
    deadLetters: async ({ group, after, limit = defaultPageLimit }) =>
      (await page(group, readCursor(after), limit)).map(({ letter }) => letter),
    redrive: ({ which }) =>
      change(which, async ({ backend, job }) => {
        // BullMQ goes on counting how often it has stalled: where that begins anew is written first.
        if (job.stalledCounter > 0)
          await answered(backend.updateData(job, { ...readData(job), stalledBefore: job.stalledCounter }));
        await backend.retryFinishedJob(job, 'failed', { resetAttemptsMade: true });
      }),
    discard: ({ which, reason, keepUntil }) =>
      change(which, async ({ backend, job, letter }) => {
        const now = letter.diedAt;
        if ((await answered(backend.remove(job.id, false))) !== 1) throw gone();
        const tombstone = toTombstone(letter, { reason, keepUntil, now });
        await answered(backend.addJobs([{ job: tombstone, jobId: job.id }]));
      }),
  };
};

interface Found {
  readonly backend: Backend;
  readonly job: StoredJob;
  readonly letter: WrittenDeadLetter;
}

/** Somebody else has redriven or discarded it meanwhile. */
const gone = () => Object.assign(new Error('gone'), { code: -1 });
const isTrue = () => true;
const isFalseWhenGone = (error: unknown): false => {
  if (error instanceof Error && 'code' in error && (error.code === -1 || error.code === -3)) return false;
  throw error;
};

const atOnce = 100;

/** When the last one that was seen died, and its id in BullMQ. */
type Cursor = readonly [diedAt: number, jobId: string | undefined];

const readCursor = (after: string | undefined): Cursor => {
  const [, diedAt, jobId] = /^(\d+):(.*)$/s.exec(after ?? '') ?? [];
  return [Number(diedAt ?? 0), jobId];
};

const longestDeadFirst = (a: Found, b: Found): number => {
  const byTime = a.letter.diedAt - b.letter.diedAt;
  if (byTime !== 0) return byTime;
  return a.job.id < b.job.id ? -1 : 1;
};
