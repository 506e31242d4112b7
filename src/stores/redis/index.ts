/**
 * A rate limit, claims and callbacks that all processes share, in Redis or Valkey. Needs a client of `ioredis` or
 * node-redis.
 *
 * @module
 */
export type { EventExchange } from '../../ports/event-exchange.ts';
export type { Claim, IdempotencyStore } from '../../ports/idempotency-store.ts';
export type { Json, JsonObject } from '../../ports/json.ts';
export type { Lane, RateLimiter, RateLimiterState } from '../../ports/rate-limiter.ts';
export type { OnServerWarning, ServerWarning } from '../server-warning.ts';
export type { RedisClient } from './client.ts';
export { redisEventExchange, type RedisEventExchangeOptions, type RedisSubscriber } from './event-exchange.ts';
export { redisIdempotencyStore, type RedisIdempotencyStoreOptions } from './idempotency-store.ts';
export { redisRateLimiter, type RedisRateLimiterOptions } from './rate-limiter.ts';
