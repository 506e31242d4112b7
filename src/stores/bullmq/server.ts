import {
  createPostgresBackend,
  DEFAULT_SCHEMA,
  isPgPool,
  type Job,
  Queue,
  runMigrations,
  withBackend,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import type { Pool } from 'pg';
import { StoreError } from '../../errors.ts';
import type { Driver } from './connection.ts';
import { type JobData, prefixOf, queueOf, queueOfGroups } from './job.ts';

/** BullMQ's queues and workers, over one connection that they share. */
export interface Server {
  queue(group: string): GroupQueue;
  /** A queue whose jobs are the names of the groups. No worker takes them. */
  readonly groups: GroupQueue;
  /** Waits for jobs on one more connection of its own. */
  worker(group: string, process: ProcessJob, options: Omit<WorkerOptions, 'connection'>): GroupWorker;
  /** How many jobs to empty at once: on Redis in one write, on PostgreSQL each costs a transaction. */
  readonly emptyAtOnce: number;
  /** Asks the server for its settings, past BullMQ. */
  ask(command: string, ...args: string[]): Promise<unknown>;
  close(): Promise<unknown>;
}

/** What this package uses of a BullMQ queue, on Redis and on PostgreSQL. */
export type GroupQueue = Pick<
  Queue<JobData>,
  'addBulk' | 'clean' | 'getJob' | 'getJobCounts' | 'getJobs' | 'getRanges' | 'isPaused' | 'pause' | 'resume'
>;
export interface GroupWorker {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'lockRenewalFailed', listener: (jobIds: string[]) => void): unknown;
  on(event: 'completed', listener: (job: Job<JobData>) => void): unknown;
  on(event: 'failed', listener: (job: Job<JobData> | undefined, error: Error) => void): unknown;
  close(): Promise<void>;
}
type RetryStrategy = (times: number) => number | null;
export type ProcessJob = (job: Job<JobData>, token?: string) => Promise<void>;

export interface ServerOptions {
  readonly driver: Driver;
  /** Begins the names of all queues. */
  readonly name: string;
  /** How many workers there will be. With none, commands sent while the connection is down fail at once. */
  readonly workers: number;
  /** Gets what keeps the connection away. */
  readonly onError: (error: unknown) => void;
}

export const openServer = (options: ServerOptions): Promise<Server> =>
  options.driver.engine === 'redis' ? openRedis(options) : openPostgres(options);

const openRedis = async ({ driver, name, workers, onError }: ServerOptions): Promise<Server> => {
  const { Redis } = await import('ioredis');
  let isClosed = false;
  const { url, retryStrategy, ...options }: Driver['options'] = workers > 0 ? patient(driver.options) : driver.options;
  // BullMQ waits without an end for a connection that comes back never.
  const reconnectAfterMs = (times: number) => (isClosed ? null : (retryStrategy as RetryStrategy)(times));
  const all = { ...options, retryStrategy: reconnectAfterMs };
  const connection = typeof url === 'string' ? new Redis(url, all) : new Redis(all);
  connection.on('error', onError);
  connection.on('close', () => onError(new StoreError('the connection to Redis was closed')));
  const common = { connection, prefix: prefixOf(name), skipVersionCheck: true };
  return {
    ...queuesOf(name, (queue) => quiet(new Queue<JobData>(queue, common))),
    worker: (group, process, worker) => new Worker<JobData>(queueOf(name, group), process, { ...worker, ...common }),
    emptyAtOnce: 100,
    ask: (command, ...args) => connection.call(command, ...args),
    close: async () => {
      isClosed = true;
      connection.disconnect();
    },
  };
};

/**
 * What a worker says while its server is down is sent once it is back. BullMQ blocks a connection for up to 10 s,
 * which must not be taken for silence.
 */
const patient = (options: Driver['options']): Driver['options'] => ({
  ...options,
  enableOfflineQueue: true,
  autoResendUnfulfilledCommands: true,
  socketTimeout: Number(options.socketTimeout) + 11_000,
});

const openPostgres = async ({ driver, name, workers, onError }: ServerOptions): Promise<Server> => {
  const { default: pg } = await import('pg');
  const { migrate, max, ...rest } = driver.options;
  // Each worker listens on one connection of the pool.
  const pool = new pg.Pool({ ...rest, max: (typeof max === 'number' ? max : 10) + workers, options: searchPath });
  pool.setMaxListeners(0);
  pool.on('error', onError);
  // From its first moment: a connection that breaks while it is lent out would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  if (migrate !== false) await migrateWith(pool);
  const connection: unknown = pool;
  if (!isPgPool(connection)) throw new Error('pg made no pool');
  const ofPostgres = withBackend(createPostgresBackend);
  return {
    ...queuesOf(name, (queue) => quiet(new ofPostgres.Queue<JobData>(queue, { connection }))),
    worker: (group, process, worker) =>
      new ofPostgres.Worker<JobData>(queueOf(name, group), process, { ...worker, connection }),
    emptyAtOnce: 1,
    ask: (statement) => pool.query(statement),
    close: () => pool.end(),
  };
};

/** BullMQ finds its tables there; it takes no other schema for a pool that it did not make. */
const searchPath = `-c search_path=${DEFAULT_SCHEMA}`;

const migrateWith = async (pool: Pool): Promise<void> => {
  try {
    const client = await pool.connect();
    await runMigrations(client, DEFAULT_SCHEMA).finally(() => client.release());
  } catch (error) {
    await pool.end();
    throw error;
  }
};

const queuesOf = (name: string, make: (queue: string) => GroupQueue): Pick<Server, 'queue' | 'groups'> => {
  const made = new Map<string, GroupQueue>();
  const queue = (group: string) => {
    const queue = made.get(group) ?? make(queueOf(name, group));
    made.set(group, queue);
    return queue;
  };
  return { queue, groups: make(queueOfGroups(name)) };
};

/** The calls of the queue get the error themselves. */
const quiet = <Emitter extends { on(event: 'error', listener: () => void): unknown }>(emitter: Emitter): Emitter => {
  emitter.on('error', () => undefined);
  return emitter;
};
