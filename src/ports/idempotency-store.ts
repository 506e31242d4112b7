import type { Json } from './json.ts';

/**
 * Remembers what was begun and what came of it, so that work is done once however often it is asked for.
 * A claim is a lease: whoever holds it works, everybody else is told to wait. All methods are atomic, also between
 * processes that share one store.
 */
export interface IdempotencyStore {
  /**
   * Asks for the right to do the work behind `key`.
   * `new`: it is yours, and nobody did it before. `in-progress`: somebody holds it. `unknown`: it is yours, and
   * somebody before you could not tell whether it was done; `note` is what they left. `finished`: it was done.
   * `conflict`: the key is known with another fingerprint.
   * A lease that ends unsettled gives the key back as it was before the claim: `new`, or `unknown` with its note.
   */
  claim(
    key: string,
    options: {
      /** Stands for the exact work; the same key with another fingerprint is a `conflict`. */
      readonly fingerprint: string;
      /** After this, another may claim the key. */
      readonly leaseMs: number;
      /** How long the key is kept after the last change to it. */
      readonly retainMs: number;
    },
  ): Promise<Claim>;
  /**
   * Stores the end of the work: its result, or `{ unknown: note }` when nobody can tell; an object with the one
   * field `unknown` always means the latter. The key can then be claimed again at once.
   * `false`: the lease had ended and another holds the key now, or it is gone; nothing was stored.
   */
  settle(key: string, claim: string, result: Json | { readonly unknown: Json }): Promise<boolean>;
  /** Forgets the key: the next claim is `new`. Does nothing when the claim was lost. */
  release(key: string, claim: string): Promise<void>;
}

/** What {@link IdempotencyStore.claim} answers. */
export type Claim =
  | { readonly state: 'new'; readonly claim: string }
  | { readonly state: 'in-progress'; readonly retryAfterMs: number }
  | { readonly state: 'unknown'; readonly claim: string; readonly note: Json }
  | { readonly state: 'finished'; readonly result: Json }
  | { readonly state: 'conflict' };
