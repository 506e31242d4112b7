/**
 * A message queue for many machines, in Redis, Valkey or PostgreSQL. Needs `bullmq`, and `ioredis` or `pg`.
 *
 * @module
 */
export type { ServerWarning } from '../server-warning.ts';
export type { BullmqConnection } from './connection.ts';
export { bullmq, type BullmqMessageQueue, type BullmqOptions } from './message-queue.ts';
export type { QueueSafety } from './server.ts';
