import { askServer, type Backend, createBackend } from './backend.ts';
import type { Driver } from './connection.ts';
import type { JobRecord } from './job.ts';
import { prefixOf, queueOf, queueOfGroups } from './names.ts';

/** The engines of all groups, over as few connections as there can be. Opened when first used. */
export interface Backends {
  /** The queue of a group, for all but leasing. */
  readonly of: (group: string) => Promise<Backend>;
  /** The queue of a group whose jobs are locked for `leaseMs`: each length of a lease has connections of its own. */
  readonly leasing: (group: string, leaseMs: number) => Promise<Backend>;
  /** With a connection of its own, which blocks until something comes. */
  readonly listening: (group: string) => Promise<Backend>;
  readonly ofGroups: () => Promise<Backend>;
  /** Adds jobs to the queues of several groups: all or none. */
  readonly add: (entries: readonly Entry[]) => Promise<void>;
  /** Sends a command or a statement to the server, past BullMQ; only to ask for its settings. */
  readonly ask: (command: string, ...args: string[]) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export interface Entry {
  readonly queue: string;
  readonly jobId: string;
  readonly job: JobRecord;
}

export interface BackendsOptions {
  readonly driver: Driver;
  readonly name: string;
  /** How often leases that have ended are looked for, by all processes together. */
  readonly stalledIntervalMs: number;
}

export const createBackends = ({ driver, name, stalledIntervalMs }: BackendsOptions): Backends => {
  const prefix = prefixOf(name);
  const opened = new Map<string, Promise<Backend>>();
  let isClosed = false;

  const make = (queue: string, { lockMs = 0, isListening = false } = {}): Backend =>
    createBackend(queue, { driver, prefix, stalledIntervalMs, lockMs, isListening });

  /** One that could not be opened is made anew: BullMQ's own connection remembers the failure for ever. */
  const open = (key: string, create: () => Backend): Promise<Backend> => {
    if (isClosed) return Promise.reject(new Error('closed'));
    const known = opened.get(key);
    if (known) return known;
    const backend = create();
    // Heard by whoever asks for something meanwhile.
    backend.on('error', () => undefined);
    const opening = backend.waitUntilReady().then(
      () => backend,
      async (error: unknown) => {
        opened.delete(key);
        await backend.close(true).catch(() => undefined);
        throw error;
      },
    );
    opening.catch(() => undefined);
    opened.set(key, opening);
    made.add(backend);
    return opening;
  };

  const made = new Set<Backend>();
  const siblings = new WeakMap<Backend, Map<string, Backend>>();

  const inQueue = (backend: Backend, queue: string): Backend => {
    const known = siblings.get(backend) ?? new Map<string, Backend>();
    siblings.set(backend, known);
    const sibling = known.get(queue) ?? backend.forQueue(queue);
    known.set(queue, sibling);
    return sibling;
  };

  const main = () => open('main', () => make(queueOfGroups(name)));

  return {
    of: async (group) => inQueue(await main(), queueOf(name, group)),
    leasing: async (group, leaseMs) => {
      await main();
      const leasing = await open(`lease ${leaseMs}`, () => make(queueOfGroups(name), { lockMs: leaseMs }));
      return inQueue(leasing, queueOf(name, group));
    },
    listening: async (group) => {
      await main();
      return open(`listen ${group}`, () => make(queueOf(name, group), { isListening: true }));
    },
    ofGroups: main,
    add: async (entries) => {
      const backend = await main();
      const [first, ...others] = entries.map(({ queue, jobId, job }) => ({
        jobData: { ...unused, ...job, id: jobId },
        jobId,
        parentKeyOpts: {},
        prefix,
        queueName: queue,
      }));
      if (!first) return;
      // One alone needs no transaction, which costs a few commands more.
      if (others.length === 0) return void (await inQueue(backend, first.queueName).addJob(first.jobData, first.jobId));
      const results = await backend.addFlow([first, ...others]);
      for (const [error] of results) if (error) throw error;
    },
    ask: async (...command) => askServer(driver, await main(), command),
    close: async () => {
      isClosed = true;
      await Promise.all([...made].map((backend) => backend.close(true).catch(() => undefined)));
    },
  };
};

/** What a job has that has not run. */
const unused = {
  progress: 0,
  attemptsMade: 0,
  attemptsStarted: 0,
  stalledCounter: 0,
  failedReason: 'null',
  returnvalue: 'null',
} as const;
