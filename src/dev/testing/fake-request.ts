import type { Delivery } from './faults.ts';
import type { ApiName, OperationName } from './operations.ts';

/** A request, wherever it came from. */
export interface FakeRequest {
  readonly method: string;
  /** Path and query, without the base address. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As text; empty for a request without. */
  readonly body: string;
}

/** What is to be sent back, and how. */
export interface Handled {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How long to wait before. */
  readonly latencyMs: number;
  /** How much of it reaches the caller. */
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
  /** Of the header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  /** The parsed JSON, or the text when it is none; `undefined` when empty. */
  readonly body: unknown;
  /** What the answer's head says; `undefined` when a fault let no answer out. */
  readonly status: number | undefined;
  /** The work was done for this very request. */
  readonly executed: boolean;
  /** The answer is that of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}
