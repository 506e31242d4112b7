import { RateLimitedError } from '../core/errors.ts';
import { assertKnown } from '../core/option-checks.ts';
import { type Claim, type IdempotencyStore } from './ports/idempotency-store.ts';
import type { Json } from './ports/json.ts';

/** How much an idempotency store in memory keeps. */
export interface MemoryIdempotencyStoreOptions {
  /**
   * How many keys are kept. When it is full, the key that was finished first goes; what is in progress or unknown
   * stays, and with nothing else left a new claim is refused.
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
  let claims = 0;

  const find = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    if (!entry || entry.keptUntil > performance.now()) return entry;
    entries.delete(key);
    return undefined;
  };

  const makeRoom = () => {
    if (entries.size < maximumKeys) return;
    const now = performance.now();
    for (const [key, { state, lease, keptUntil }] of entries) {
      const isSettled = (lease?.until ?? 0) <= now && !('note' in state);
      if (isSettled || keptUntil <= now) return void entries.delete(key);
    }
    throw new RateLimitedError('the idempotency store is full of unsettled keys');
  };

  /** The entry that changed last is last, so that the first finished one is the oldest. */
  const put = (key: string, entry: Entry) => {
    entries.delete(key);
    entries.set(key, entry);
  };

  const held = (key: string, claim: string): Entry | undefined => {
    const entry = find(key);
    return entry?.lease?.claim === claim && entry.lease.until > performance.now() ? entry : undefined;
  };

  const claimNow: (...args: Parameters<IdempotencyStore['claim']>) => Claim = (
    key,
    { fingerprint, leaseMs, retainMs, reopen = false },
  ) => {
    const now = performance.now();
    const entry = find(key);
    if (entry && entry.fingerprint !== fingerprint) return { state: 'conflict' };
    const finished =
      entry && 'result' in entry.state
        ? { state: 'finished' as const, result: JSON.parse(entry.state.result) as Json }
        : undefined;
    if (finished && !reopen) return finished;
    if (entry?.lease && entry.lease.until > now) return { state: 'in-progress', retryAfterMs: entry.lease.until - now };

    if (!entry) makeRoom();
    claims += 1;
    const claim = String(claims);
    const state = entry?.state ?? {};
    put(key, {
      fingerprint,
      state,
      lease: { claim, until: now + leaseMs },
      retainMs,
      keptUntil: now + Math.max(retainMs, leaseMs),
    });
    if (finished) return { ...finished, claim };
    return 'note' in state
      ? { state: 'unknown', claim, note: JSON.parse(state.note) as Json }
      : { state: 'new', claim };
  };

  return {
    claim: async (key, options) => claimNow(key, options),
    read: async (key) => {
      const entry = find(key);
      const leaseMs = (entry?.lease?.until ?? 0) - performance.now();
      if (entry?.lease && leaseMs > 0) return { state: 'in-progress', retryAfterMs: leaseMs };
      if (entry && 'result' in entry.state)
        return { state: 'finished', result: JSON.parse(entry.state.result) as Json };
      if (entry && 'note' in entry.state) return { state: 'unknown', note: JSON.parse(entry.state.note) as Json };
      return undefined;
    },
    renew: async (key, claim, { leaseMs, note }) => {
      const entry = held(key, claim);
      if (!entry) return false;
      const { fingerprint, retainMs } = entry;
      const now = performance.now();
      put(key, {
        fingerprint,
        state: { note: JSON.stringify(note) },
        lease: { claim, until: now + leaseMs },
        retainMs,
        keptUntil: now + Math.max(retainMs, leaseMs),
      });
      return true;
    },
    settle: async (key, claim, result) => {
      const entry = held(key, claim);
      if (!entry) return false;
      const { fingerprint, retainMs } = entry;
      const state = { result: JSON.stringify(result) };
      put(key, { fingerprint, state, retainMs, keptUntil: performance.now() + retainMs });
      return true;
    },
    release: async (key, claim) => {
      if (held(key, claim)) entries.delete(key);
    },
  };
};

interface Entry {
  readonly fingerprint: string;
  /** As JSON, like the other stores. Neither: claimed for the first time. */
  readonly state: { readonly result: string } | { readonly note: string } | { readonly [name: string]: never };
  readonly lease?: { readonly claim: string; readonly until: number };
  readonly retainMs: number;
  readonly keptUntil: number;
}
