/**
 * Keeps tokens, so that a restart asks for none and the processes of an application share one. Its contents are
 * secrets: anyone who reads it can act as the application until they expire. Keep it encrypted, off disk, and apart
 * from what is logged or backed up. Everything that fails in it, or takes longer than a second, counts as empty.
 */
export interface TokenStore {
  /** Returns the token of the key, `undefined` when there is nothing or its time is over. */
  get(key: string): Promise<StoredToken | undefined>;
  /** Replaces what was there. After `retainMs` it is of no more use. */
  set(key: string, token: StoredToken, options: { readonly retainMs: number }): Promise<void>;
  /**
   * Asks for the right to fetch the token of the key: one process at a time. The function that comes back gives the
   * right up; `undefined` says that another has it. It ends by itself after `leaseMs`. Without this method, processes
   * may ask for a token at the same time, which harms only where each refresh token can be used once.
   */
  claim?(key: string, options: { readonly leaseMs: number }): Promise<(() => Promise<void>) | undefined>;
}

/** A token as it is kept. JSON can say it. */
export interface StoredToken {
  readonly accessToken: string;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  /** Milliseconds since 1970; absent when its issuer did not say. */
  readonly expiresAt?: number;
  readonly details: TokenDetails;
}

/** The fields that a token's issuer sent with the token, such as `instance_url` or `scope`. Fields with secrets are left out. */
export type TokenDetails = Readonly<Record<string, string | number | boolean>>;
