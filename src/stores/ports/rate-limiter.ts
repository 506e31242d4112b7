/** `live` callers are served first, since a person is on the phone. */
export type Lane = 'live' | 'background';

export const lanes: readonly Lane[] = ['live', 'background'];

/** Keeps one application under the limit of one API, and shares its permits among the tenants. */
export interface RateLimiter {
  /**
   * Resolves when one request (or `weight` of them) may be sent now. Rejects at once with `RateLimitedError` and its
   * `retryAfterMs` when the wait would be longer than `maxWaitMs`. Rejects with the signal's reason when it aborts; an
   * aborted waiter gives up its turn.
   */
  acquire(options: {
    /** The tenant. All tenants also share the limit of the app. */
    readonly key: string;
    /** The number of requests. @defaultValue 1 */
    readonly weight?: number | undefined;
    readonly lane?: Lane | undefined;
    readonly maxWaitMs: number;
    readonly signal: AbortSignal;
  }): Promise<void>;
  /** The API answered 429: this app sends nothing for `ms`. */
  pause(key: string, ms: number): void;
  /** The wait of callers right now. */
  state(): RateLimiterState;
  /** Refuses the waiting callers and frees the timers. */
  close(): Promise<void>;
}

/** Returns how long a caller would have to wait now, for a console or a health check. */
export interface RateLimiterState {
  /** Callers waiting for a permit. */
  readonly waiting: number;
  /** The wait of a new live caller. */
  readonly nextFreeInMs: number;
  /** The wait that a 429 still makes for everyone. */
  readonly pausedForMs: number;
}
