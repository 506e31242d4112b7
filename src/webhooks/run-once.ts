import { setTimer } from '../core/timers.ts';
import { once, type OnceOptions } from '../stores/once.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import type { StoredAnswer } from './answer.ts';

export type Once =
  | { readonly state: 'done'; readonly answer: StoredAnswer; readonly isReplayed: boolean }
  | { readonly state: 'in-progress'; readonly retryAfterMs: number }
  | { readonly state: 'conflict' };

/**
 * Does the work of a key once, and returns its stored answer from then on. Work that fails gives the key back, so that
 * the next delivery tries again. The signal aborts when the lease ends and another may begin.
 * Rejects with what the work threw, or with the store's error when nothing was started.
 */
export const runOnce = async (
  { store, key, ...options }: OnceOptions & { readonly store: IdempotencyStore; readonly key: string },
  work: (signal: AbortSignal) => Promise<StoredAnswer>,
): Promise<Once> => {
  const end = await once(store, key, options, async () => {
    const lease = new AbortController();
    const endLease = setTimer(() => lease.abort(new Error('the lease of this event has ended')), options.leaseMs);
    const answer = await work(lease.signal).finally(endLease);
    return { result: answer, kept: { result: { ...answer } } };
  });
  if (end.state === 'unavailable') throw end.error;
  if (end.state === 'worked') return { state: 'done', answer: end.result, isReplayed: false };
  // Only answers are ever stored under these keys.
  return end.state === 'finished' ? { state: 'done', answer: end.result as StoredAnswer, isReplayed: true } : end;
};
