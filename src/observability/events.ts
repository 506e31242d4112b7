import type { Outcome } from '../errors.ts';

/** Why a request was not sent at once. */
export type WaitReason = 'backoff' | 'retry_after' | 'rate_limit' | 'hedge';

/** What is said of an error in an event: nothing of it is personal or secret. */
export interface EventError {
  /** As on the error, such as `max_retries_exceeded`; `internal_error` for what this package did not throw. */
  readonly code: string;
  /** As on the error, such as `timeout`. */
  readonly reason?: string;
  readonly status?: number;
  /** The system's name for a network failure, such as `ECONNRESET`. */
  readonly networkCode?: string;
  /** The API's own codes, where its dialect reads them. */
  readonly codes?: readonly string[];
}

/** What every event tells. */
interface EventBase {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `messaging`, `crm` or `billing`; `webhooks` for what came in. */
  readonly api: string;
  readonly tenant?: string;
  /** The phone call on behalf of which this happened. */
  readonly callId?: string;
  /** Such as `messaging.contacts.get`. */
  readonly operation: string;
}

/** One call of a client's operation ended. */
export interface CallEvent extends EventBase {
  readonly type: 'call';
  /** How many requests were handed to the network. */
  readonly attempts: number;
  /** From the call to its end, waits included. */
  readonly durationMs: number;
  /** What the call was given; its own time is `durationMs`. */
  readonly deadlineMs: number;
  /** What was left of it when the call ended. Calls that share a deadline run out of it at the same moment. */
  readonly deadlineLeftMs?: number;
  readonly outcome: 'ok' | Outcome;
  readonly status?: number;
  readonly idempotencyKey?: string;
  /** A write that might be done twice if it were sent again: the API knows no key for it. */
  readonly unsafe?: true;
  /** It sent nothing itself: its answer is that of an identical read which was in flight. */
  readonly shared?: true;
  /** What a write sends, sanitised. */
  readonly body?: unknown;
  readonly error?: EventError;
}

/** One request ended, or was refused before it left. */
export interface AttemptEvent extends EventBase {
  readonly type: 'attempt';
  /** 1 for the first. */
  readonly attempt: number;
  /** A wait at the rate limit counts; the backoff before it does not. */
  readonly durationMs: number;
  readonly status?: number;
  readonly error?: EventError;
  /** What it waited for before it was sent, in order. */
  readonly waits: readonly { readonly reason: WaitReason; readonly ms: number }[];
  readonly requestId?: string;
}

/** The circuit breaker of one tenant and API changed. */
export interface CircuitEvent extends EventBase {
  readonly type: 'circuit';
  readonly from: CircuitState;
  readonly to: CircuitState;
}

/**
 * `closed`: requests pass. `open`: they are refused. `half-open`: one of them passes, to see whether the API is well
 * again.
 */
export type CircuitState = 'closed' | 'open' | 'half-open';

/** A 429 keeps everybody of the app waiting. */
export interface RateLimitEvent extends EventBase {
  readonly type: 'rate-limit';
  readonly state: 'paused';
  readonly pausedForMs: number;
}

/** The API speaks another version than the pinned one, or announced its end. Once per operation. */
export interface VersionWarningEvent extends EventBase {
  readonly type: 'version-warning';
  readonly pinned: string;
  /** The version that the answer was in, where it is another. */
  readonly answered?: string;
  /** The header `Deprecation` (RFC 9745), at most 100 characters of it. */
  readonly deprecation?: string;
  /** The header `Sunset` (RFC 8594): the day on which it ends. */
  readonly sunset?: string;
}

/** An optional field of a record is not what its type says; it was left out and the call went on. */
export interface SchemaDriftEvent extends EventBase {
  readonly type: 'schema-drift';
  /** Their names, never their values. */
  readonly fields: readonly string[];
}

/** A payment whose caller had hung up came to its end. */
export interface SettledEvent extends EventBase {
  readonly type: 'settled-late';
  readonly outcome: 'ok' | Outcome;
  readonly idempotencyKey?: string;
}

/** What every event about a credential tells. */
interface CredentialEventBase extends EventBase {
  /** The id of the credential, such as `oauth-client-credentials`. Never the secret, nor anything made of it. */
  readonly credential: string;
}

/** A request was given its credential: the audit of who used what for which operation. Once per attempt. */
export interface CredentialUsedEvent extends CredentialEventBase {
  readonly type: 'credential-used';
  readonly attempt: number;
  /** `first`: of this client. `same` as its request before, or `renewed` since. */
  readonly state: 'first' | 'same' | 'renewed';
}

/** A credential was fetched anew. The operation is the one whose request began it. */
export interface CredentialRenewedEvent extends CredentialEventBase {
  readonly type: 'credential-renewed';
  /** There was none, the old one comes to its end, or the API refused it. */
  readonly because: 'absent' | 'expiring' | 'rejected';
  readonly durationMs: number;
  /** How long it lives, if its issuer said so. */
  readonly expiresInMs?: number;
}

/** A credential could not be fetched. */
export interface CredentialRenewalFailedEvent extends CredentialEventBase {
  readonly type: 'credential-renewal-failed';
  readonly because: 'absent' | 'expiring' | 'rejected';
  readonly durationMs: number;
  /** Such as `invalid_grant`, in the words of RFC 6749, or `network`. */
  readonly reason: string;
  /** How long nobody asks again. */
  readonly retryAfterMs?: number;
}

/** A model's tool call ended, or was refused. */
export interface ToolRunEvent extends EventBase {
  readonly type: 'tool-run';
  /** The tool; `unknown` for a name that the toolbox does not have. */
  readonly tool: string;
  readonly toolCallId?: string;
  readonly effect: 'read' | 'write' | 'payment';
  readonly status: 'done' | 'refused' | 'failed' | 'unknown' | 'cancelled';
  /** Why it was not done, in the word that the model was given. */
  readonly reason?: string;
  /** The fields that were refused, where arguments were. Never their values. */
  readonly fields?: readonly string[];
  /** The result of an earlier, equal tool call was given again. */
  readonly replayed: boolean;
  readonly durationMs: number;
  /** Characters of the line that the model was given. */
  readonly resultChars: number;
  /** Characters of what the tool gave, as compact JSON, before it was cut to size. */
  readonly fullChars?: number;
}

/** A webhook was answered, or an event that was acknowledged before has been handled. */
export interface WebhookReceivedEvent extends EventBase {
  readonly type: 'webhook-received';
  readonly direction: 'in';
  /** The name of the receiver. */
  readonly receiver: string;
  /**
   * `handled`: by its handler, now. `queued`: stored, acknowledged, handled later. `replayed`: the stored answer was
   * given again. `ignored`: acknowledged without a handler. `in-progress`: another delivery of it is being handled.
   * `refused`: not genuine or not valid. `failed`: it may be delivered again.
   */
  readonly outcome: 'handled' | 'queued' | 'replayed' | 'ignored' | 'in-progress' | 'refused' | 'failed';
  /** Why, where it was not handled; such as `signature_mismatch`. */
  readonly reason?: string;
  /** Who sent it, as far as the authentication tells; else the address of the connection. */
  readonly source?: string;
  /** The name of the event, once it is believed. */
  readonly event?: string;
  readonly eventId?: string;
  /** What the sender was answered; absent for an event from the queue. */
  readonly status?: number;
  /** From the arrival to the answer. */
  readonly durationMs: number;
  /** It took longer than the 500 ms that senders are patient for. */
  readonly isSlow: boolean;
  /** The body of a genuine delivery, sanitised. */
  readonly body?: unknown;
  readonly error?: EventError;
}

/** What every event of an outbox tells. */
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

/** An attempt to deliver a message ended: delivered, tried again later, put off without having been tried, or dead. */
export interface DeliveryEvent extends OutboxEventBase {
  readonly type: 'delivery';
  readonly direction: 'out';
  readonly attempt: number;
  readonly durationMs: number;
  readonly outcome: 'delivered' | 'retry' | 'postponed' | 'dead';
  readonly status?: number;
  /** Why it was not delivered. */
  readonly reason?: string;
  /** How long until it is tried again. */
  readonly retryInMs?: number;
  /** What was sent, sanitised. */
  readonly body: unknown;
}

/** A message became a dead letter: it waits until it is redriven or discarded. */
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

/** Everything a client tells its observer. */
export type IntegrationEvent =
  | CallEvent
  | AttemptEvent
  | CircuitEvent
  | RateLimitEvent
  | VersionWarningEvent
  | SchemaDriftEvent
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

/** The words for what an event is about, by which listeners tell them apart. */
export type EventType = IntegrationEvent['type'];

/** An event as the place where it happens knows it; {@link createTeller} adds when and to whom. */
export type Untold<E = IntegrationEvent> = E extends IntegrationEvent ? Omit<E, 'at' | 'api' | 'tenant'> : never;

/** Hears every event. What it throws is ignored. */
export type OnEvent = (event: IntegrationEvent) => void;

/** One listener, or several that hear the same events. */
export type EventListeners = OnEvent | readonly OnEvent[];
