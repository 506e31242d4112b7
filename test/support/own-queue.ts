import { StoreError } from '../../src/core/errors.ts';
import type { Handled, MessageQueue, QueuedMessage } from '../../src/stores/ports/message-queue.ts';

interface Kept {
  readonly message: QueuedMessage;
  readonly enqueuedAt: number;
  dueAt: number;
  attempts: number;
  lease?: object | undefined;
}

/**
 * A queue in memory as someone else may write one, without any part of ours.
 * `isFenced: false`: it listens to handlers whose lease is over.
 */
export const openOwnQueue = ({ isFenced = true }: { readonly isFenced?: boolean } = {}): MessageQueue => {
  const kept = new Map<string, Kept>();
  const known = new Set<string>();
  const closers = new Set<(drainMs?: number) => Promise<void>>();
  const pumps = new Set<() => void>();
  let isClosed = false;
  const pump = () => setImmediate(() => pumps.forEach((run) => run()));
  const wakeAt = (at: number) => {
    if (at <= Date.now()) pump();
    else setTimeout(pump, at - Date.now());
  };
  const assertOpen = () => {
    if (isClosed) throw new StoreError('closed');
  };

  return {
    enqueue: async (messages) => {
      assertOpen();
      for (const message of structuredClone(messages)) {
        if (known.has(message.id)) continue;
        known.add(message.id);
        const now = Date.now();
        const dueAt = message.dueAt ?? now;
        kept.set(message.id, { message, enqueuedAt: now, dueAt, attempts: 0 });
        wakeAt(dueAt);
      }
    },
    consume: ({ groups, leaseMs, maximumAttempts, onError }, handle) => {
      assertOpen();
      const inHand = new Map<
        object,
        { readonly group: string; readonly handBack: () => void; readonly end: Promise<void> }
      >();
      let isOver = false;

      const start = (one: Kept) => {
        const { id, group, payload } = one.message;
        const controller = new AbortController();
        const lease = {};
        one.lease = lease;
        one.attempts += 1;
        const release = (dueAt: number) => {
          one.lease = undefined;
          one.dueAt = dueAt;
          wakeAt(dueAt);
        };
        const over = setTimeout(() => {
          controller.abort();
          inHand.delete(lease);
          if (one.attempts >= maximumAttempts) kept.delete(id);
          else release(Date.now());
        }, leaseMs);
        const settle = (handled: Handled) => {
          if (isFenced && one.lease !== lease) return;
          clearTimeout(over);
          if (handled.type !== 'retry-at') return void kept.delete(id);
          if (handled.uncounted) one.attempts -= 1;
          release(handled.at);
        };
        const run = async () => {
          try {
            settle(
              await handle(
                { id, group, payload },
                { attempt: one.attempts, enqueuedAt: one.enqueuedAt, signal: controller.signal },
              ),
            );
            inHand.delete(lease);
            pump();
          } catch (error) {
            onError?.(error);
          }
        };
        const handBack = () => {
          controller.abort();
          if (one.lease === lease) settle({ type: 'retry-at', at: Date.now(), uncounted: true });
        };
        inHand.set(lease, { group, handBack, end: run() });
      };

      const take = () => {
        for (const one of kept.values()) {
          const { group } = one.message;
          const isFree = [...inHand.values()].filter((other) => other.group === group).length < (groups[group] ?? 0);
          if (!isOver && isFree && !one.lease && one.dueAt <= Date.now()) start(one);
        }
      };
      const close = async (drainMs = 5_000) => {
        isOver = true;
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, drainMs);
        if (drainMs === 0) resolve();
        await Promise.race([promise, Promise.all([...inHand.values()].map(({ end }) => end))]);
        clearTimeout(timer);
        for (const { handBack } of inHand.values()) handBack();
        pumps.delete(take);
        closers.delete(close);
      };
      pumps.add(take);
      closers.add(close);
      pump();
      return { close };
    },
    close: async (drainMs) => {
      isClosed = true;
      await Promise.all([...closers].map((close) => close(drainMs)));
    },
  };
};
