import { InvalidArgumentError } from '../core/errors.ts';
import { fieldsOf, type JsonObject } from './ports/json.ts';
import type { MessageQueue, QueuedMessage } from './ports/message-queue.ts';

type MessageOfFields = Omit<QueuedMessage, 'payload'> & { readonly payload: JsonObject };

/** A queue that holds any delay. */
type DelayingQueue = Pick<MessageQueue, 'consume'> &
  Record<'enqueue', (messages: readonly MessageOfFields[]) => Promise<void>>;

/**
 * Holds the delays that an engine can't: a message waits there as long as it may, and is stored again until it's due. Its
 * handler gets its own id, and counts the attempts before.
 */
export const holdDelays = (queue: MessageQueue): DelayingQueue => {
  const { longestDelayMs } = queue;
  if (longestDelayMs === undefined) return queue;
  if (typeof longestDelayMs !== 'number' || !(longestDelayMs >= 1_000))
    throw new InvalidArgumentError('queue.longestDelayMs', 'must be a number of milliseconds from 1000');

  const isTooLong = (at: number) => at - Date.now() > longestDelayMs;
  const hold = ({ group, payload }: MessageOfFields, held: Held): QueuedMessage => ({
    // An engine may ignore an id that it knows.
    id: held.times === 0 ? held.id : `${held.id}~${held.times}`,
    group,
    payload: { ...payload, held: { ...held } },
    dueAt: Math.min(held.until, Date.now() + longestDelayMs),
  });
  const holdFirst = (message: MessageOfFields): QueuedMessage => {
    const { id, dueAt: until = 0 } = message;
    if (!isTooLong(until)) return message;
    return hold(message, { id, until, times: 0, attempts: 0, enqueuedAt: Date.now() });
  };

  return {
    enqueue: (messages) => queue.enqueue(messages.map(holdFirst)),
    consume: (options, handle) =>
      queue.consume(options, async (stored, { attempt, enqueuedAt, signal }) => {
        const { held: kept, ...payload } = fieldsOf(stored.payload);
        // As `hold` wrote it.
        const held = (kept as Held | undefined) ?? { id: stored.id, until: 0, times: 0, attempts: 0, enqueuedAt };
        const message = { id: held.id, group: stored.group, payload };
        const holdAgain = async (next: Pick<Held, 'until' | 'attempts'>) => {
          await queue.enqueue([hold(message, { ...held, ...next, times: held.times + 1 })]);
          return { type: 'done' } as const;
        };
        if (held.until > Date.now()) return holdAgain(held);
        const lease = { attempt: held.attempts + attempt, enqueuedAt: held.enqueuedAt, signal };
        const handled = await handle(message, lease);
        if (handled.type !== 'retry-at' || !isTooLong(handled.at)) return handled;
        return holdAgain({ until: handled.at, attempts: lease.attempt - (handled.uncounted ? 1 : 0) });
      }),
  };
};

/** A message that's held, in the field `held` of its payload: how often it was stored again, and the attempts before. */
type Held = Readonly<Record<'until' | 'times' | 'attempts' | 'enqueuedAt', number>> & { readonly id: string };
