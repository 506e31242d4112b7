import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer, MessageQueue } from 'voice-agent-integrations/outbox';

/** As many publishes wait for their acknowledgement at any time, and as many messages are handled at once. */
export const inFlight = 50;

export const group = 'crm';
export const payload = { event: 'call.completed', call_id: 'CA1', transcript: 'x'.repeat(950) };

export interface Rate {
  readonly publishedPerSecond: number;
  readonly drainedPerSecond: number;
}

/** Published and drained again. */
export const messagesPerSecond = (rate: Rate | undefined): number =>
  rate ? 1 / (1 / rate.publishedPerSecond + 1 / rate.drainedPerSecond) : Number.NaN;

/** `publish` for so many ids, {@link inFlight} of them at any time. */
export const publishAll = async (messages: number, publish: (id: string) => Promise<void>): Promise<void> => {
  let next = 0;
  const lane = async () => {
    while (next < messages) {
      next += 1;
      await publish(`message-${next}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
};

export const enqueue = (queue: MessageQueue, id: string): Promise<void> => queue.enqueue([{ id, group, payload }]);

/** Handles so many messages, each for `handlerMs`, and waits until the last ones are settled. */
export const drain = async (queue: MessageQueue, messages: number, handlerMs = 0): Promise<void> => {
  let handled = 0;
  const options = { groups: { [group]: inFlight }, leaseMs: 60_000, maximumAttempts: 3 };
  let consumer: Consumer | undefined;
  await new Promise<void>((resolve) => {
    consumer = queue.consume(options, async () => {
      if (handlerMs > 0) await sleep(handlerMs);
      handled += 1;
      if (handled === messages) resolve();
      return { type: 'done' };
    });
  });
  // The last ones are settled by then.
  await consumer?.close(60_000);
};

export const perSecond = async (count: number, work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (count * 1_000) / (performance.now() - startedAt);
};
