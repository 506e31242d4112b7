import { groupOf } from './job.ts';
import type { GroupQueue } from './server.ts';

/** The name of a group, and its numbers. */
export const readStats = async (queue: GroupQueue) => {
  const [counts, isPaused, next, [dead]] = await Promise.all([
    queue.getJobCounts(),
    queue.isPaused(),
    // As many as it takes to find the oldest one, usually.
    queue.getJobs(['waiting', 'delayed'], 0, 19, true),
    queue.getJobs(['failed'], 0, 0, true),
  ]);
  const ageOf = (since: number | undefined) => (since === undefined ? 0 : Math.max(0, Date.now() - since));
  const stats = {
    // On PostgreSQL BullMQ counts no job of a paused queue as waiting.
    ready: counts.waiting || (isPaused ? (await queue.getRanges(['waiting'], 0, -1)).length : 0),
    delayed: counts.delayed ?? 0,
    leased: counts.active ?? 0,
    dead: counts.failed ?? 0,
    oldestAgeMs: Math.max(0, ...next.map(({ timestamp }) => ageOf(timestamp))),
    oldestDeadAgeMs: ageOf(dead?.finishedOn),
    isPaused,
  };
  return [groupOf(queue.name), stats] as const;
};
