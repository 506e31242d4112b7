import type { Settlement } from '../message-ledger.ts';
import type { Backend } from './backend.ts';
import type { Ending, StoredJob } from './job.ts';

/** A job whose lock we have. */
export interface LockedJob {
  readonly backend: Backend;
  readonly job: StoredJob;
}

/** Writes what became of a leased message, as BullMQ ends a job. `false`: the lock is another's by now. */
export const endLease = (
  { backend, job }: LockedJob,
  settlement: Settlement,
  { keepDoneMs }: { readonly keepDoneMs: number },
): Promise<boolean> => {
  const { token, now } = settlement;
  switch (settlement.to) {
    case 'done':
      return unlessLost(backend.moveToCompleted(job, null, { age: Math.ceil(keepDoneMs / 1_000) }, token, false));
    case 'waiting': {
      const { dueAt, note, uncounted } = settlement;
      const ending: Ending = { at: dueAt, ...(note !== undefined && { note }) };
      const fieldsToUpdate = { failedReason: JSON.stringify(ending) };
      const delay = Math.max(0, dueAt - now);
      return unlessLost(backend.moveToDelayed(job.id, now, delay, token, { skipAttempt: uncounted, fieldsToUpdate }));
    }
    case 'dead': {
      const { reason, note } = settlement;
      return unlessLost(bury({ backend, job }, token, { reason, ...(note !== undefined && { note }) }));
    }
  }
};

/** Makes it a dead letter, which is kept for ever: the failed set is where they are. */
export const bury = ({ backend, job }: LockedJob, token: string, ending: Ending): Promise<unknown> => {
  const failedReason = JSON.stringify(ending);
  return backend.moveToFailed(job, failedReason, false, token, false, { failedReason, stacktrace: '[]' });
};

/** BullMQ's codes for a job or a lock that is gone, a job that is not active, and a lock that is another's. */
const lostCodes: readonly unknown[] = [-1, -2, -3, -6];

const unlessLost = (written: Promise<unknown>): Promise<boolean> =>
  written.then(
    () => true,
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && lostCodes.includes(error.code)) return false;
      throw error;
    },
  );
