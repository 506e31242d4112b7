/**
 * How a request for a token failed.
 * `refused`: the endpoint said no, and will again until a secret changes. `transient`: the same request may work soon.
 * `locked`: another request with this refresh token is on its way, and may replace it.
 * `unexpected`: the answer cannot be used. `source`: a function of the application gave no secret, or lost one.
 */
export type TokenFailureKind = 'refused' | 'transient' | 'locked' | 'unexpected' | 'source';

/** Why there is no token. Its message is safe to log; what came from outside is in `original` alone. */
export class TokenFailure extends Error {
  readonly kind: TokenFailureKind;
  /** A code of RFC 6749 such as `invalid_grant`, or one of ours such as `network`. */
  readonly reason: string;
  declare readonly retryAfterMs?: number;
  declare readonly original: unknown;

  constructor(
    kind: TokenFailureKind,
    reason: string,
    message: string,
    { retryAfterMs, original }: { retryAfterMs?: number | undefined; original?: unknown } = {},
  ) {
    super(message);
    this.name = 'TokenFailure';
    this.kind = kind;
    this.reason = reason;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
    Object.defineProperty(this, 'original', { value: original, enumerable: false });
  }
}
