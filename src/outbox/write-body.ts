import { InvalidArgumentError } from '../errors.ts';
import type { Json } from '../ports/json.ts';
import type { Delivery, Destination } from './destination.ts';
import { jsonText } from './json-text.ts';

/** What is sent, byte for byte, at every attempt; for a GET the query. */
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

/** One parameter for each field. A text stands as it is, a list or an object as JSON. */
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
