import type { Clock } from '../../clock.ts';
import type { Answered } from './answered.ts';
import type { Backends, Entry } from './backends.ts';
import { toJob } from './job.ts';
import { idOfJob, jobIdOf, queueOfGroups } from './names.ts';

/** Which groups there are, for processes that did not make them. */
export interface Groups {
  /** What has to be added with the first message of a group, in the same transaction. */
  readonly entriesFor: (groups: readonly string[]) => readonly Entry[];
  /** These have been added. */
  readonly added: (groups: readonly string[]) => void;
  readonly all: () => Promise<readonly string[]>;
}

/** The groups are the jobs of one more queue that nobody works on. */
export const createGroups = ({ backends, name, answered, clock }: GroupsOptions): Groups => {
  const knownAt = new Map<string, number>();

  return {
    entriesFor: (groups) => {
      const now = clock.wallNow();
      return groups.flatMap((group): Entry[] => {
        // Told again now and then: a server may come back without what it had.
        if (now - (knownAt.get(group) ?? Number.NEGATIVE_INFINITY) < knownForMs) return [];
        return [
          { queue: queueOfGroups(name), jobId: jobIdOf(group), job: toJob({ payload: 'null', dueAt: now }, now) },
        ];
      });
    },
    added: (groups) => {
      for (const group of groups) knownAt.set(group, clock.wallNow());
    },
    all: async () => {
      const backend = await answered(backends.ofGroups());
      const [ids = []] = await answered(backend.getRanges(['wait'], 0, -1, false));
      return ids.map(idOfJob).toSorted();
    },
  };
};

interface GroupsOptions {
  readonly backends: Backends;
  readonly name: string;
  readonly answered: Answered;
  readonly clock: Clock;
}

const knownForMs = 60_000;
