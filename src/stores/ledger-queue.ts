import { StoreError } from '../core/errors.ts';
import type { MessageQueueWithAdmin } from './ports/message-queue.ts';
import { checkedAdmin, checkMessage } from './check-message.ts';
import { type LedgerConsumer, startLedgerConsumer } from './ledger-consumer.ts';
import { defaultDrainMs, type MessageLedger, type Remote } from './message-ledger.ts';

export interface LedgerQueueOptions {
  readonly ledger: Remote<MessageLedger>;
  /** The time for which ids of messages that are done are kept. */
  readonly keepDoneMs: number;
  /** The time between two looks for messages of other processes. */
  readonly pollMs: number;
  /** Frees what the ledger holds. */
  readonly release: () => Promise<void>;
}

/** A message queue on a ledger. What happens in this process wakes its consumers. */
export const createLedgerQueue = ({
  ledger,
  keepDoneMs,
  pollMs,
  release,
}: LedgerQueueOptions): MessageQueueWithAdmin => {
  const consumers = new Set<LedgerConsumer>();
  let closing: Promise<void> | undefined;

  const wake = () => {
    for (const consumer of consumers) consumer.wake();
  };

  const assertOpen = () => {
    if (closing) throw new StoreError('the message queue is closed');
  };
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    assertOpen();
    return work();
  };

  return {
    enqueue: async (messages) => {
      assertOpen();
      const now = Date.now();
      const written = messages.map((message) => {
        checkMessage(message);
        const { id, group, payload, dueAt = now } = message;
        return { id, group, payload: JSON.stringify(payload), delayMs: Math.ceil(dueAt - now) };
      });
      const stored = ledger.enqueue({ messages: written, now });
      // In the same turn, so that the transaction that stores what is due leases it too.
      wake();
      await stored;
    },
    consume: (options, handle) => {
      assertOpen();
      const consumer = startLedgerConsumer({ ledger, keepDoneMs, pollMs }, options, handle);
      consumers.add(consumer);
      return {
        close: async (drainMs = defaultDrainMs) => {
          await consumer.close(drainMs);
          consumers.delete(consumer);
        },
      };
    },
    admin: checkedAdmin({
      get: (id) => ask(() => ledger.get(id)),
      deadLetters: (page = {}) => ask(() => ledger.deadLetters(page)),
      redrive: (which) => ask(() => ledger.redrive({ which, now: Date.now() }).finally(wake)),
      discard: (which) => ask(() => ledger.discard(which)),
      pause: (group) => ask(() => ledger.pause(group)),
      resume: (group) => ask(() => ledger.resume(group).finally(wake)),
      stats: () => ask(() => ledger.stats(Date.now())),
    }),
    close: (drainMs = defaultDrainMs) => {
      closing ??= Promise.all([...consumers].map((consumer) => consumer.close(drainMs))).then(release);
      return closing;
    },
  };
};
