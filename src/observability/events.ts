import type { Outcome } from '../core/errors.ts';

/** The reasons to wait before a request. */
export type WaitReason = 'backoff' | 'retry_after' | 'rate_limit';

/** An error in an event. Nothing in it is personal or secret. */
export interface EventError {
  /** The code of the error, such as `max_retries_exceeded`; `internal_error` for an error from elsewhere. */
  readonly code: string;
  /** The reason of the error, such as `timeout`. */
  readonly reason?: string | undefined;
  readonly status?: number | undefined;
  /** The system's name for a network failure, such as `ECONNRESET`. */
  readonly networkCode?: string | undefined;
  /** The API's own codes, where its dialect reads them. */
  readonly codes?: readonly string[] | undefined;
}

/** The fields of every event. */
interface EventBase {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `messaging`, `crm` or `billing`; `tools`, `webhooks` or `outbox`. */
  readonly api: string;
  readonly tenant?: string | undefined;
  /** The phone call that this happened for. */
  readonly callId?: string | undefined;
  /** Such as `messaging.contacts.get`. */
  readonly operation: string;
}

/** One call of a client's operation ended. */
export interface CallEvent extends EventBase {
  readonly type: 'call';
  /** The number of requests that went to the network. */
  readonly attempts: number;
  /** From the start of the call to its end, with all waits. */
  readonly durationMs: number;
  /** The time that the call had. What it took is `durationMs`. */
  readonly deadlineMs: number;
  /** The rest of the deadline when the call ended. Calls that share a deadline run out of it together. */
  readonly deadlineLeftMs?: number | undefined;
  readonly outcome: 'ok' | Outcome;
  readonly status?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  /** A write that sending again could do twice, because the API honours no key for it. */
  readonly unsafe?: true | undefined;
  /** The body of a write, sanitised. */
  readonly body?: unknown;
  readonly error?: EventError | undefined;
}

/** One request ended, or was refused before it was sent. */
export interface AttemptEvent extends EventBase {
  readonly type: 'attempt';
  /** 1 for the first. */
  readonly attempt: number;
  /** Includes the wait at the rate limit, not the back-off before it. */
  readonly durationMs: number;
  readonly status?: number | undefined;
  readonly error?: EventError | undefined;
  /** The waits before it was sent, in order. */
  readonly waits: readonly { readonly reason: WaitReason; readonly ms: number }[];
  readonly requestId?: string | undefined;
}

/** The circuit breaker of one tenant and API changed. */
export interface CircuitEvent extends EventBase {
  readonly type: 'circuit';
  readonly from: CircuitState;
  readonly to: CircuitState;
}

/**
 * `closed`: requests pass. `open`: they are refused. `half-open`: one request passes, to see whether the API works again.
 */
export type CircuitState = 'closed' | 'open' | 'half-open';

/** After a 429, all requests of the app wait. */
export interface RateLimitEvent extends EventBase {
  readonly type: 'rate-limit';
  readonly state: 'paused';
  readonly pausedForMs: number;
}

/** The API answered in another version than the pinned one, or announced the end of it. Once per operation. */
export interface VersionWarningEvent extends EventBase {
  readonly type: 'version-warning';
  readonly pinned: string;
  /** The version of the answer, where it isn't the pinned one. */
  readonly answered?: string | undefined;
  /** The header `Deprecation` (RFC 9745), at most 100 characters of it. */
  readonly deprecation?: string | undefined;
  /** The header `Sunset` (RFC 8594): the day when the version ends. */
  readonly sunset?: string | undefined;
}

/**
 * Fields of a record were left out, and the call went on. Read fields don't have the expected type. The API has no
 * place for written ones, and they're in the record's description. `charset`: some bytes of the answer were no text,
 * and are U+FFFD.
 */
export interface SchemaDriftEvent extends EventBase {
  readonly type: 'schema-drift';
  /** Their names, never their values. */
  readonly fields: readonly string[];
}

/** The API said that it has no such endpoint, which it may lack. The first time in a row; the call went on without it. */
export interface EndpointMissingEvent extends EventBase {
  readonly type: 'endpoint-missing';
}

/** A payment ended after its caller had hung up. */
export interface SettledEvent extends EventBase {
  readonly type: 'settled-late';
  readonly outcome: 'ok' | Outcome;
  readonly idempotencyKey?: string | undefined;
}

/** The fields of every event about a credential. */
interface CredentialEventBase extends EventBase {
  /** The id of the credential, such as `oauth-client-credentials`. Never the secret, nor anything made of it. */
  readonly credential: string;
}

/** A request got its credential: an audit of which credential was used for what. Once per attempt. */
export interface CredentialUsedEvent extends CredentialEventBase {
  readonly type: 'credential-used';
  readonly attempt: number;
  /** `first`: the first of this client. `same`: as for its last request. `renewed`: another one since then. */
  readonly state: 'first' | 'same' | 'renewed';
}

/** A credential was renewed. `operation` is the one whose request started it. */
export interface CredentialRenewedEvent extends CredentialEventBase {
  readonly type: 'credential-renewed';
  /** There was none, the old one is about to expire, or the API refused it. */
  readonly because: 'absent' | 'expiring' | 'rejected';
  readonly durationMs: number;
  /** Its life, if its issuer said so. */
  readonly expiresInMs?: number | undefined;
}

/** A credential could not be renewed. */
export interface CredentialRenewalFailedEvent extends CredentialEventBase {
  readonly type: 'credential-renewal-failed';
  readonly because: 'absent' | 'expiring' | 'rejected';
  readonly durationMs: number;
  /** Such as `invalid_grant`, as in RFC 6749, or `network`. */
  readonly reason: string;
  /** The time until the next try. */
  readonly retryAfterMs?: number | undefined;
}

/** A model's tool call ended, or was refused. */
export interface ToolRunEvent extends EventBase {
  readonly type: 'tool-run';
  /** The tool; `unknown` for a name that the toolbox doesn't have. */
  readonly tool: string;
  readonly toolCallId?: string | undefined;
  readonly effect: 'read' | 'write' | 'payment';
  readonly status: 'done' | 'waiting' | 'refused' | 'failed' | 'unknown' | 'cancelled';
  /** The reason why it wasn't done: the word that the model got. */
  readonly reason?: string | undefined;
  /** The names of refused arguments, never their values. */
  readonly fields?: readonly string[] | undefined;
  /** The model got the result of an earlier, equal tool call. */
  readonly replayed: boolean;
  readonly durationMs: number;
  /** Characters of the text that the model got. */
  readonly resultChars: number;
  /** Characters of the tool's full result, as compact JSON, before it was shortened. */
  readonly fullChars?: number | undefined;
}

/** A webhook was answered, or an event from the queue was handled. */
export interface WebhookReceivedEvent extends EventBase {
  readonly type: 'webhook-received';
  readonly direction: 'in';
  /** The name of the receiver. */
  readonly receiver: string;
  /**
   * `handled`: its handler ran. `queued`: stored and acknowledged, handled later. `replayed`: the stored answer was sent
   * again. `ignored`: acknowledged without a handler. `in-progress`: another delivery of it is being handled.
   * `refused`: not verified or not valid. `failed`: the sender may deliver it again.
   */
  readonly outcome: 'handled' | 'queued' | 'replayed' | 'ignored' | 'in-progress' | 'refused' | 'failed';
  /** The reason why it wasn't handled, such as `signature_mismatch`. */
  readonly reason?: string | undefined;
  /** The sender, if the authentication says so; otherwise the address of the connection. */
  readonly source?: string | undefined;
  /** The name of the event, once the delivery is verified. */
  readonly event?: string | undefined;
  readonly eventId?: string | undefined;
  /** The status that the sender got; absent for an event from the queue. */
  readonly status?: number | undefined;
  /** From the arrival to the answer. */
  readonly durationMs: number;
  /** The answer took longer than 500 ms, after which some senders give up. */
  readonly isSlow: boolean;
  /** The body of a verified delivery, sanitised. */
  readonly body?: unknown;
  readonly error?: EventError | undefined;
}

/** The fields of every event of an outbox. */
interface OutboxEventBase extends EventBase {
  readonly destination: string;
  /** The name of the event that the application published. */
  readonly event: string;
  readonly version: number;
  readonly idempotencyKey: string;
}

/** A message for one destination was stored. */
export interface MessagePublishedEvent extends OutboxEventBase {
  readonly type: 'message-published';
}

/** An attempt to deliver a message ended: delivered, to be retried, postponed without an attempt, or dead. */
export interface DeliveryEvent extends OutboxEventBase {
  readonly type: 'delivery';
  readonly direction: 'out';
  readonly attempt: number;
  readonly durationMs: number;
  readonly outcome: 'delivered' | 'retry' | 'postponed' | 'dead';
  readonly status?: number | undefined;
  /** The reason why it wasn't delivered. */
  readonly reason?: string | undefined;
  /** The time until the next attempt. */
  readonly retryInMs?: number | undefined;
  /** The body that was sent, sanitised. */
  readonly body: unknown;
}

/** A message became a dead letter: it waits until you redrive or discard it. */
export interface MessageDeadEvent extends OutboxEventBase {
  readonly type: 'message-dead';
  readonly attempts: number;
  /** Such as `attempts_exhausted`. */
  readonly reason: string;
}

/** A destination was disabled: its messages wait until it is enabled. */
export interface DestinationDisabledEvent extends EventBase {
  readonly type: 'destination-disabled';
  readonly destination: string;
  readonly reason: string;
}

/**
 * Everything that happens in this package: narrow it by `type`. `IntegrationEvent<'attempt'>` is the event of one type.
 *
 * @example
 * const isSlow = ({ durationMs }: IntegrationEvent<'call'>) => durationMs > 2_000;
 */
export type IntegrationEvent<Type extends EventType = EventType> = Extract<AnyEvent, { readonly type: Type }>;

/** The types of events. */
export type EventType = AnyEvent['type'];

/** Any event, for narrowing by its `type`. */
type AnyEvent =
  | CallEvent
  | AttemptEvent
  | CircuitEvent
  | RateLimitEvent
  | VersionWarningEvent
  | SchemaDriftEvent
  | EndpointMissingEvent
  | SettledEvent
  | CredentialUsedEvent
  | CredentialRenewedEvent
  | CredentialRenewalFailedEvent
  | ToolRunEvent
  | WebhookReceivedEvent
  | MessagePublishedEvent
  | DeliveryEvent
  | MessageDeadEvent
  | DestinationDisabledEvent;

/** An event where it happens: the emitter adds the time, the API and the tenant. */
export type EventInput<E = IntegrationEvent> = E extends IntegrationEvent ? Omit<E, 'at' | 'api' | 'tenant'> : never;
