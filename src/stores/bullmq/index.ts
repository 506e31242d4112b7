/**
 * A message queue for many machines, in Redis, Valkey or PostgreSQL. Needs `bullmq`, and `ioredis` or `pg`.
 *
 * @module
 */
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
export type { OnServerWarning, ServerWarning } from '../server-warning.ts';
export type { BullmqConnection, PostgresConnectionOptions, RedisConnectionOptions } from './connection.ts';
export { bullmq, type BullmqMessageQueue, type BullmqOptions } from './message-queue.ts';
export type { QueueSafety } from './safety.ts';
