import type { ReadEnvelope } from './envelope.ts';

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
