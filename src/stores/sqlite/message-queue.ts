import { type Clock, systemClock } from '../../clock.ts';
import type { MessageQueue } from '../../ports/message-queue.ts';
import { createLedgerQueue } from '../ledger-queue.ts';
import type { MessageLedger } from '../message-ledger.ts';
import { type SqliteOptions, startSqliteThread } from './thread.ts';

/** Where messages are kept, and how often the file is looked at. */
export interface SqliteMessageQueueOptions extends SqliteOptions {
  /** How long the id of a message that is done or discarded is kept, and ignored when it comes again. @defaultValue 24 h */
  readonly keepDoneMs?: number;
  /** How often is asked for what other processes have enqueued into the file. @defaultValue 500 */
  readonly pollMs?: number;
  /** Tells the time; for tests. @defaultValue the machine's own */
  readonly clock?: Clock;
}

/**
 * Keeps messages in a file, without a server. `enqueue` resolves after the fsync of the transaction that holds the
 * messages, which it shares with everything else that is asked for meanwhile: what is acknowledged survives `kill -9`
 * and, on a disk that keeps its word, the loss of power. Several processes of one machine may share the file; a network
 * drive is no place for it.
 * Needs node:sqlite: Node 22.13 or later. Throws `StoreError` without it.
 *
 * @example
 * await using outbox = createOutbox({ queue: createSqliteMessageQueue({ file: 'outbox.db' }), destinations });
 */
export const createSqliteMessageQueue = ({
  keepDoneMs = 86_400_000,
  pollMs = 500,
  clock = systemClock,
  ...options
}: SqliteMessageQueueOptions): MessageQueue => {
  const { ledger, close } = startSqliteThread<MessageLedger>('messages', methods, options);
  return createLedgerQueue({ ledger, keepDoneMs, pollMs, clock, release: close });
};

const methods = [
  'enqueue',
  'lease',
  'settle',
  'get',
  'deadLetters',
  'redrive',
  'discard',
  'pause',
  'resume',
  'stats',
] as const satisfies readonly (keyof MessageLedger)[];
