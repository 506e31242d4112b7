import { InvalidArgumentError } from '../../errors.ts';

/**
 * Where the queue is: the URL of a Redis or Valkey (`redis:`, `rediss:`) or of a PostgreSQL (`postgres:`,
 * `postgresql:`); options of the driver; or a connection of ioredis, of which only the options are used. The queue makes
 * connections of its own and closes them.
 */
export type BullmqConnection =
  | string
  | RedisConnectionOptions
  | PostgresConnectionOptions
  | { readonly options: object };

/** Options of ioredis, such as these. */
export interface RedisConnectionOptions {
  /** @defaultValue 'localhost' */
  readonly host?: string;
  /** @defaultValue 6379 */
  readonly port?: number;
  readonly username?: string;
  readonly password?: string;
  readonly db?: number;
  /** `{}` for TLS. */
  readonly tls?: object;
  readonly [option: string]: unknown;
}

/** Options of a pool of pg, such as these. */
export interface PostgresConnectionOptions {
  /** Such as `postgres://user@host/database`. */
  readonly connectionString: string;
  /** Whether BullMQ may make and change its tables, in the schema `bullmq`, when it starts. @defaultValue true */
  readonly migrate?: boolean;
  /** How many connections a pool holds at most, besides those that workers listen on. @defaultValue 10 */
  readonly max?: number;
  readonly [option: string]: unknown;
}

/** The options of the driver. */
export interface Driver {
  readonly engine: 'redis' | 'postgres';
  readonly options: Readonly<Record<string, unknown>>;
}

/** Throws `InvalidArgumentError` for something that names no server. Never echoes it: a URL may hold a password. */
export const toDriver = (connection: BullmqConnection): Driver => {
  if (typeof connection === 'string') return fromUrl(connection);
  if (typeof connection !== 'object' || connection === null) throw notAConnection();
  if ('connectionString' in connection) return postgres({ ...connection });
  if ('isCluster' in connection && connection.isCluster === true) throw aCluster();
  if ('options' in connection && typeof connection.options === 'object') return redis({ ...connection.options });
  return redis({ ...connection });
};

const fromUrl = (url: string): Driver => {
  const scheme = /^(\w+):\/\//.exec(url)?.[1];
  if (scheme === 'redis' || scheme === 'rediss') return redis({ url });
  if (scheme === 'postgres' || scheme === 'postgresql') return postgres({ connectionString: url });
  throw notAConnection();
};

const notAConnection = () =>
  new InvalidArgumentError(
    'connection',
    'must be a URL that begins with redis:, rediss:, postgres: or postgresql:, or options of ioredis or pg',
  );

/** Its options name no node: the queue would go to whatever listens on localhost. */
const aCluster = () =>
  new InvalidArgumentError(
    'connection',
    'must not be a Cluster of ioredis: BullMQ keeps a queue on one Redis; give it one that is no cluster',
  );

/**
 * Commands sent while the connection is down fail at once: they would otherwise wait in memory without an end. What
 * is under way when the connection breaks fails too, rather than being sent a second time unseen.
 */
const redis = (options: Readonly<Record<string, unknown>>): Driver => ({
  engine: 'redis',
  options: {
    connectTimeout: 5_000,
    retryStrategy: reconnectAfterMs,
    ...options,
    // The options of an open connection name these two, as not set.
    socketTimeout: options.socketTimeout ?? silentForMs,
    reconnectOnError: options.reconnectOnError ?? isReadOnly,
    // BullMQ would otherwise print to the console what the queue checks by itself.
    skipVersionCheck: true,
    lazyConnect: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: null,
  },
});

/**
 * A connection that says nothing for so long although something was asked is dead, and another is opened: without that, one
 * that a firewall or a failover has forgotten is waited for as long as the system sends again, a quarter of an hour.
 */
const silentForMs = 5_000;

/** After a failover the connection may lead to what is a replica now; another one leads to the new primary. */
const isReadOnly = ({ message }: Error): boolean => message.startsWith('READONLY');

/** The longest wait is a second: an outage should not last longer for us than for the server. */
const reconnectAfterMs = (times: number): number => Math.min(50 * 2 ** times, 1_000);

const postgres = (options: Readonly<Record<string, unknown>>): Driver => ({
  engine: 'postgres',
  options: { migrate: true, connectionTimeoutMillis: 2_000, query_timeout: 10_000, keepAlive: true, ...options },
});
