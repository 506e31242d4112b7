import type { Clock } from '../../clock.ts';
import { listensForMs } from './backend.ts';
import type { Backends } from './backends.ts';

/** Wakes consumers when another process has added something, instead of asking all the time. */
export interface Bell {
  /** This group had nothing more to lease: rings when it has, or after a few seconds. */
  readonly watch: (group: string) => void;
  readonly close: () => void;
}

/**
 * Waits as BullMQ's own workers do: blocked on Redis, or listening to PostgreSQL, one connection per group. A bell that
 * nobody could answer is made good by the next look at the queue.
 */
export const createBell = ({ backends, ring, clock }: BellOptions): Bell => {
  const watched = new Set<string>();
  let isClosed = false;

  const wait = async (group: string) => {
    try {
      const backend = await backends.listening(group);
      const came = await backend.waitForJob(listensForMs / 1_000);
      watched.delete(group);
      if (came && !isClosed) ring();
    } catch {
      // While the server is away: no more often than this, and consumers look for themselves.
      if (!isClosed) clock.setTimer(() => watched.delete(group), pauseMs);
    }
  };

  return {
    watch: (group) => {
      if (isClosed || watched.has(group)) return;
      watched.add(group);
      void wait(group);
    },
    close: () => {
      isClosed = true;
    },
  };
};

interface BellOptions {
  readonly backends: Backends;
  readonly ring: () => void;
  readonly clock: Clock;
}

const pauseMs = 1_000;
