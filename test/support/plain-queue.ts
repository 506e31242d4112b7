import { createMemoryMessageQueue } from '../../src/stores/memory-message-queue.ts';
import type { MessageQueue, MessageQueueWithAdmin } from '../../src/stores/ports/message-queue.ts';

/** A queue of an engine that can do only what every engine can, and the admin that it doesn't have. */
export interface PlainQueue extends Pick<MessageQueueWithAdmin, 'admin'> {
  readonly queue: MessageQueue;
  /** The delays that it was asked for. */
  readonly delays: readonly number[];
}

export const openPlainQueue = (options: Pick<MessageQueue, 'longestDelayMs'> = {}): PlainQueue => {
  const { enqueue, consume, close, admin } = createMemoryMessageQueue();
  const delays: number[] = [];
  const asked = (at: number | undefined) => {
    if (at !== undefined) delays.push(at - Date.now());
  };
  return {
    admin,
    delays,
    queue: {
      ...options,
      close,
      enqueue: async (messages) => {
        for (const { dueAt } of messages) asked(dueAt);
        await enqueue(messages);
      },
      consume: (groups, handle) =>
        consume(groups, async (message, lease) => {
          const handled = await handle(message, lease);
          if (handled.type === 'retry-at') asked(handled.at);
          return handled;
        }),
    },
  };
};
