import type { Outcome } from '../errors.ts';

/** Why a request was not sent at once. */
export type WaitReason = 'backoff' | 'retry_after' | 'rate_limit';

/** What is said of an error in an event: nothing of it is personal or secret. */
export interface EventError {
  readonly code: string;
  readonly reason?: string;
  readonly status?: number;
  readonly networkCode?: string;
}

interface EventBase {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `messaging`, `crm` or `billing`. */
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
  readonly attempts: number;
  readonly durationMs: number;
  /** What the call was given; its own time is `durationMs`. */
  readonly deadlineMs: number;
  readonly outcome: 'ok' | Outcome;
  readonly status?: number;
  readonly idempotencyKey?: string;
  readonly error?: EventError;
}

/** One request ended, or was refused before it left. */
export interface AttemptEvent extends EventBase {
  readonly type: 'attempt';
  readonly attempt: number;
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

export type CircuitState = 'closed' | 'open' | 'half-open';

/** The API speaks another version than the pinned one, or announced its end. Once per operation. */
export interface VersionWarningEvent extends EventBase {
  readonly type: 'version-warning';
  readonly pinned: string;
  readonly answered?: string;
  readonly deprecation?: string;
  readonly sunset?: string;
}

/** An optional field of a record is not what its type says; it was left out and the call went on. */
export interface SchemaDriftEvent extends EventBase {
  readonly type: 'schema-drift';
  readonly fields: readonly string[];
}

/** A payment whose caller had hung up came to its end. */
export interface SettledEvent extends EventBase {
  readonly type: 'settled-late';
  readonly outcome: 'ok' | Outcome;
  readonly idempotencyKey?: string;
}

/** Everything a client tells its observer. */
export type IntegrationEvent =
  | CallEvent
  | AttemptEvent
  | CircuitEvent
  | VersionWarningEvent
  | SchemaDriftEvent
  | SettledEvent;

/** An event as the place where it happens knows it; {@link createTeller} adds when and to whom. */
export type Untold<E = IntegrationEvent> = E extends IntegrationEvent ? Omit<E, 'at' | 'api' | 'tenant'> : never;

/** Hears every event. What it throws is ignored. */
export type OnEvent = (event: IntegrationEvent) => void;
