/**
 * A rate limit, claims and callbacks that all processes share, in Redis or Valkey. Needs a client of `ioredis` or
 * node-redis.
 *
 * @module
 */
import { assertKnown, type OptionNames } from '../../core/option-checks.ts';
import type { EventExchange } from '../ports/event-exchange.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { RedisClient } from './client.ts';
import { createRedisEventExchange, type RedisEventExchangeOptions } from './event-exchange.ts';
import { createRedisIdempotencyStore, type RedisIdempotencyStoreOptions } from './idempotency-store.ts';
import { createRedisRateLimiter, type RedisRateLimiterOptions } from './rate-limiter.ts';

export type { ServerWarning } from '../server-warning.ts';
export type { RedisClient, RedisEventExchangeOptions, RedisIdempotencyStoreOptions, RedisRateLimiterOptions };
export type { RedisSubscriber } from './event-exchange.ts';

/** The stores that processes can share over one Redis. */
export interface RedisStores {
  /**
   * Keeps claims. Each change is one atomic script, and time is the server's. It's as safe as the server's settings: where
   * payments or webhooks depend on it, set `noeviction` and an append-only file; a warning says so. Replicas of Redis
   * follow late, so a failover may lose the last claims.
   * Methods reject with `StoreError` when the server fails or doesn't answer.
   */
  idempotencyStore(options?: RedisIdempotencyStoreOptions): IdempotencyStore;
  /**
   * Keeps one app, and each of its tenants, under a limit that all processes of all machines share. Any window of
   * `perMs` has at most `limit` requests, by the clock of Redis. Live callers pass background ones, also those of other
   * processes, which leave a tenth of the limit free for them. A pause after a 429 holds for all. If its keys are
   * evicted, the limit starts again from zero. Throws `InvalidArgumentError` for limits that can't work.
   */
  rateLimiter(options: RedisRateLimiterOptions): RateLimiter;
  /**
   * Lets a phone call wait for a callback that arrives at another process. Redis keeps the event for a while, and all
   * processes get its key.
   */
  eventExchange(options: RedisEventExchangeOptions): EventExchange;
}

/**
 * Shares a rate limit, claims and callbacks between processes, over a connection that you make and close.
 *
 * @example
 * const shared = redis({ client: new Redis(url) });
 * const rateLimit = shared.rateLimiter({
 *   name: 'messaging', limit: 1000, perMs: 60_000, whenUnavailable: { fallback: 'local', processes: 4 },
 * });
 * createMessagingClient({ ...connection, rateLimit });
 */
export const redis = (connection: { readonly client: RedisClient }): RedisStores => {
  assertKnown(connection, { client: true }, 'redis', { url: 'client', connection: 'client', redis: 'client' });
  const { client } = connection;
  return {
    idempotencyStore: (options) => {
      assertKnown(options, storeNames);
      return createRedisIdempotencyStore({ ...options, client });
    },
    rateLimiter: (options) => {
      assertKnown(options, limiterNames);
      return createRedisRateLimiter({ ...options, client });
    },
    eventExchange: (options) => {
      assertKnown(options, exchangeNames);
      return createRedisEventExchange({ ...options, client });
    },
  };
};

const storeNames: OptionNames<RedisIdempotencyStoreOptions> = { prefix: true, timeoutMs: true, onWarning: true };
const exchangeNames: OptionNames<RedisEventExchangeOptions> = {
  subscriber: true,
  prefix: true,
  timeoutMs: true,
  pollMs: true,
  onError: true,
};
const limiterNames: OptionNames<RedisRateLimiterOptions> = {
  limit: true,
  perMs: true,
  perTenant: true,
  name: true,
  whenUnavailable: true,
  prefix: true,
  timeoutMs: true,
  retryMs: true,
  onUnavailable: true,
};
