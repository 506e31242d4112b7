import { randomUUID } from 'node:crypto';
import type { IdempotencyStore } from './idempotency-store.ts';

/** Claims a key of its own and gives it back: a replica and a read-only file answer reads. Rejects as the store does. */
export const tryStore = async (store: IdempotencyStore, name: string): Promise<void> => {
  const key = `${name}:${randomUUID()}`;
  const claim = await store.claim(key, { fingerprint: name, leaseMs: 1_000, retainMs: 1_000 });
  if (claim.state === 'new') await store.release(key, claim.claim);
};
