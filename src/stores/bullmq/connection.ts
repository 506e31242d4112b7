import type { ConnectionOptions, PgPoolConfig } from 'bullmq';
import { InvalidArgumentError } from '../../errors.ts';

/**
 * Where the queue is: the URL of a Redis or Valkey (`redis:`, `rediss:`) or of a PostgreSQL (`postgres:`, `postgresql:`);
 * options of ioredis, or a connection of ioredis, of which only the options are used; or options of a pool of pg with a
 * `connectionString`, where `migrate: false` forbids BullMQ to make and change its tables. The queue makes connections
 * of its own and closes them.
 */
export type BullmqConnection =
  | string
  | ConnectionOptions
  | (PgPoolConfig & { readonly connectionString: string; readonly migrate?: boolean });

/** The options of the driver. */
export interface Driver {
  readonly engine: 'Redis' | 'PostgreSQL';
  readonly options: Readonly<Record<string, unknown>>;
}

/** Throws `InvalidArgumentError` for something that names no server. Never echoes it: a URL may hold a password. */
export const toDriver = (connection: BullmqConnection): Driver => {
  if (typeof connection === 'string') {
    if (/^rediss?:\/\//.test(connection)) return redis({ url: connection });
    if (/^postgres(ql)?:\/\//.test(connection)) return postgres({ connectionString: connection });
  }
  if (typeof connection !== 'object' || connection === null)
    throw new InvalidArgumentError(
      'connection',
      'must be a URL that begins with redis:, rediss:, postgres: or postgresql:, or options of ioredis or pg',
    );
  if ('connectionString' in connection) return postgres({ ...connection });
  // Its options name no node: the queue would go to whatever listens on localhost.
  if ('isCluster' in connection && connection.isCluster === true)
    throw new InvalidArgumentError(
      'connection',
      'must not be a Cluster of ioredis: BullMQ keeps a queue on one Redis; give it one that is no cluster',
    );
  const { options } = connection as { readonly options?: object };
  return redis({ ...(options ?? connection) });
};

/**
 * Commands sent while the connection is down fail at once: they would otherwise wait in memory without an end. What
 * is under way when the connection breaks fails too, rather than being sent a second time unseen.
 */
const redis = (options: Readonly<Record<string, unknown>>): Driver => ({
  engine: 'Redis',
  options: {
    connectTimeout: 5_000,
    // An outage should not last longer for us than for the server.
    retryStrategy: (times: number) => Math.min(50 * 2 ** times, 1_000),
    ...options,
    // A firewall or a failover may have forgotten the connection: TCP alone would wait a quarter of an hour.
    socketTimeout: options.socketTimeout ?? 5_000,
    // After a failover the connection may lead to what is a replica now.
    reconnectOnError: options.reconnectOnError ?? (({ message }: Error) => message.startsWith('READONLY')),
    lazyConnect: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: null,
  },
});

const postgres = (options: Readonly<Record<string, unknown>>): Driver => ({
  engine: 'PostgreSQL',
  options: { migrate: true, connectionTimeoutMillis: 2_000, query_timeout: 10_000, keepAlive: true, ...options },
});
