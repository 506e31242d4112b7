import {
  type ConnectionOptions,
  createPostgresBackend,
  createRedisBackend,
  DEFAULT_SCHEMA,
  runMigrations,
} from 'bullmq';
import type { Driver } from './connection.ts';

/** What BullMQ's queues and workers are made with. */
export interface Engine {
  readonly backend: typeof createRedisBackend;
  /** What queues share. */
  readonly connection: ConnectionOptions;
  /** What workers share, where one more is about to be made. */
  readonly connectionOfWorker: () => ConnectionOptions;
  /** Forgets ids whose time is over. Redis does it by itself. */
  readonly forgetIds?: (queue: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export const openRedis = async ({ options: { url, ...given } }: Driver): Promise<Engine> => {
  const { Redis } = await import('ioredis');
  let isClosed = false;
  const options = {
    ...given,
    // A firewall or a failover may have forgotten the connection: TCP alone would wait a quarter of an hour.
    socketTimeout: Number(given.socketTimeout ?? 5_000),
    // After a failover the connection may lead to what is a replica now.
    reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
    maxRetriesPerRequest: null,
    // BullMQ would wait without an end for a connection that never comes back.
    retryStrategy: (times: number) => (isClosed ? null : Math.min(50 * 2 ** times, 1_000)),
    // Commands would otherwise wait in memory without an end.
    enableOfflineQueue: false,
    // BullMQ gives up on a connection whose first try fails.
    lazyConnect: false,
  };
  const connection = typeof url === 'string' ? new Redis(url, options) : new Redis(options);
  let ofWorkers: typeof connection | undefined;
  return {
    backend: createRedisBackend,
    connection,
    connectionOfWorker: () =>
      (ofWorkers ??= connection
        // What a worker says while its server is down is sent once it's back. It blocks a connection for up to 10 s.
        .duplicate({ enableOfflineQueue: true, socketTimeout: options.socketTimeout + 11_000 })
        .on('error', ignore)),
    close: async () => {
      isClosed = true;
      connection.disconnect();
      ofWorkers?.disconnect();
    },
  };
};

export const openPostgres = async ({ options: { migrate, max = 10, ...given } }: Driver): Promise<Engine> => {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionTimeoutMillis: 2_000,
    query_timeout: 10_000,
    ...given,
    max: Number(max),
    // BullMQ finds its tables there; it takes no other schema for a pool that it did not make.
    options: `-c search_path=${DEFAULT_SCHEMA}`,
  });
  pool.setMaxListeners(0);
  // From its first moment: a connection that breaks while it is lent out would end the process.
  pool.on('connect', (client) => void client.on('error', ignore));
  if (migrate !== false) {
    const client = await pool.connect();
    await runMigrations(client, DEFAULT_SCHEMA).finally(() => client.release(true));
  }
  const connection = pool as unknown as ConnectionOptions;
  return {
    // In BullMQ's types a queue is one on Redis, unless they say otherwise.
    backend: createPostgresBackend as unknown as typeof createRedisBackend,
    connection,
    connectionOfWorker: () => {
      // Each worker listens on a connection of its own.
      pool.options.max += 1;
      return connection;
    },
    forgetIds: (queue) => pool.query('DELETE FROM dedup WHERE queue = $1 AND expire_at_ms <= $2', [queue, Date.now()]),
    close: () => pool.end(),
  };
};

const ignore = () => undefined;
