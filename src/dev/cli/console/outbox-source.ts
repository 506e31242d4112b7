import type { OutboxSource } from '../../console/sources.ts';
import { createDeadLetters } from '../../../outbox/dead-letters.ts';
import { groupOf } from '../../../outbox/destination.ts';
import type { MessageQueue } from '../../../stores/ports/message-queue.ts';

/** The outbox behind a queue, as far as the console looks at one: its destinations are those that hold something. */
export const outboxOf = (queue: MessageQueue): OutboxSource => {
  const prefix = groupOf('');
  const destinations = async () => {
    const { groups } = await queue.stats();
    return Object.entries(groups).flatMap(([group, stats]) =>
      group.startsWith(prefix) ? [{ name: group.slice(prefix.length), stats }] : [],
    );
  };
  const deadLetters = async () =>
    createDeadLetters(
      queue,
      (await destinations()).map(({ name }) => name),
    );

  return {
    status: async () =>
      Object.fromEntries(
        (await destinations()).map(({ name, stats: { isPaused, ...stats } }) => [
          name,
          { ...stats, isDisabled: isPaused },
        ]),
      ),
    deadLetters: {
      list: async (page) => (await deadLetters()).list(page),
      redrive: async (which) => (await deadLetters()).redrive(which),
      discard: async (which) => (await deadLetters()).discard(which),
    },
  };
};
