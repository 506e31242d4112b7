import type { Delivery } from './faults.ts';
import type { ApiName, OperationName } from './operations.ts';

/** A request, wherever it came from. */
export interface FakeRequest {
  readonly method: string;
  /** Path and query, without the base address. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The text of the body; empty for a request without one. */
  readonly body: string;
}

/** The answer to send, and the way of sending it. */
export interface Handled {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The wait before it. */
  readonly latencyMs: number;
  /** The part of it that reaches the caller. */
  readonly delivery: Delivery;
}

/** A request as the fake platform remembers it. */
export interface RecordedRequest {
  readonly api: ApiName;
  /** `undefined` when no endpoint was meant. */
  readonly operation: OperationName | undefined;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. The credential is `***` unless the platform is set to record it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: 'accepted' | 'refused' | 'missing';
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  /** The parsed JSON, or the text when it is none; `undefined` when empty. */
  readonly body: unknown;
  /** The status of the answer; `undefined` if a fault let no answer out. */
  readonly status: number | undefined;
  /** The work was done for this very request. */
  readonly executed: boolean;
  /** The answer is that of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}
