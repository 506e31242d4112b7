import { InvalidArgumentError } from '../errors.ts';
import type { Json } from '../ports/json.ts';
import type { Delivery, Destination } from './destination.ts';

/** What is sent, byte for byte, at every attempt; of a GET the query. */
export const writeBody = ({ name, method, body = envelope }: Destination, delivery: Delivery): string => {
  const content = body(delivery);
  if (method === 'GET') return toQuery(name, content);
  const text: string | undefined = JSON.stringify(content);
  if (text === undefined)
    throw new InvalidArgumentError(`destination ${name}: body`, 'must give something JSON can hold');
  return text;
};

/** The usual names; `id` is the idempotency key, so that a receiver finds it within what is signed. */
const envelope = ({ id, event, version, publishedAt, payload }: Delivery): Json => ({
  id,
  type: event,
  version,
  timestamp: publishedAt,
  data: payload,
});

const toQuery = (name: string, content: Json): string => {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw notFlat(name);
  const pairs = Object.entries(content).map(([field, value]): [string, string] => {
    if (typeof value === 'object' && value !== null) throw notFlat(name);
    return [field, String(value)];
  });
  return new URLSearchParams(pairs).toString();
};

const notFlat = (name: string) =>
  new InvalidArgumentError(`destination ${name}: body`, 'must give a flat object for a GET, which carries it as query');
