import { equal, ok } from 'node:assert/strict';
import type { Claim, IdempotencyStore, KeptWork } from '../../../stores/ports/idempotency-store.ts';

/** A store, a key that it doesn't know, and what checks do with them. */
export interface StoreUnderCheck {
  readonly store: IdempotencyStore;
  readonly key: string;
  readonly leaseMs: number;
  readonly pass: (ms: number) => Promise<void>;
  readonly claim: (more?: Partial<ClaimOptions>) => Promise<Claim>;
  /** Returns the claim of a key that must be free, or fails with these words. */
  readonly claimed: (words?: string) => Promise<string>;
}

type ClaimOptions = Parameters<IdempotencyStore['claim']>[1];

interface Setting extends Pick<StoreUnderCheck, 'key' | 'leaseMs' | 'pass'> {
  readonly retainMs: number;
}

export const putUnderCheck = (store: IdempotencyStore, { key, leaseMs, retainMs, pass }: Setting): StoreUnderCheck => {
  const claim: StoreUnderCheck['claim'] = (more) =>
    store.claim(key, { fingerprint: 'this work', leaseMs, retainMs, ...more });
  return {
    store,
    key,
    leaseMs,
    pass,
    claim,
    claimed: async (words = 'The first claim of a key must be new') => {
      const found = await claim();
      ok(found.state === 'new' || found.state === 'unknown', `${words}, not ${found.state}`);
      return found.claim;
    },
  };
};

/** Fails unless another one holds the key, and says how long at most. */
export const assertHeld = (found: Claim | KeptWork | undefined, leaseMs: number, words: string): void => {
  equal(found?.state, 'in-progress', words);
  const { retryAfterMs } = found;
  ok(retryAfterMs > 0 && retryAfterMs <= leaseMs, 'retryAfterMs must be the time until the lease ends');
};
