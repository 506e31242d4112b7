import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { StoreError } from '../../core/errors.ts';
import { dayMs, setTimer } from '../../core/timers.ts';
import type { IdempotencyStore } from '../../stores/ports/idempotency-store.ts';
import { prepareOnce } from '../../stores/prepare-once.ts';
import { madeOnce } from '../made-once.ts';

/** Returns the secret for what is signed at a time. All processes that share a store have the same one. */
export type SigningSecret = (at: number) => Promise<string>;

/** A secret of each day: a store that forgets one, or a process that keeps one for long, goes wrong for a day at most. */
export const signingSecretOf: (store: IdempotencyStore) => SigningSecret = /* @__PURE__ */ madeOnce((store) => {
  const secrets = new LRUCache<number, () => Promise<string>>({ max: mostDays });
  return (at) => {
    const day = Math.floor(at / dayMs);
    const secret = secrets.get(day) ?? prepareOnce(() => takeSecret(store, `signing-secret:${day}`));
    secrets.set(day, secret);
    return secret();
  };
});

const takeSecret = async (store: IdempotencyStore, key: string): Promise<string> => {
  const made = randomBytes(32).toString('hex');
  try {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const claimed = await store.claim(key, { fingerprint: key, leaseMs, retainMs });
      if (claimed.state === 'finished' && typeof claimed.result === 'string') return claimed.result;
      if (claimed.state === 'new' && (await store.settle(key, claimed.claim, made))) return made;
      await new Promise<void>((resolve) => void setTimer(resolve, retryMs));
    }
  } catch (cause) {
    throw new StoreError('the secret that signs confirmations could not be read', { cause });
  }
  throw new StoreError('the secret that signs confirmations is held by another process');
};

/** Two days: what was signed before midnight counts after it. */
const retainMs = 2 * dayMs;

/** Yesterday, today, and a clock that is ahead. */
const mostDays = 3;

/** A secret is stored in two round trips. */
const leaseMs = 5_000;
const retryMs = 25;
const mostTries = 80;
