import type { Claim, IdempotencyStore } from './ports/idempotency-store.ts';
import type { Json } from './ports/json.ts';

/** The lease of the work, and how long its end is kept. */
export interface OnceOptions {
  /** @defaultValue the key */
  readonly fingerprint?: string | undefined;
  readonly leaseMs: number;
  readonly retainMs: number;
  /** Gets the error of a store that fails after the work: its result counts all the same. */
  readonly onStoreError: (error: unknown) => void;
}

/** The end of the work, and what is kept of it: a result, or a note of an unknown end. Without both the key is given back. */
export interface WorkEnd<Result> {
  readonly result: Result;
  readonly kept?: { readonly result: Json } | { readonly note: Json } | undefined;
}

/** `worked`: just now. `unavailable`: the store failed, and the work hasn't begun. */
export type OnceEnd<Result> =
  | { readonly state: 'worked'; readonly result: Result }
  | Extract<Claim, { readonly state: 'finished' | 'in-progress' | 'conflict' }>
  | { readonly state: 'unavailable'; readonly error: unknown };

/**
 * Does the work of a key, unless it's done or under way. The work gets the note of an earlier one whose end is unknown.
 * Work that throws leaves the key as it was.
 */
export const once = async <Result>(
  store: IdempotencyStore,
  key: string,
  { fingerprint = key, leaseMs, retainMs, onStoreError }: OnceOptions,
  work: (note: Json | undefined) => Promise<WorkEnd<Result>>,
): Promise<OnceEnd<Result>> => {
  let claimed: Claim;
  try {
    claimed = await store.claim(key, { fingerprint, leaseMs, retainMs });
  } catch (error) {
    return { state: 'unavailable', error };
  }
  if (claimed.state !== 'new' && claimed.state !== 'unknown') return claimed;
  const { claim } = claimed;
  const before = claimed.state === 'unknown' ? { note: claimed.note } : undefined;
  let kept: WorkEnd<Result>['kept'] = before;
  const keep = async () => {
    if (!kept) await store.release(key, claim);
    else if ('result' in kept) await store.settle(key, claim, kept.result);
    else await store.renew(key, claim, { leaseMs: 0, note: kept.note });
  };
  try {
    const end = await work(before?.note);
    kept = end.kept;
    return { state: 'worked', result: end.result };
  } finally {
    await keep().catch(onStoreError);
  }
};
