/**
 * A message queue and an idempotency store in a file of this machine, without a server. Needs `node:sqlite`: Node 22.13
 * or later.
 *
 * @module
 */
import { assertKnown } from '../../core/option-checks.ts';
import type { MessageQueueWithAdmin } from '../ports/message-queue.ts';
import { createSqliteIdempotencyStore, type SqliteIdempotencyStore } from './idempotency-store.ts';
import { createSqliteMessageQueue, type SqliteMessageQueueOptions } from './message-queue.ts';
import type { SqliteOptions } from './thread.ts';

export type { SqliteIdempotencyStore, SqliteMessageQueueOptions, SqliteOptions };

/** The contents of one file: a queue, claims, or both. */
export interface Sqlite {
  /**
   * Keeps messages. `enqueue` resolves after the fsync of their transaction. An acknowledged message survives `kill -9`
   * and, on a disk that doesn't lie about fsync, a power loss. Several processes of one machine may share the file, but
   * not over a network drive.
   */
  messageQueue(options?: SqliteMessageQueueOptions): MessageQueueWithAdmin;
  /** Keeps claims. Each method resolves after its fsync, and processes of one machine may share the file. */
  idempotencyStore(): SqliteIdempotencyStore;
}

/**
 * Keeps messages and claims in a file, without a server. Its methods throw `StoreError` where Node has no node:sqlite.
 *
 * @example
 * const file = sqlite({ file: 'voice-agent.db' });
 * await using outbox = createOutbox({ queue: file.messageQueue(), destinations });
 */
export const sqlite = (options: SqliteOptions): Sqlite => {
  assertKnown(options, { file: true, busyTimeoutMs: true }, 'sqlite', otherWords);
  return {
    messageQueue: (queue) => {
      assertKnown(queue, { keepDoneMs: true, pollMs: true }, 'sqlite.messageQueue');
      return createSqliteMessageQueue({ ...options, ...queue });
    },
    idempotencyStore: () => createSqliteIdempotencyStore(options),
  };
};

/** The names that other packages have for the path of a database. */
const otherWords = {
  path: 'file',
  filename: 'file',
  filePath: 'file',
  database: 'file',
  location: 'file',
  url: 'file',
};
