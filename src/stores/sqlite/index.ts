/**
 * A message queue and an idempotency store in a file of this machine, without a server. Needs `node:sqlite`: Node 22.13
 * or later.
 *
 * @module
 */
export type { Claim, IdempotencyStore } from '../../ports/idempotency-store.ts';
export type { Json, JsonObject } from '../../ports/json.ts';
export type {
  Consumer,
  ConsumeOptions,
  Dead,
  DeadLetter,
  Done,
  GroupStats,
  Handled,
  Lease,
  MessageHandler,
  MessageQueue,
  Page,
  QueuedMessage,
  QueueStats,
  RetryAt,
  Selection,
  StoredMessage,
} from '../../ports/message-queue.ts';
export {
  createSqliteIdempotencyStore,
  type SqliteIdempotencyStore,
  type SqliteIdempotencyStoreOptions,
} from './idempotency-store.ts';
export { createSqliteMessageQueue, type SqliteMessageQueueOptions } from './message-queue.ts';
export type { SqliteOptions } from './thread.ts';
