import type { UsableOrNot } from './assert-usable.ts';
import type { Json } from './json.ts';

/**
 * Remembers which work was started and how it ended, so that it's done once however often it's asked for.
 * A claim is a lease: its holder works, and everyone else has to wait. All methods are atomic, also between processes
 * that share one store.
 */
export interface IdempotencyStore extends UsableOrNot {
  /**
   * Asks for the right to do the work of `key`.
   * `new`: it's yours, for the first time. `in-progress`: another claim holds it. `unknown`: it's yours, and it's
   * unknown whether it was done before; `note` is what the last holder left. `finished`: it was done.
   * `conflict`: the key is known with another fingerprint.
   * A lease that ends unsettled gives the key back as it was before the claim: `new`, `unknown` with its note, or
   * `finished` with its result.
   */
  claim(
    key: string,
    options: {
      /** The exact work; the same key with another fingerprint is a `conflict`. */
      readonly fingerprint: string;
      /** The time after which another may claim the key. A lease never lasts longer, even if the clock is set back. */
      readonly leaseMs: number;
      /** The time for which the key is kept after the last change to it. */
      readonly retainMs: number;
      /** Claims a finished key too: `finished` then comes with a `claim`. @defaultValue false */
      readonly reopen?: boolean | undefined;
    },
  ): Promise<Claim>;
  /**
   * Holds the claim for another `leaseMs` and stores what is known so far: if that lease ends unsettled, the key is
   * `unknown`, with this note. With 0 the lease ends at once. `false`: the lease had ended before, or the key is gone;
   * nothing was stored.
   */
  renew(key: string, claim: string, options: { readonly leaseMs: number; readonly note: Json }): Promise<boolean>;
  /** The state of the key, without claiming it. `undefined`: it isn't known, or was claimed and left without an end. */
  read(key: string): Promise<KeptWork | undefined>;
  /**
   * Stores the result of the work. The lease ends at once.
   * `false`: the lease had ended before, or the key is gone; nothing was stored.
   */
  settle(key: string, claim: string, result: Json): Promise<boolean>;
  /** Forgets the key: the next claim is `new`. Does nothing when the claim was lost. */
  release(key: string, claim: string): Promise<void>;
}

/** The answer of {@link IdempotencyStore.claim}. */
export type Claim =
  | { readonly state: 'new'; readonly claim: string }
  | { readonly state: 'in-progress'; readonly retryAfterMs: number }
  | { readonly state: 'unknown'; readonly claim: string; readonly note: Json }
  | {
      readonly state: 'finished';
      readonly result: Json;
      /** There only with `reopen`. */
      readonly claim?: string | undefined;
    }
  | { readonly state: 'conflict' };

/** The answer of {@link IdempotencyStore.read} for a known key. */
export type KeptWork =
  | { readonly state: 'in-progress'; readonly retryAfterMs: number }
  | { readonly state: 'unknown'; readonly note: Json }
  | { readonly state: 'finished'; readonly result: Json };
