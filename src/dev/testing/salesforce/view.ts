import type { FakePlatformEvent } from './contract.ts';

/** What a fake org of Salesforce has in addition to its records. */
export interface FakeSalesforce {
  /** The platform events that were published, the oldest first. */
  readonly platformEvents: readonly FakePlatformEvent[];
  /** The requests of the last 24 hours, from any client. */
  readonly usage: { readonly used: number; readonly limit: number };
  /** From now on every request is one too many. */
  useUpRequests(): void;
  /** The 24 hours are over. */
  startAnew(): void;
  /** Every token that was issued ends; the next request with one is refused with 401 `INVALID_SESSION_ID`. */
  endSessions(): void;
}
