import type { Clock } from '../clock.ts';
import { StoreError } from '../errors.ts';
import type { Consumer, DeadLetter, MessageQueue, QueuedMessage, StoredMessage } from '../ports/message-queue.ts';
import type { Json } from '../ports/json.ts';
import { checkMessage } from './check-message.ts';
import { type LedgerConsumer, startConsumer } from './ledger-consumer.ts';
import type { MessageLedger, NewMessage, Remote, WrittenDeadLetter, WrittenMessage } from './message-ledger.ts';

export interface LedgerQueueOptions {
  readonly ledger: Remote<MessageLedger>;
  /** How long the ids of messages that are done or discarded are kept. */
  readonly keepDoneMs: number;
  /** How often is asked for what other processes have enqueued. */
  readonly pollMs: number;
  readonly clock: Clock;
  /** Is given, once, what wakes the consumers when another process has enqueued something. */
  readonly listen?: (wake: () => void) => void;
  /** Frees what the ledger holds. */
  readonly release: () => Promise<void>;
}

/** A message queue on a ledger: text to JSON and back, and consumers that are woken by what happens in this process. */
export const createLedgerQueue = ({
  ledger,
  keepDoneMs,
  pollMs,
  clock,
  listen,
  release,
}: LedgerQueueOptions): MessageQueue => {
  const consumers = new Set<LedgerConsumer>();
  let closing: Promise<void> | undefined;

  const wake = () => {
    for (const consumer of consumers) consumer.wake();
  };
  listen?.(wake);

  const assertOpen = () => {
    if (closing) throw new StoreError('the message queue is closed');
  };

  return {
    enqueue: async (messages) => {
      assertOpen();
      const now = clock.wallNow();
      const stored = ledger.enqueue({ messages: messages.map((message) => write(message, now)), now });
      // Asked for in the same breath, what is due now is leased by the transaction that stores it.
      wake();
      await stored;
    },
    consume: (options, handle) => {
      assertOpen();
      const consumer = startConsumer({ ledger, keepDoneMs, pollMs, clock }, options, handle);
      consumers.add(consumer);
      const close: Consumer['close'] = async (drainMs) => {
        await consumer.close(drainMs);
        consumers.delete(consumer);
      };
      return { close };
    },
    get: async (id) => {
      assertOpen();
      const message = await ledger.get({ id, now: clock.wallNow() });
      return message && read(message);
    },
    deadLetters: async (page = {}) => {
      assertOpen();
      return (await ledger.deadLetters(page)).map(readDeadLetter);
    },
    redrive: async (which) => {
      assertOpen();
      const count = await ledger.redrive({ which, now: clock.wallNow() });
      wake();
      return count;
    },
    discard: async (which, reason) => {
      assertOpen();
      return ledger.discard({ which, reason, keepUntil: clock.wallNow() + keepDoneMs });
    },
    pause: async (group) => {
      assertOpen();
      await ledger.pause(group);
    },
    resume: async (group) => {
      assertOpen();
      await ledger.resume(group);
      wake();
    },
    stats: async () => {
      assertOpen();
      return ledger.stats(clock.wallNow());
    },
    close: (drainMs) => {
      closing ??= Promise.all([...consumers].map((consumer) => consumer.close(drainMs))).then(release);
      return closing;
    },
  };
};

const write = (message: QueuedMessage, now: number): NewMessage => {
  checkMessage(message);
  const { id, group, payload, dueAt = now } = message;
  return { id, group, payload: JSON.stringify(payload), dueAt: Math.ceil(dueAt) };
};

const read = ({ payload, note, ...message }: WrittenMessage): StoredMessage => ({
  ...message,
  payload: fromText(payload),
  ...(note === undefined ? {} : { note: fromText(note) }),
});

const readDeadLetter = ({ payload, note, ...letter }: WrittenDeadLetter): DeadLetter => ({
  ...letter,
  payload: fromText(payload),
  ...(note === undefined ? {} : { note: fromText(note) }),
});

/** `null` for what somebody else has broken: one such message must not hide the others. */
const fromText = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
};
