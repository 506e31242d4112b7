import { assertKnown } from '../core/option-checks.ts';
import type { MessageQueueWithAdmin } from './ports/message-queue.ts';
import { createLedgerQueue } from './ledger-queue.ts';
import { createMemoryLedger } from './memory-ledger.ts';
import type { MessageLedger, Remote } from './message-ledger.ts';

/** Options of a queue in memory. */
export interface MemoryMessageQueueOptions {
  /** The time for which the id of a message that is done is kept, and ignored when it comes again. @defaultValue 24 h */
  readonly keepDoneMs?: number | undefined;
  /** The most such ids that are kept; the first one goes first. @defaultValue 10000 */
  readonly maximumDone?: number | undefined;
}

/**
 * Keeps messages in the memory of this process, and loses them with it: for tests, and for what may be lost.
 *
 * @example
 * await using outbox = createOutbox({ queue: createMemoryMessageQueue(), destinations });
 */
export const createMemoryMessageQueue = (options: MemoryMessageQueueOptions = {}): MessageQueueWithAdmin => {
  assertKnown(options, { keepDoneMs: true, maximumDone: true });
  const { keepDoneMs = 86_400_000, maximumDone = 10_000 } = options;
  return createLedgerQueue({
    ledger: answeredLater(createMemoryLedger({ maximumKept: maximumDone })),
    keepDoneMs,
    // No other process enqueues here: what is due later is known.
    pollMs: 60_000,
    release: async () => {},
  });
};

const answeredLater = (ledger: MessageLedger): Remote<MessageLedger> =>
  // Each of its methods, by the same name.
  Object.fromEntries(
    Object.entries(ledger).map(([name, method]) => [name, async (asked: never) => method(asked)]),
  ) as unknown as Remote<MessageLedger>;
