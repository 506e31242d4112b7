import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import { setTimer } from '../core/timers.ts';
import type { StoredAnswer } from './answer.ts';

export interface OnceOptions {
  readonly store: IdempotencyStore;
  readonly key: string;
  /** Identifies what the key was used for first. */
  readonly fingerprint: string;
  readonly leaseMs: number;
  readonly retainMs: number;
  /** Called with the store's failure when the answer is known already. */
  readonly onStoreError: (error: unknown) => void;
}

export type Once =
  | { readonly state: 'done'; readonly answer: StoredAnswer; readonly isReplayed: boolean }
  | { readonly state: 'in-progress'; readonly retryAfterMs: number }
  | { readonly state: 'conflict' };

/**
 * Does the work of a key once, and gives its stored answer from then on. Work that fails gives the key back, so
 * that the next delivery tries again. The signal aborts when the lease ends and another may begin.
 * Rejects with what the work threw, or with the store's error when nothing was started.
 */
export const runOnce = async (
  { store, key, fingerprint, leaseMs, retainMs, onStoreError }: OnceOptions,
  work: (signal: AbortSignal) => Promise<StoredAnswer>,
): Promise<Once> => {
  const claim = await store.claim(key, { fingerprint, leaseMs, retainMs });
  if (claim.state === 'in-progress') return claim;
  if (claim.state === 'conflict') return claim;
  // Only answers are ever stored under these keys.
  if (claim.state === 'finished') return { state: 'done', answer: claim.result as StoredAnswer, isReplayed: true };

  const lease = new AbortController();
  const endLease = setTimer(() => lease.abort(new Error('the lease of this event has ended')), leaseMs);
  try {
    const answer = await work(lease.signal);
    // The work is done: a store that fails now must not make the sender deliver again.
    await store.settle(key, claim.claim, { ...answer }).catch(onStoreError);
    return { state: 'done', answer, isReplayed: false };
  } catch (error) {
    await store.release(key, claim.claim).catch(onStoreError);
    throw error;
  } finally {
    endLease();
  }
};
