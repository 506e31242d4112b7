import {
  type ConnectionOptions,
  createPostgresBackend,
  createRedisBackend,
  DEFAULT_SCHEMA,
  type Processor,
  Queue,
  runMigrations,
  type Telemetry,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { StoreError } from '../../errors.ts';
import type { Driver } from './connection.ts';
import { type JobData, queueOf } from './job.ts';

/** BullMQ's queues and workers, over one connection or pool that they share. */
export interface Server {
  queue(group: string): GroupQueue;
  /** A queue whose jobs are the names of the groups. No worker takes them. */
  readonly groups: GroupQueue;
  /** Waits for jobs on one more connection of its own. */
  worker(group: string, process: Processor<JobData, void>, options: Omit<WorkerOptions, 'connection'>): GroupWorker;
  /** Forgets ids whose time is over. Redis does it by itself. */
  forgetIds(group: string): Promise<unknown>;
  close(): Promise<unknown>;
}

/** In BullMQ's types a queue is one on Redis, unless they say otherwise. */
export type GroupQueue = Queue<JobData, void>;
export type GroupWorker = Worker<JobData, void>;

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
    forgetIds: async () => undefined,
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
  try {
    const client = await pool.connect();
    if (migrate === false) client.release();
    else await runMigrations(client, DEFAULT_SCHEMA).finally(() => client.release());
  } catch (error) {
    await pool.end();
    throw error;
  }
  const onPostgres = createPostgresBackend as unknown as typeof createRedisBackend;
  return {
    ...queuesAndWorkers(onPostgres, pool as unknown as ConnectionOptions, server),
    forgetIds: (group) =>
      pool.query('DELETE FROM dedup WHERE queue = $1 AND expire_at_ms <= $2', [
        queueOf(server.name, group),
        Date.now(),
      ]),
    close: () => pool.end(),
  };
};

const queuesAndWorkers = (
  backend: typeof createRedisBackend,
  connection: ConnectionOptions,
  { name, telemetry }: ServerOptions,
): Pick<Server, 'queue' | 'groups' | 'worker'> => {
  // Braces keep all keys on one node of a cluster.
  const untraced = { connection, prefix: `{${name}}` };
  const common = telemetry ? { ...untraced, telemetry } : untraced;
  const made = new Map<string, GroupQueue>();
  const open = (name: string): GroupQueue => {
    const queue: GroupQueue = new Queue(name, common, backend);
    // Its calls get the error themselves.
    queue.on('error', ignore);
    made.set(name, queue);
    return queue;
  };
  return {
    queue: (group) => made.get(queueOf(name, group)) ?? open(queueOf(name, group)),
    groups: open(`${name}.groups`),
    worker: (group, process, options) => new Worker(queueOf(name, group), process, { ...options, ...common }, backend),
  };
};

const ignore = () => undefined;
