import { InvalidArgumentError } from '../core/errors.ts';
import { sanitizeBody } from '../observability/redaction/sanitize-body.ts';
import type { TraceHeaders } from '../observability/listeners.ts';
import type { Json } from '../stores/ports/json.ts';
import type { QueuedMessage } from '../stores/ports/message-queue.ts';
import { type Delivery, type Destination, groupOf } from './destination.ts';

/** One event for one destination, as the queue keeps it. It holds no secrets and no addresses. */
export interface OutboxMessage {
  readonly event: string;
  readonly version: number;
  readonly idempotencyKey: string;
  /** The phone call that it is about. */
  readonly callId?: string | undefined;
  /** The trace of its publication. */
  readonly trace?: TraceHeaders | undefined;
  /** Exactly what is sent at each attempt; of a GET, the query. */
  readonly body: string;
}

/** The event is part of it: another one under the same key must not be taken for a repetition. */
export const messageIdOf = (
  destination: string,
  { event, idempotencyKey }: Pick<OutboxMessage, 'event' | 'idempotencyKey'>,
): string => `${groupOf(destination)}:${event}/${idempotencyKey}`;

export const toQueued = (destination: string, message: OutboxMessage): QueuedMessage => ({
  id: messageIdOf(destination, message),
  group: groupOf(destination),
  // JSON drops what is undefined.
  payload: message as unknown as Json,
});

export const readMessage = (payload: Json): OutboxMessage =>
  // What `toQueued` wrote: the queue returns it unchanged.
  payload as unknown as OutboxMessage;

/** The body or, for a GET, the query, byte for byte the same at every attempt. */
export const writeBody = (
  { name, method, body = envelope }: Pick<Destination, 'name' | 'method' | 'body'>,
  delivery: Delivery,
): string => {
  const field = `destination ${name}: body`;
  const text = jsonText(field, body(delivery));
  return method === 'GET' ? toQuery(field, text) : text;
};

/** The usual names; `id` is the idempotency key, so that a receiver finds it within what is signed. */
const envelope = ({ id, event, version, publishedAt, payload }: Delivery): Json => ({
  id,
  type: event,
  version,
  timestamp: publishedAt,
  data: payload,
});

/** One parameter for each field. A text stays as it is, a list or an object becomes JSON. */
const toQuery = (field: string, text: string): string => {
  const content: unknown = JSON.parse(text);
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new InvalidArgumentError(field, 'must give an object for a GET, which carries its fields as query', {
      operation: 'outbox.publish',
    });
  const pairs = Object.entries(content).map(([name, value]: [string, unknown]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(pairs).toString();
};

/** A value as JSON. Throws `InvalidArgumentError` for one that JSON can't hold: a cycle, a BigInt, a `toJSON` that throws. */
export const jsonText = (field: string, value: unknown): string => {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  throw new InvalidArgumentError(
    field,
    'must be something that JSON can hold: no cycle, no BigInt, no function, and no toJSON that throws',
    { operation: 'outbox.publish', cause },
  );
};

/** Returns the sent body, sanitised: JSON, or the query of a GET. */
export const bodyForPeople = (body: string): unknown => {
  try {
    return sanitizeBody(JSON.parse(body));
  } catch {
    return sanitizeBody(Object.fromEntries(new URLSearchParams(body)));
  }
};
