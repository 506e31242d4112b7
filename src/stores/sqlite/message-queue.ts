import type { MessageQueueWithAdmin } from '../ports/message-queue.ts';
import { createLedgerQueue } from '../ledger-queue.ts';
import type { MessageLedger } from '../message-ledger.ts';
import { type SqliteOptions, startSqliteThread } from './thread.ts';

/** Options of a queue in a file. */
export interface SqliteMessageQueueOptions {
  /** The time for which the id of a message that is done is kept, and ignored when it comes again. @defaultValue 24 h */
  readonly keepDoneMs?: number | undefined;
  /** The time between two looks for messages of other processes. @defaultValue 500 */
  readonly pollMs?: number | undefined;
}

export const createSqliteMessageQueue = ({
  keepDoneMs = 86_400_000,
  pollMs = 500,
  ...options
}: SqliteMessageQueueOptions & SqliteOptions): MessageQueueWithAdmin => {
  const { ledger, close, assertUsable } = startSqliteThread<MessageLedger>('messages', options);
  return { ...createLedgerQueue({ ledger, keepDoneMs, pollMs, release: close }), assertUsable };
};
