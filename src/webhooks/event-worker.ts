import { toPlain } from '../stores/hand-over.ts';
import { holdDelays } from '../stores/hold-delays.ts';
import type { Json } from '../stores/ports/json.ts';
import type { Consumer, Handled, MessageQueue } from '../stores/ports/message-queue.ts';
import type { AcceptedEvent } from './receiver-options.ts';
import type { Once } from './run-once.ts';

/** Options for handling acknowledged events. */
export interface WorkerOptions {
  /** Events handled at once. @defaultValue 10 */
  readonly concurrency?: number | undefined;
  /** The attempts after which an event becomes a dead letter of the queue. @defaultValue 6 */
  readonly maximumAttempts?: number | undefined;
}

/** An event in a queue: there, the message's id is the key. */
export type QueuedEvent = Omit<AcceptedEvent, 'key'>;

/** Handles an event that was acknowledged; the signal aborts when the queue takes it back. */
export type HandleQueued = (queued: QueuedEvent, key: string, signal?: AbortSignal) => Promise<Once>;

/** Resolves when the event is stored as safely as the queue can; one that is stored already is not stored twice. */
export const enqueueEvent = (
  queue: MessageQueue,
  { id, group, queued }: { readonly id: string; readonly group: string; readonly queued: QueuedEvent },
): Promise<void> => queue.enqueue([{ id, group, payload: toPlain(queued) as object as Json }]);

/** Handles what was acknowledged. An event whose handler rejects waits longer each time and dies after the last attempt. */
export const startEventWorker = (
  queue: MessageQueue,
  {
    group,
    concurrency = 10,
    maximumAttempts = 6,
    leaseMs,
    handle,
    onError,
  }: WorkerOptions & {
    readonly group: string;
    readonly leaseMs: number;
    readonly handle: HandleQueued;
    readonly onError: (error: unknown) => void;
  },
): Consumer =>
  holdDelays(queue).consume(
    { groups: { [group]: concurrency }, leaseMs, maximumAttempts, onError },
    async ({ id, payload }, lease): Promise<Handled> => {
      try {
        // As `enqueueEvent` wrote it.
        const once = await handle(payload as object as QueuedEvent, id, lease.signal);
        if (once.state === 'done') return { type: 'done' };
        if (once.state === 'conflict') return { type: 'dead', reason: 'conflict' };
        return { type: 'retry-at', at: Date.now() + once.retryAfterMs, uncounted: true };
      } catch (error) {
        onError(error);
        if (lease.attempt >= maximumAttempts) return { type: 'dead', reason: 'handler_failed' };
        return { type: 'retry-at', at: Date.now() + retryDelayMs(lease.attempt, Math.random()) };
      }
    },
  );

/** 1 s, 3 s, 9 s, 27 s, 81 s and so on up to 2 min, each within 20 %. */
export const retryDelayMs = (attempt: number, random: number): number =>
  Math.round(Math.min(3 ** (attempt - 1) * 1000, 120_000) * (0.8 + random * 0.4));
