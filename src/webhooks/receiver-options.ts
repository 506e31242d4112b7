import type { EventListeners, TraceHeaders } from '../observability/listeners.ts';
import type { Redact } from '../observability/redaction/redactor.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import type { Json } from '../stores/ports/json.ts';
import type { MessageQueue } from '../stores/ports/message-queue.ts';
import type { Authentication } from './authentication/method.ts';
import type { Envelope, ReadEnvelope } from './envelope.ts';
import type { EventOf, EventSchemas, ReceivedEvent } from './event-schemas.ts';
import type { EventChecks } from './sanity.ts';

/** The sender and the tenant of an event. */
export interface EventSource {
  /** From the authentication: the `sender` of `hmac`, the client of a token, the name on a certificate. */
  readonly sender: string | undefined;
  readonly tenant: string | undefined;
}

/** A verified event that waits for its handler, as it came: what a schema makes of it may be no JSON. */
export interface AcceptedEvent {
  /** The same for each delivery of the event, and for no other event. 64 digits and letters, for any engine's ids. */
  readonly key: string;
  /** The event's id, as its handler gets it. */
  readonly id: string;
  readonly envelope: Envelope;
  readonly source: EventSource;
  /** The trace of its delivery. */
  readonly trace?: TraceHeaders | undefined;
}

/** The facts that a handler gets in addition to its event. */
export interface EventContext extends EventSource {
  /** Aborts when the lease ends: from then on, another delivery may be handled too. */
  readonly signal: AbortSignal;
}

/**
 * Does what an event asks for. Runs once for each event, and again only when it rejected or the process died in it: what
 * it does should bear that. What it returns is the body of the answer, if the answer waits for it.
 */
export type EventHandler<Event> = (event: Event, context: EventContext) => Promise<Json | void> | Json | void;

/** Says why this sender may not cause this; `undefined` when it may. The words go to the observer, not to the sender. */
export type EventRule<Event> = (event: Event, source: EventSource) => string | undefined | Promise<string | undefined>;

/** A delivery that was refused, and why. It holds no secret and nothing of the body but names. */
export interface RefusedDelivery {
  /** The name of the receiver. */
  readonly receiver: string;
  /** More exact than the answer, such as `signature_mismatch`; for one of your `rules`, what it said. */
  readonly reason: string;
  /** The status that the sender got. */
  readonly status: number;
  /** The path of the field that is wrong, where one is. */
  readonly field: string | undefined;
  /** The sender, as far as the authentication shows; otherwise the address of the connection. */
  readonly source: string | undefined;
  readonly tenant: string | undefined;
  /** The name of the event, once the delivery was verified. */
  readonly event: string | undefined;
  readonly eventId: string | undefined;
}

/** Options of {@link createWebhookReceiver}. */
export interface WebhookReceiverOptions<Events extends EventSchemas> {
  /** The ways to verify deliveries; all of these must agree. */
  readonly authentication: readonly Authentication[];
  /** No event causes an action, so that weak authentication will do. @defaultValue false */
  readonly informational?: boolean | undefined;
  /** The events that may arrive, with their schemas. */
  readonly events: Events;
  /** One handler for each of them. */
  readonly on: { readonly [Name in keyof Events & string]: EventHandler<EventOf<Events, Name>> };
  /** Remembers the events that were handled; of each tenant, if they are kept apart. */
  readonly store: IdempotencyStore | ((tenant: string | undefined) => IdempotencyStore);
  /**
   * Makes the answer fast: a valid delivery is stored here before it is acknowledged, and handled by
   * `startWorker`. Without it, the answer waits for the handler.
   */
  readonly queue?: MessageQueue | undefined;
  /**
   * Gives a valid delivery to your engine before it's acknowledged: resolve when the event is safe there, within 10
   * seconds. Its worker calls `receive.handle(event)`. After a failure it may get the same `key` again.
   */
  readonly send?: ((event: AcceptedEvent) => Promise<unknown>) | undefined;

  /** Part of the keys of store and queue, and of events: two receivers need two names. @defaultValue 'webhooks' */
  readonly name?: string | undefined;
  /** Returns the workspace of a delivery, from its address or headers. `undefined` refuses it. */
  readonly tenant?:
    | ((request: { readonly url: URL; readonly headers: Headers }) => string | undefined | Promise<string | undefined>)
    | undefined;

  /** @defaultValue {@link readEnvelope} */
  readonly envelope?: ReadEnvelope | undefined;
  /**
   * Reads the id of an event from its body.
   * @defaultValue the envelope's id, a signed id of the delivery, the header `Idempotency-Key` or one like it, or SHA-256 of
   * the body for five minutes
   */
  readonly eventId?: ((event: Omit<ReceivedEvent, 'id'>) => string | undefined) | undefined;
  /** VerifiedDelivery events that are not listed: refused with 422, or acknowledged. @defaultValue 'refuse' */
  readonly unlistedEvents?: 'refuse' | 'acknowledge' | undefined;
  /** Further conditions on the payload of an event. */
  readonly checks?: { readonly [Name in keyof Events & string]?: EventChecks } | undefined;
  /** Says if a record exists: asked for the ids in `checks`. */
  readonly recordExists?:
    | ((record: { readonly type: string; readonly id: string }, source: EventSource) => boolean | Promise<boolean>)
    | undefined;
  /** Rules about the effects that a sender is allowed to cause. */
  readonly rules?:
    | { readonly [Name in keyof Events & string]?: readonly EventRule<EventOf<Events, Name>>[] }
    | undefined;

  /** @defaultValue 1 MiB */
  readonly maximumBodyBytes?: number | undefined;
  /** The time for the body to arrive. @defaultValue 10000 */
  readonly bodyTimeMs?: number | undefined;
  /** The time for a handler to end; after it, the event may be handled again. @defaultValue 60000 */
  readonly leaseMs?: number | undefined;
  /** The time for which an event is remembered; one that says it is older is refused. @defaultValue 7 days */
  readonly retainMs?: number | undefined;
  /** The distance into the future that is allowed to times in a payload. @defaultValue 300000 */
  readonly futureToleranceMs?: number | undefined;
  /** The phone call that an event belongs to, where it says so: listeners get it. */
  readonly callId?: ((event: ReceivedEvent) => string | undefined) | undefined;
  /** Called for every delivery; several may listen. What they throw is ignored. */
  readonly onEvent?: EventListeners | undefined;
  /** Masks events before listeners get them. @defaultValue secrets and personal data */
  readonly redact?: Redact | undefined;
  /**
   * Called for each delivery that is refused, with the reason: a wrong signature, an old one, a schema that doesn't fit.
   * Without it, only `onEvent` shows that a sender's deliveries don't get in. What it throws is ignored.
   */
  readonly onRefused?: ((refused: RefusedDelivery) => void) | undefined;
  /** Gets what handlers and hooks threw, and defects of the set-up. The sender learns nothing of them. */
  readonly onError?: ((error: unknown) => void) | undefined;
}
