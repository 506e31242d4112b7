/** Who waits for whom: `live` is served first, since a person is on the phone. */
export type Lane = 'live' | 'background';

/** Keeps one application under the limit of one API, and shares its places among the tenants. */
export interface RateLimiter {
  /**
   * Resolves when one request (or `weight` of them) may be sent now.
   * Rejects with `RateLimitedError` and its `retryAfterMs` at once when the wait would be longer than `maxWaitMs`,
   * and with the signal's reason when it aborts; an aborted waiter frees its place.
   */
  acquire(options: {
    /** The tenant. All tenants also share the limit of the app. */
    readonly key: string;
    /** How many requests. @defaultValue 1 */
    readonly weight?: number;
    readonly lane?: Lane;
    readonly maxWaitMs: number;
    readonly signal: AbortSignal;
  }): Promise<void>;
  /** The API answered 429: nobody of this app sends for `ms`. */
  pause(key: string, ms: number): void;
  /** What stands right now. */
  state(): RateLimiterState;
  /** Refuses who still waits and frees the timers. */
  close(): Promise<void>;
}

/** How long somebody would have to wait now, for a console or a health check. */
export interface RateLimiterState {
  /** Callers waiting for a place. */
  readonly waiting: number;
  /** How long a new live caller would wait. */
  readonly nextFreeInMs: number;
  /** How long a 429 still keeps everybody waiting. */
  readonly pausedForMs: number;
}
