import {
  type ConnectionOptions,
  createPostgresBackend,
  createRedisBackend,
  type Processor,
  Queue,
  runMigrations,
  type Telemetry,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { LRUCache } from 'lru-cache';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { Driver } from './connection.ts';
import { idOfJob, type JobData, jobIdOf, queueOf } from './job.ts';

export type GroupQueue = Queue<JobData, void>;

export interface ServerOptions {
  readonly driver: Driver;
  /** Begins the names of all queues. */
  readonly name: string;
  readonly telemetry: Telemetry | undefined;
}

/** BullMQ's queues and workers, one queue per group. */
export type Server = Awaited<ReturnType<typeof openServer>>;

/** Opens the queues for so many workers, or for calls alone. */
export const openServer = async (options: ServerOptions, workers = 0) => {
  const { driver } = options;
  const engine = await (driver.engine === 'Redis' ? openRedis : openPostgres)(driver.options, workers);
  try {
    return await serve(engine, options);
  } catch (error) {
    await engine.close();
    throw error;
  }
};

const serve = async (engine: Engine, { driver, name, telemetry }: ServerOptions) => {
  // Braces keep all keys on one node of a cluster.
  const options = withoutUndefined({ connection: engine.connection, prefix: `{${name}}`, telemetry });
  const queues = new Map<string, GroupQueue>();
  /** Groups that are registered. They count for a minute, since a server may forget them. */
  const known = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });

  const open = (name: string): GroupQueue => {
    const queue: GroupQueue = new Queue(name, options, engine.backend);
    // Its calls get the error themselves.
    queue.on('error', () => undefined);
    queues.set(name, queue);
    // It would say so for ever.
    queue.waitUntilReady().catch(() => queues.delete(name));
    return queue;
  };
  const find = (name: string) => queues.get(name) ?? open(name);
  const queue = (group: string) => find(queueOf(name, group));
  /** Its jobs are the names of the groups. No worker takes them. */
  const names = () => find(`${name}.groups`);
  // On Redis it waits for a server that is down, and calls would wait with it.
  if (driver.engine === 'PostgreSQL') await names().waitUntilReady();

  return {
    /** The queue of a group that other processes know of from now on. */
    registered: async (group: string): Promise<GroupQueue> => {
      if (!known.has(group)) {
        await names().add('group', { payload: '' }, { jobId: jobIdOf(group) });
        known.set(group, true);
        engine.forgetIds?.(queueOf(name, group)).catch(() => undefined);
      }
      return queue(group);
    },
    /** Reads the queues of all groups that any process has registered, or that of one group. */
    each: async <T>(read: (queue: GroupQueue) => Promise<T>, group?: string): Promise<T[]> => {
      const groups = group === undefined ? (await names().getRanges(['wait'], 0, -1)).map(idOfJob) : [group];
      return Promise.all(groups.map((group) => read(queue(group))));
    },
    worker: (group: string, process: Processor<JobData, void>, settings: Partial<WorkerOptions>) =>
      new Worker<JobData, void>(queueOf(name, group), process, { ...options, ...settings }, engine.backend),
    close: engine.close,
  };
};

type Options = Driver['options'];

/** The part that BullMQ's queues and workers share. */
interface Engine {
  readonly backend: typeof createRedisBackend;
  readonly connection: ConnectionOptions;
  /** Forgets ids whose time is over. Redis does it by itself. */
  readonly forgetIds?: (queue: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const openRedis = async ({ url, socketTimeout, ...rest }: Options, workers: number): Promise<Engine> => {
  const { Redis } = await import('ioredis');
  let isClosed = false;
  const options = {
    ...rest,
    // A firewall or a failover may have forgotten the connection: TCP alone would wait a quarter of an hour. A worker blocks
    // its connection for up to 10 s.
    socketTimeout: Number(socketTimeout ?? 5_000) + (workers > 0 ? 11_000 : 0),
    // After a failover the connection may lead to what is a replica now.
    reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
    maxRetriesPerRequest: null,
    // BullMQ would wait without an end for a connection that never comes back.
    retryStrategy: (times: number) => (isClosed ? null : Math.min(50 * 2 ** times, 1_000)),
    // What a worker says while its server is down is sent once it's back. Calls would wait in memory without an end.
    enableOfflineQueue: workers > 0,
    // BullMQ gives up on a connection whose first try fails.
    lazyConnect: false,
  };
  const connection = typeof url === 'string' ? new Redis(url, options) : new Redis(options);
  return {
    backend: createRedisBackend,
    connection,
    close: async () => {
      isClosed = true;
      connection.disconnect();
    },
  };
};

const openPostgres = async ({ migrate, max, ...rest }: Options, workers: number): Promise<Engine> => {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionTimeoutMillis: 2_000,
    query_timeout: 10_000,
    ...withoutUndefined(rest),
    // Each worker listens on a connection of its own.
    max: Number(max ?? 10) + workers,
    // BullMQ finds its tables there; it takes no other schema for a pool that it did not make.
    options: '-c search_path=bullmq',
  });
  pool.setMaxListeners(0);
  // From its first moment: a connection that breaks while it is lent out would end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  if (migrate !== false) {
    const client = await pool.connect();
    await runMigrations(client).finally(() => client.release(true));
  }
  return {
    // In BullMQ's types a queue is one on Redis, unless they say otherwise.
    backend: createPostgresBackend as unknown as typeof createRedisBackend,
    connection: pool as unknown as ConnectionOptions,
    forgetIds: (queue) => pool.query('DELETE FROM dedup WHERE queue = $1 AND expire_at_ms <= $2', [queue, Date.now()]),
    close: () => pool.end(),
  };
};
