export type { Claim, IdempotencyStore } from '../../ports/idempotency-store.ts';
export type { Json, JsonObject } from '../../ports/json.ts';
export type { OnServerWarning, ServerWarning } from '../server-warning.ts';
export type { RedisClient } from './client.ts';
export { redisIdempotencyStore, type RedisIdempotencyStoreOptions } from './idempotency-store.ts';
