import type { PgPoolConfig, RedisOptions } from 'bullmq';
import { InvalidArgumentError } from '../../core/errors.ts';

/**
 * The place of the queue. It's the URL of a Redis or Valkey (`redis:`, `rediss:`) or of a PostgreSQL (`postgres:`,
 * `postgresql:`), or options of ioredis. It may also be options of a pool of pg with a `connectionString`. There,
 * `migrate: false` forbids BullMQ to make and change its tables. The queue makes connections of its own and closes
 * them.
 */
export type BullmqConnection =
  | string
  | RedisOptions
  | (PgPoolConfig & { readonly connectionString: string; readonly migrate?: boolean });

/** The options of the driver. */
export interface Driver {
  readonly engine: 'Redis' | 'PostgreSQL';
  readonly options: Readonly<Record<string, unknown>>;
}

/** Throws `InvalidArgumentError` for something that names no server. Never echoes it: a URL may hold a password. */
export const toDriver = (connection: BullmqConnection): Driver => {
  if (typeof connection === 'string') {
    if (/^rediss?:\/\//.test(connection)) return { engine: 'Redis', options: { url: connection } };
    if (/^postgres(ql)?:\/\//.test(connection))
      return { engine: 'PostgreSQL', options: { connectionString: connection } };
    // A client has no options of its own: the queue would go to whatever listens on localhost.
  } else if (connection?.constructor === Object) {
    return { engine: 'connectionString' in connection ? 'PostgreSQL' : 'Redis', options: { ...connection } };
  }
  throw new InvalidArgumentError('connection', 'must be a URL of redis: or postgres:, or options of ioredis or pg');
};
