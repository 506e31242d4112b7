import { createPostgresBackend, createRedisBackend, type IQueueBackend } from 'bullmq';
import { type Driver, silentForMs } from './connection.ts';
import type { StoredJob } from './job.ts';

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

type State = 'wait' | 'paused' | 'active' | 'delayed' | 'failed';

export interface BackendOptions {
  readonly driver: Driver;
  readonly prefix: string;
  /** How often leases that have ended are looked for, by all processes together. */
  readonly stalledIntervalMs: number;
  /** How long a job is locked; 0 where none is. */
  readonly lockMs: number;
  /** With a connection of its own, which blocks until something comes. */
  readonly isListening: boolean;
}

/** Opens a connection for one queue; those of others are made of it with `forQueue`. */
export const createBackend = (
  queue: string,
  { driver, prefix, stalledIntervalMs, lockMs, isListening }: BackendOptions,
): Backend => {
  // A message that has stalled often is ours to give up: BullMQ must not.
  const common = { prefix, lockDuration: lockMs, maxStalledCount: neverMs, stalledInterval: stalledIntervalMs };
  if (driver.engine === 'postgres') {
    // One pool makes the tables before the others are opened.
    const migrate = lockMs === 0 && !isListening ? driver.options.migrate === true : false;
    const { migrate: _migrate, ...options } = driver.options;
    // Here a lock has ended only when its last millisecond is over, and the lease by then.
    const locking = { ...common, lockDuration: Math.max(1, lockMs - 1) };
    return deafened(narrowed(createPostgresBackend(queue, { ...locking, connection: { ...options, migrate } })));
  }
  // Who listens is silent by design, but not for longer than this.
  const listening = { lazyConnect: true, enableOfflineQueue: true, socketTimeout: listensForMs + silentForMs };
  const connection = { ...driver.options, ...(isListening && listening) };
  const options = { ...common, connection, skipVersionCheck: true, skipWaitingForReady: isListening };
  return narrowed(createRedisBackend(queue, options, { withBlockingConnection: isListening }));
};

/** Sends a command or a statement to the server, past BullMQ; only to ask for its settings. */
export const askServer = async (
  { engine }: Driver,
  backend: Backend,
  [command, ...args]: readonly [string, ...string[]],
): Promise<unknown> => {
  if (engine === 'postgres') return poolOf(backend).query(command);
  return (await (backend as unknown as RedisLike).client).call(command, ...args);
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
