import {
  type BackendFactory,
  createPostgresBackend,
  createRedisBackend,
  DEFAULT_SCHEMA,
  type IQueueBackend,
  isPgPool,
  type Job,
  type Processor,
  type Queue,
  runMigrations,
  type Telemetry,
  withBackend,
  type Worker,
  type WorkerOptions,
} from 'bullmq';
import { StoreError } from '../../errors.ts';
import { postgresWarnings } from '../postgres/server-settings.ts';
import { isPowerLossSafe, readRedisSettings, redisWarnings } from '../redis/server-settings.ts';
import type { ServerWarning } from '../server-warning.ts';
import type { Driver } from './connection.ts';
import { type JobData, prefixOf, queueOf, queueOfGroups } from './job.ts';

/** BullMQ's queues and workers, over one connection or pool that they share. */
export interface Server {
  queue(group: string): GroupQueue;
  /** A queue whose jobs are the names of the groups. No worker takes them. */
  readonly groups: GroupQueue;
  /** Waits for jobs on one more connection of its own. */
  worker(group: string, process: Processor<JobData>, options: Omit<WorkerOptions, 'connection'>): GroupWorker;
  /** Of what is done the ids are kept, but not what it said. Together, so that it doesn't slow the handling of others. */
  empty(group: string, jobs: readonly Job<JobData>[]): Promise<unknown>;
  safety(): Promise<QueueSafety>;
  close(): Promise<unknown>;
}

/** How safe the server keeps what it has acknowledged. */
export interface QueueSafety {
  /**
   * Whether a message that was acknowledged survives the loss of power: on Redis with `appendfsync always`, on
   * PostgreSQL with `fsync` and `synchronous_commit`. `undefined`: the server would not say.
   */
  readonly powerLossSafe: boolean | undefined;
  /** What is set wrong, and what to set. */
  readonly warnings: readonly ServerWarning[];
}

/** What this package uses of a BullMQ queue, on Redis and on PostgreSQL. */
export type GroupQueue = Pick<
  Queue<JobData>,
  'add' | 'addBulk' | 'clean' | 'getJob' | 'getJobCounts' | 'getJobs' | 'getRanges' | 'isPaused' | 'pause' | 'resume'
>;
export interface GroupWorker extends Pick<Worker, 'cancelAllJobs' | 'cancelJob' | 'close'> {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'lockRenewalFailed', listener: (jobIds: string[]) => void): unknown;
  on(event: 'completed', listener: (job: Job<JobData>) => void): unknown;
}

export interface ServerOptions {
  readonly driver: Driver;
  /** Begins the names of all queues. */
  readonly name: string;
  /** How many workers there will be. With none, commands sent while the connection is down fail at once. */
  readonly workers: number;
  readonly telemetry: Telemetry | undefined;
  /** Gets what keeps the connection away. */
  readonly onError: (error: unknown) => void;
}

export const openServer = (options: ServerOptions): Promise<Server> =>
  options.driver.engine === 'Redis' ? openRedis(options) : openPostgres(options);

const openRedis = async (server: ServerOptions): Promise<Server> => {
  const { Redis } = await import('ioredis');
  const { url, ...options } = server.driver.options;
  let isClosed = false;
  const retryStrategy = options.retryStrategy as (times: number) => number | null;
  // What a worker says while its server is down is sent once it's back. It blocks a connection for up to 10 s.
  const socketTimeout = Number(options.socketTimeout) + 11_000;
  const forWorkers = { enableOfflineQueue: true, autoResendUnfulfilledCommands: true, socketTimeout };
  const all = {
    ...(server.workers > 0 ? { ...options, ...forWorkers } : options),
    // BullMQ would wait without an end for a connection that never comes back.
    retryStrategy: (times: number) => (isClosed ? null : retryStrategy(times)),
  };
  const connection = typeof url === 'string' ? new Redis(url, all) : new Redis(all);
  connection.on('error', server.onError);
  connection.on('close', () => server.onError(new StoreError('the connection to Redis was closed')));
  return {
    ...queuesAndWorkers(createRedisBackend, connection, server),
    empty: (_group, jobs) => Promise.all(jobs.map((job) => job.updateData({}))),
    safety: async () => {
      const settings = await readRedisSettings((command, ...args) => connection.call(command, ...args));
      return { powerLossSafe: isPowerLossSafe(settings), warnings: redisWarnings(settings, 'messages') };
    },
    close: async () => {
      isClosed = true;
      connection.disconnect();
    },
  };
};

const openPostgres = async (server: ServerOptions): Promise<Server> => {
  const { default: pg } = await import('pg');
  const { migrate, max = 10, ...rest } = server.driver.options;
  const pool = new pg.Pool({
    ...rest,
    // Each worker listens on one connection of the pool.
    max: Number(max) + server.workers,
    // BullMQ finds its tables there; it takes no other schema for a pool that it did not make.
    options: `-c search_path=${DEFAULT_SCHEMA}`,
  });
  pool.setMaxListeners(0);
  pool.on('error', server.onError);
  // From its first moment: a connection that breaks while it is lent out would end the process.
  pool.on('connect', (client) => void client.on('error', ignore));
  const connection: unknown = pool;
  if (!isPgPool(connection)) throw new Error('pg made no pool');
  try {
    const client = await connection.connect();
    if (migrate !== false) await runMigrations(client, DEFAULT_SCHEMA).finally(() => client.release());
    else client.release();
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    ...queuesAndWorkers(createPostgresBackend, connection, server),
    // BullMQ has a transaction for each, which would cost as much as the handling.
    empty: async (group, jobs) => {
      const ids = jobs.map(({ id }) => id);
      if (ids.length > 0)
        await pool.query("UPDATE job SET data = '{}' WHERE queue = $1 AND id = ANY($2)", [
          queueOf(server.name, group),
          ids,
        ]);
    },
    safety: async () => {
      const { rows } = await pool.query(
        "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit')",
      );
      const warnings = postgresWarnings(rows, 'messages');
      return { powerLossSafe: warnings.length === 0, warnings };
    },
    close: () => pool.end(),
  };
};

const queuesAndWorkers = <B extends IQueueBackend, C>(
  factory: BackendFactory<B, C>,
  connection: C,
  { name, telemetry }: ServerOptions,
): Pick<Server, 'queue' | 'groups' | 'worker'> => {
  const { Queue, Worker } = withBackend(factory);
  const untraced = { connection, prefix: prefixOf(name), skipVersionCheck: true };
  const common = telemetry ? { ...untraced, telemetry } : untraced;
  const made = new Map<string, GroupQueue>();
  const open = (name: string): GroupQueue => {
    const queue = new Queue<JobData>(name, common);
    // Its calls get the error themselves.
    queue.on('error', ignore);
    made.set(name, queue);
    return queue;
  };
  return {
    queue: (group) => made.get(queueOf(name, group)) ?? open(queueOf(name, group)),
    groups: open(queueOfGroups(name)),
    worker: (group, process, options) => new Worker<JobData>(queueOf(name, group), process, { ...options, ...common }),
  };
};

const ignore = () => undefined;
