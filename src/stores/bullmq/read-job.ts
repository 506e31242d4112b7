import type { Backend } from './backend.ts';
import type { StoredJob } from './job.ts';

/** A job as it is kept. On Redis BullMQ leaves its id out. */
export const readJob = async (backend: Backend, jobId: string): Promise<StoredJob | undefined> => {
  const job = await backend.getJobData(jobId);
  // What BullMQ gives back of a job that we have added.
  return job === undefined ? undefined : { ...(job as StoredJob), id: jobId };
};

/** `read` for each, so many at a time. */
export const inChunks = async <T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += chunk)
    results.push(...(await Promise.all(items.slice(at, at + chunk).map(read))));
  return results;
};

const chunk = 50;
