/**
 * Stores in the memory of this process, lost with it: for tests, for one process, and for what may be lost.
 *
 * @module
 */
export {
  createMemoryIdempotencyStore,
  type MemoryIdempotencyStoreOptions,
} from '../memory-idempotency-store.ts';
export { createMemoryMessageQueue, type MemoryMessageQueueOptions } from '../memory-message-queue.ts';
export { createMemoryRateLimiter, type MemoryRateLimiterOptions } from '../memory-rate-limiter.ts';
export { createMemoryTokenStore, type MemoryTokenStoreOptions } from '../memory-token-store.ts';
