import { InvalidArgumentError } from '../core/errors.ts';
import { fieldsOf, type JsonObject } from './ports/json.ts';
import type { MessageQueue, QueuedMessage } from './ports/message-queue.ts';

/** A queue that holds any delay. */
interface DelayingQueue extends Pick<MessageQueue, 'consume'> {
  enqueue(messages: readonly MessageOfFields[]): Promise<void>;
}

type MessageOfFields = QueuedMessage & { readonly payload: JsonObject };

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
  const hold = (group: string, payload: JsonObject, held: Held): QueuedMessage => ({
    // An engine may ignore an id that it knows.
    id: held.times === 0 ? held.id : `${held.id}~${held.times}`,
    group,
    payload: { ...payload, [heldField]: { ...held } },
    dueAt: Math.min(held.until, Date.now() + longestDelayMs),
  });

  return {
    enqueue: (messages) =>
      queue.enqueue(
        messages.map((message) => {
          const { id, group, payload, dueAt: until = 0 } = message;
          if (!isTooLong(until)) return message;
          return hold(group, payload, { id, until, times: 0, attempts: 0, enqueuedAt: Date.now() });
        }),
      ),
    consume: (options, handle) =>
      queue.consume(options, async ({ id: ownId, group, payload: stored }, lease) => {
        const { [heldField]: wasHeld, ...payload } = fieldsOf(stored);
        const first: Held = { id: ownId, until: 0, times: 0, attempts: 0, enqueuedAt: lease.enqueuedAt };
        // As `hold` wrote it.
        const held = (wasHeld as Held | undefined) ?? first;
        const { id, until, times, enqueuedAt } = held;
        const again = async (next: Partial<Held>) => {
          await queue.enqueue([hold(group, payload, { ...held, ...next, times: times + 1 })]);
          return { type: 'done' } as const;
        };
        if (until > Date.now()) return again({});
        const attempt = held.attempts + lease.attempt;
        const handled = await handle({ id, group, payload }, { attempt, enqueuedAt, signal: lease.signal });
        if (handled.type !== 'retry-at' || !isTooLong(handled.at)) return handled;
        return again({ until: handled.at, attempts: handled.uncounted ? attempt - 1 : attempt });
      }),
  };
};

/** The field of a payload that is with it while it's held. */
const heldField = 'held';

type Held = {
  readonly id: string;
  readonly until: number;
  /** How often it was stored again. */
  readonly times: number;
  /** The attempts before it was stored again. */
  readonly attempts: number;
  readonly enqueuedAt: number;
};
