import type { OutboxSource } from '../../console/index.ts';
import { createDeadLetters } from '../../outbox/dead-letters.ts';
import { groupOf } from '../../outbox/destination.ts';
import type { MessageQueue } from '../../ports/message-queue.ts';

/** The outbox behind a queue, as far as the console looks at one: its destinations are those that hold something. */
export const outboxOf = async (queue: MessageQueue): Promise<OutboxSource> => {
  const prefix = groupOf('');
  const destinations = async () => {
    const { groups } = await queue.stats();
    return Object.entries(groups).filter(([group]) => group.startsWith(prefix));
  };
  const names = (await destinations()).map(([group]) => group.slice(prefix.length));
  return {
    deadLetters: createDeadLetters(queue, names),
    status: async () =>
      Object.fromEntries(
        (await destinations()).map(([group, { isPaused, ...stats }]) => [
          group.slice(prefix.length),
          { ...stats, isDisabled: isPaused },
        ]),
      ),
  };
};
