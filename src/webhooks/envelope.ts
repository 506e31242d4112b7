import { parseTimestamp } from '../core/timestamp.ts';

/** The fields of a body that identify its event. */
export interface Envelope {
  /** The name of the event in `events`. */
  readonly type: string;
  /** The version of its schema. */
  readonly version?: string | undefined;
  /** Identifies the event: the same on each delivery. */
  readonly id?: string | undefined;
  /** The time of the event, in milliseconds since 1970. */
  readonly occurredAt?: number | undefined;
  /** The value that the schema checks. */
  readonly payload: unknown;
}

/** Reads the envelope of a verified body. `{ ignore }` acknowledges it without a handler and reports why. */
export type ReadEnvelope = (
  body: unknown,
  about: { readonly url: URL; readonly headers: Headers },
) => Envelope | { readonly ignore: string } | undefined;

/**
 * Reads the usual envelope. The name of the event is under `type`, `event` or `topic`, its version under `version` or
 * in the path (`/v2`). Its time is under `occurred_at`, `created_at` or `timestamp`. The schema is applied to the whole
 * body.
 *
 * @example
 * envelope: (body, about) => readEnvelope(unwrap(body), about), // the sender wraps it again
 */
export const readEnvelope: ReadEnvelope = (body, { url }) => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...body };
  const type = [fields.type, fields.event, fields.topic].find((value) => typeof value === 'string');
  if (typeof type !== 'string') return undefined;
  const { version } = fields;
  const written = typeof version === 'string' || typeof version === 'number' ? String(version) : undefined;
  return {
    type,
    version: written ?? /\/v(\d+)\/?$/.exec(url.pathname)?.[1],
    occurredAt: parseTimestamp(fields.occurred_at ?? fields.created_at ?? fields.timestamp),
    payload: body,
  };
};

/**
 * The envelope that `voice-agent-integrations/outbox` and many senders write: `{ id, type, version, timestamp, data }`.
 * The schema is applied to `data`, and the id identifies the event.
 *
 * @example
 * const receive = createWebhookReceiver({ envelope: readDataEnvelope, authentication, events, on, store });
 */
export const readDataEnvelope: ReadEnvelope = (body, about) => {
  const envelope = readEnvelope(body, about);
  if (!envelope || 'ignore' in envelope) return envelope;
  const { id, data }: { readonly id?: unknown; readonly data?: unknown } = { ...(envelope.payload as object) };
  return { ...envelope, id: typeof id === 'string' && id !== '' ? id : undefined, payload: data };
};

/**
 * HubSpot puts up to 100 events into one delivery, which is one event here: `hubspot.events`, whose schema is a list. The
 * ids of its events identify it, so that a repetition is recognised though it counts its attempts.
 *
 * @example
 * const receive = createWebhookReceiver({ envelope: readHubSpotEvents, authentication, store, events, on });
 */
export const readHubSpotEvents: ReadEnvelope = (body) => {
  if (!Array.isArray(body)) return undefined;
  if (body.length === 0) return { ignore: 'no_events' };
  const events = body.map((event: unknown) => Object(event) as Readonly<Record<string, unknown>>);
  const ids = events.map(({ eventId, subscriptionId, objectId, occurredAt }) =>
    JSON.stringify([eventId, subscriptionId, objectId, occurredAt]),
  );
  const moments = events.map(({ occurredAt }) => occurredAt).filter((at) => typeof at === 'number');
  return {
    type: 'hubspot.events',
    id: ids.toSorted().join(','),
    occurredAt: moments.length > 0 ? Math.max(...moments) : undefined,
    payload: body,
  };
};
