import { RateLimitedError } from '../core/errors.ts';
import { assertKnown } from '../core/option-checks.ts';
import { createClaims, isAsExpected, type KeptDocument, type NextDocument } from './claims.ts';
import type { IdempotencyStore } from './ports/idempotency-store.ts';

/** Options of an idempotency store in memory. */
export interface MemoryIdempotencyStoreOptions {
  /**
   * The most keys that are kept. When the store is full, the key that was finished first goes. A key that is in progress
   * or unknown stays, and with nothing else left a new claim is refused.
   * @defaultValue 10000
   */
  readonly maximumKeys?: number | undefined;
}

/**
 * Keeps claims in the memory of this process: fine for one process, and lost with it. Use a store on disk or on the
 * network where a payment must survive a crash.
 * `claim` rejects with `RateLimitedError` when the store is full of unsettled keys.
 *
 * @example
 * const store = createMemoryIdempotencyStore({ maximumKeys: 50_000 });
 * const toolbox = createToolbox({ tools, store });
 */
export const createMemoryIdempotencyStore = (options: MemoryIdempotencyStoreOptions = {}): IdempotencyStore => {
  assertKnown(options, { maximumKeys: true });
  const { maximumKeys = 10_000 } = options;
  const entries = new Map<string, Entry>();

  const find = (key: string): KeptDocument | undefined => {
    const entry = entries.get(key);
    const ageMs = entry ? performance.now() - entry.writtenAt : 0;
    if (entry && ageMs < entry.keepMs) return { version: entry.version, document: entry.document, ageMs };
    entries.delete(key);
    return undefined;
  };

  const makeRoom = () => {
    if (entries.size < maximumKeys) return;
    const now = performance.now();
    for (const [key, { document, keepMs, writtenAt }] of entries) {
      const isSettled = document.note === undefined && document.leaseMs <= now - writtenAt;
      if (isSettled || keepMs <= now - writtenAt) return void entries.delete(key);
    }
    throw new RateLimitedError('the idempotency store is full of unsettled keys');
  };

  return createClaims({
    read: async (key) => find(key),
    write: async (key, next, expected) => {
      const found = find(key);
      if (!isAsExpected(found, expected)) return found;
      if (!found) makeRoom();
      // The entry that changed last is last, so that the first finished one is the oldest.
      entries.delete(key);
      entries.set(key, { ...next, writtenAt: performance.now() });
      return 'done';
    },
    remove: async (key, expected) => {
      const found = find(key);
      if (!isAsExpected(found, expected)) return found;
      entries.delete(key);
      return 'done';
    },
  });
};

interface Entry extends NextDocument {
  readonly writtenAt: number;
}
