import { createHash } from 'node:crypto';

/** What identifies an event. */
export interface EventIdentity {
  readonly id: string;
  /** How long the id is remembered once the event was handled. */
  readonly retainMs: number;
  /** Set when the id isn't signed: the same id with other content is a conflict, and is refused. */
  readonly contentDigest: string | undefined;
  /** Set when the id is the body's own hash: another one after each {@link sameBodyMs}, for the queue's longer memory. */
  readonly period: number | undefined;
}

/**
 * Picks the id of a genuine delivery: what the application or the envelope reads from the body, then a signed id, then
 * the header that senders use for it, then the hash of the body.
 * An event may repeat a body on purpose (`shipped`, `delayed`, `shipped`), so a hash counts for minutes only.
 */
export const identifyEvent = (
  { fromBody, signed, headers, bytes }: EventIdSources,
  { retainMs, now }: { readonly retainMs: number; readonly now: number },
): EventIdentity => {
  const trusted = [...fromBody, signed].find(isNamed);
  if (trusted !== undefined) return { id: bounded(trusted), retainMs, contentDigest: undefined, period: undefined };
  const claimed = idHeaders.map((name) => headers.get(name)).find(isNamed);
  if (claimed !== undefined) return { id: bounded(claimed), retainMs, contentDigest: digest(bytes), period: undefined };
  return {
    id: digest(bytes),
    retainMs: Math.min(retainMs, sameBodyMs),
    contentDigest: undefined,
    period: Math.floor(now / sameBodyMs),
  };
};

/** Where a genuine delivery may say which event it is; the first that says it counts. */
export interface EventIdSources {
  readonly fromBody: readonly (string | undefined)[];
  readonly signed: string | undefined;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** How long the same body without an id is the same event. Longer than a sender takes for its first repetitions. */
const sameBodyMs = 300_000;

/** In the order they count: the default API's, those of Standard Webhooks and its hosts, and a common one. */
const idHeaders = ['idempotency-key', 'webhook-id', 'svix-id', 'x-event-id'];

const isNamed = (id: string | null | undefined): id is string => id !== undefined && id !== null && id !== '';

/** It becomes a key of the store, so a longer one is replaced by its hash. */
const bounded = (id: string): string => (id.length > 255 ? digest(id) : id);

const digest = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');
