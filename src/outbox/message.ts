import type { TraceHeaders } from '../observability/tracer.ts';
import type { Json } from '../ports/json.ts';
import type { QueuedMessage } from '../ports/message-queue.ts';
import { groupOf } from './destination.ts';

/** One event for one destination, as it lies in the queue. What it says about secrets and addresses is nothing. */
export interface OutboxMessage {
  readonly event: string;
  readonly version: number;
  readonly idempotencyKey: string;
  /** The phone call that it is about. */
  readonly callId?: string;
  /** Where its publication stands in a trace. */
  readonly trace?: TraceHeaders;
  /** Exactly what is sent at each attempt; of a GET, the query. */
  readonly body: string;
}

/** The event is part of it: another one under the same key must not be taken for a repetition. */
export const idOf = (
  destination: string,
  { event, idempotencyKey }: Pick<OutboxMessage, 'event' | 'idempotencyKey'>,
): string => `${groupOf(destination)}:${event}/${idempotencyKey}`;

export const toQueued = (destination: string, message: OutboxMessage): QueuedMessage => ({
  id: idOf(destination, message),
  group: groupOf(destination),
  payload: { ...message },
});

/** What was written by {@link toQueued}: the queue gives back what it was given. */
export const readMessage = (payload: Json): OutboxMessage => payload as unknown as OutboxMessage;
