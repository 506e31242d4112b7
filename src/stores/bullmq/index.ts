/**
 * A message queue for many machines, in Redis, Valkey or PostgreSQL. Needs `bullmq`, and `ioredis` or `pg`.
 *
 * @module
 */
export type { BullmqConnection } from './connection.ts';
export { bullmq, type BullmqOptions } from './message-queue.ts';
