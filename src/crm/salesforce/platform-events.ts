import { InvalidArgumentError } from '../../core/errors.ts';
import * as z from '../../core/schema.ts';
import { ShapeError } from '../../core/schema.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';
import type { Credential } from '../../http/credential.ts';
import type { HttpDialect } from '../../http/dialect.ts';
import type { RequestOptions } from '../../http/operation.ts';
import { path } from '../../http/path.ts';
import type { Json, JsonObject } from '../../stores/ports/json.ts';
import type { CrmClient } from '../client.ts';
import { isFieldName } from '../where.ts';
import { salesforceHttp } from './http-dialect.ts';

/** A platform event as the org names it. */
export type PlatformEventName = `${string}__e`;

/** A platform event that Salesforce has taken; it is delivered to flows and triggers afterwards. */
export interface PublishedPlatformEvent {
  /** Not that of a record, and not always unique. */
  readonly id: string;
  /** The event's own id, which its subscribers see as `EventUuid`. */
  readonly eventUuid?: string | undefined;
}

/** Events that start flows and triggers of the org. */
export interface PlatformEvents {
  /**
   * Publishes one event. It isn't sent again if its end is unknown. An outbox does that, with a key in the event by which
   * its subscribers recognise repetitions. See {@link platformEventDestination}.
   * Throws what the client throws.
   */
  publish(event: PlatformEventName, fields: JsonObject, call?: RequestOptions): Promise<PublishedPlatformEvent>;
}

/**
 * Publishes platform events with a client that has the preset of Salesforce.
 *
 * @example
 * await platformEvents(integration.crm).publish('Voice_Call__e', { Call_Id__c: callId, Outcome__c: 'resolved' });
 */
export const platformEvents = (crm: CrmClient): PlatformEvents => ({
  publish: async (event, fields, call) =>
    crm.request(
      {
        operation: 'crm.platformEvents.publish',
        method: 'POST',
        path: `sobjects/${nameOf(event)}/`,
        body: fields,
        returns: readPublished,
      },
      call,
    ),
});

/** The place in Salesforce that an outbox sends to; a `Destination` of `voice-agent-integrations/outbox`. */
export interface PlatformEventDestination {
  readonly name: string;
  readonly url: string;
  readonly version: number;
  readonly events?: readonly string[] | undefined;
  readonly method: 'POST';
  readonly authenticate: Credential;
  readonly body: (delivery: DeliveredEvent) => Json;
  readonly dialect: HttpDialect;
}

/** One event of the outbox, on its way. */
export interface DeliveredEvent {
  /** The same at every repetition. */
  readonly id: string;
  readonly event: string;
  readonly version: number;
  /** ISO 8601. */
  readonly publishedAt: string;
  readonly payload: Json;
}

/** The platform event that an outbox's events become, with its org and fields. */
export interface PlatformEventDestinationOptions {
  /** The name of the destination: it stays the same for ever. */
  readonly name: string;
  /** Such as `https://acme.my.salesforce.com`. */
  readonly instanceUrl: string;
  readonly authenticate: Credential;
  readonly event: PlatformEventName;
  /** The fields of the platform event. Put `id` into one of them: deliveries repeat, and flows must know which do. */
  readonly fields: (delivery: DeliveredEvent) => JsonObject;
  /** The names of the outbox's events that it gets. @defaultValue all */
  readonly events?: readonly string[] | undefined;
  /** The version of the outbox's events. @defaultValue 1 */
  readonly version?: number | undefined;
  /** The version of Salesforce's API. @defaultValue '60.0' */
  readonly apiVersion?: string | undefined;
}

/**
 * A destination of an outbox that publishes platform events, so that phone calls start flows of the CRM. Events are stored
 * first, and sent until Salesforce has them. An expired session is renewed, and the org's limit of requests is respected.
 *
 * @example
 * createOutbox({
 *   queue,
 *   destinations: [
 *     platformEventDestination({
 *       name: 'salesforce', instanceUrl: await instanceUrl(authenticate), authenticate, event: 'Voice_Call__e',
 *       fields: ({ id, payload }) => ({ Delivery_Id__c: id, Payload__c: JSON.stringify(payload) }),
 *     }),
 *   ],
 * });
 */
export const platformEventDestination = ({
  name,
  instanceUrl,
  authenticate,
  event,
  fields,
  version = 1,
  apiVersion = '60.0',
  ...filter
}: PlatformEventDestinationOptions): PlatformEventDestination => ({
  ...filter,
  name,
  url: `${instanceUrl.replace(/\/+$/, '')}/services/data/v${apiVersion}/sobjects/${nameOf(event)}/`,
  version,
  method: 'POST',
  authenticate,
  body: fields,
  dialect: deliveryDialect(),
});

const deliveryDialect = (): HttpDialect => {
  const { classify, problemsOf, retryAfterMs } = salesforceHttp({ retryLockedRows: true });
  return { classify, problemsOf, retryAfterMs };
};

const nameOf = (event: string): string => {
  if (typeof event !== 'string' || !event.endsWith('__e') || !isFieldName(event))
    throw new InvalidArgumentError('event', 'must be the name of a platform event (…__e)');
  return path`${event}`;
};

const publishedSchema = z.lazily(() =>
  z.object({
    id: z.string(),
    success: z.boolean(),
    errors: z.optional(z.array(z.looseObject({ statusCode: z.optional(z.string()), message: z.optional(z.string()) }))),
  }),
);

const readPublished = (json: unknown): PublishedPlatformEvent => {
  const { data } = publishedSchema().safeParse(json);
  // What says `success: false` was refused before.
  if (!data) throw new ShapeError('success', 'must be there, with an id');
  // Salesforce lists an accepted event among the errors, with this code.
  const taken = data.errors?.find(({ statusCode }) => statusCode === 'OPERATION_ENQUEUED');
  return withoutUndefined({ id: data.id, eventUuid: taken?.message });
};
