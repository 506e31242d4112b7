import { type ConnectionOptions, createPostgresBackend, createRedisBackend, runMigrations } from 'bullmq';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { Driver } from './connection.ts';

type Options = Driver['options'];

/** What BullMQ's queues and workers share. */
export interface Engine {
  readonly backend: typeof createRedisBackend;
  readonly connection: ConnectionOptions;
  /** Forgets ids whose time is over. Redis does it by itself. */
  readonly forgetIds?: (queue: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export const openRedis = async ({ url, socketTimeout, ...given }: Options, workers: number): Promise<Engine> => {
  const { Redis } = await import('ioredis');
  let isClosed = false;
  const options = {
    ...given,
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

export const openPostgres = async ({ migrate, max, ...given }: Options, workers: number): Promise<Engine> => {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionTimeoutMillis: 2_000,
    query_timeout: 10_000,
    ...withoutUndefined(given),
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
