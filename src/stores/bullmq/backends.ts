import { createPostgresBackend, createRedisBackend, type IQueueBackend } from 'bullmq';
import { type Driver, silentForMs } from './connection.ts';
import type { JobRecord, StoredJob } from './job.ts';
import { prefixOf, queueOf, queueOfGroups } from './names.ts';

/** What we use of BullMQ's engine of one queue: the same operations, each one atomic, on Redis and on PostgreSQL. */
export interface Backend {
  waitUntilReady(): Promise<void>;
  close(force: boolean): Promise<void>;
  on(event: 'error', listener: () => void): unknown;
  /** The same connection for another queue. */
  forQueue(queue: string): Backend;
  /** Locks the next job: a job or nothing, its id, the end of a rate limit, when the next one falls due. */
  moveToActive(token: string, signature: string): Promise<readonly unknown[]>;
  moveToCompleted(
    job: Job,
    result: null,
    keep: boolean | { readonly age: number },
    token: string,
    fetchNext: false,
  ): Promise<unknown>;
  moveToFailed(
    job: Job,
    reason: string,
    remove: false,
    token: string,
    fetchNext: false,
    fields: Readonly<Record<string, string>>,
  ): Promise<unknown>;
  moveToDelayed(
    jobId: string,
    now: number,
    delay: number,
    token: string,
    options: { readonly skipAttempt: boolean; readonly fieldsToUpdate: Readonly<Record<string, string>> },
  ): Promise<unknown>;
  moveStalledJobsToWait(): Promise<unknown>;
  extendLock(jobId: string, token: string, ms: number): Promise<number>;
  updateData(job: Job, data: object): Promise<void>;
  addFlow(entries: readonly object[]): Promise<readonly (readonly [Error | null, unknown])[]>;
  addJob(job: object, jobId: string): Promise<string>;
  addJobs(entries: readonly object[]): Promise<readonly string[]>;
  retryFinishedJob(job: Job, state: 'failed', options: { readonly resetAttemptsMade: true }): Promise<void>;
  remove(jobId: string, removeChildren: false): Promise<number>;
  cleanJobsByState(state: 'completed', until: number, limit: number): Promise<unknown>;
  getState(jobId: string): Promise<string>;
  getJobData(jobId: string): Promise<unknown>;
  getCounts(states: readonly State[], delayedBefore?: number): Promise<readonly number[]>;
  getRanges(
    states: readonly State[],
    start: number,
    end: number,
    ascending: boolean,
  ): Promise<readonly (readonly string[])[]>;
  hasQueueMetaField(field: 'paused'): Promise<boolean>;
  pause(isPaused: boolean): Promise<void>;
  waitForJob(seconds: number): Promise<unknown>;
}

/** What BullMQ looks at in a job that it gave us. */
type Job = Pick<StoredJob, 'id' | 'opts'>;

export type State = 'wait' | 'paused' | 'active' | 'delayed' | 'failed';

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

  const make = (queue: string, lockDuration: number, isListening: boolean): Backend => {
    // A message that has stalled often is ours to give up: BullMQ must not.
    const common = { prefix, lockDuration, maxStalledCount: neverMs, stalledInterval: stalledIntervalMs };
    if (driver.engine === 'postgres') {
      // One pool makes the tables before the others are opened.
      const migrate = lockDuration === 0 && !isListening ? driver.options.migrate === true : false;
      const { migrate: _migrate, ...options } = driver.options;
      // Here a lock has ended only when its last millisecond is over, and the lease by then.
      const locking = { ...common, lockDuration: Math.max(1, lockDuration - 1) };
      return deafened(narrowed(createPostgresBackend(queue, { ...locking, connection: { ...options, migrate } })));
    }
    // Who listens is silent by design, but not for longer than this.
    const listening = { lazyConnect: true, enableOfflineQueue: true, socketTimeout: listensForMs + silentForMs };
    const connection = { ...driver.options, ...(isListening && listening) };
    const options = { ...common, connection, skipVersionCheck: true, skipWaitingForReady: isListening };
    return narrowed(createRedisBackend(queue, options, { withBlockingConnection: isListening }));
  };

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

  const main = () => open('main', () => make(queueOfGroups(name), 0, false));

  return {
    of: async (group) => inQueue(await main(), queueOf(name, group)),
    leasing: async (group, leaseMs) => {
      await main();
      const leasing = await open(`lease ${leaseMs}`, () => make(queueOfGroups(name), leaseMs, false));
      return inQueue(leasing, queueOf(name, group));
    },
    listening: async (group) => {
      await main();
      return open(`listen ${group}`, () => make(queueOf(name, group), 0, true));
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
    ask: async (command, ...args) => {
      const backend = await main();
      if (driver.engine === 'postgres') return poolOf(backend).query(command);
      return (await (backend as unknown as RedisLike).client).call(command, ...args);
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...made].map((backend) => backend.close(true).catch(() => undefined)));
    },
  };
};

/** BullMQ asks for a whole `Job` where it reads its id and its options. */
const narrowed = (backend: IQueueBackend): Backend => backend as unknown as Backend;

/** Beside what is common to both, an exported class of BullMQ: this is the one of PostgreSQL. */
const poolOf = (backend: Backend): PoolLike => (backend as unknown as PostgresLike).connection.pool;

/**
 * A connection that is lent out and breaks between two statements has no ears in pg, and would end the process. Who is at
 * work hears of it by the next statement.
 */
const deafened = (backend: Backend): Backend => {
  poolOf(backend).on('connect', (client) => client.on('error', () => undefined));
  return backend;
};

/** How long one wait for a job lasts, at most. */
export const listensForMs = 5_000;

/** The largest integer that PostgreSQL takes. */
const neverMs = 2 ** 31 - 1;

/** What a job has that has not run. */
const unused = {
  progress: 0,
  attemptsMade: 0,
  attemptsStarted: 0,
  stalledCounter: 0,
  failedReason: 'null',
  returnvalue: 'null',
} as const;

interface PostgresLike {
  readonly connection: { readonly pool: PoolLike };
}

interface PoolLike {
  query(statement: string): Promise<unknown>;
  on(event: 'connect', listener: (client: { on(event: 'error', listener: () => void): unknown }) => void): unknown;
}

interface RedisLike {
  readonly client: Promise<{ call(command: string, ...args: string[]): Promise<unknown> }>;
}
