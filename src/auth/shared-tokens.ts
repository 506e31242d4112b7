import type { StoredToken, TokenStore } from '../stores/ports/token-store.ts';
import { settleWithin, sleep } from '../core/timers.ts';

/** A store of tokens as one credential uses it: what fails or hangs in it counts as empty. */
export interface SharedTokens {
  get(key: string): Promise<StoredToken | undefined>;
  set(key: string, token: StoredToken, options: { readonly retainMs: number }): Promise<unknown>;
  /**
   * Looks with `find`; what it finds is the answer. Else waits for the right to fetch a token, looking again meanwhile.
   * Rejects with the signal's reason when it aborts.
   */
  claimUnless<T>(
    key: string,
    find: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<{ readonly found?: T; readonly release?: () => Promise<unknown> }>;
}

/** A store that answers later than this is slower than the token endpoint. */
const longestAnswerMs = 1_000;

/** Between two looks at what another process is fetching. */
const pollMs = 100;

export const shareTokens = (store: TokenStore, { leaseMs }: { leaseMs: number }): SharedTokens => {
  /** `undefined` for whatever fails, now or later, or does not come in time. */
  const patiently = <T>(work: () => Promise<T>): Promise<T | undefined> =>
    // A store of the application's own may throw instead of rejecting.
    settleWithin(async () => work(), { deadline: longestAnswerMs }).catch(() => undefined);

  /** `failed`: the store can't say, and then each process may fetch. */
  const claim = async (key: string): Promise<(() => Promise<void>) | 'held' | 'failed'> => {
    const answer = await patiently(async () => (await store.claim?.(key, { leaseMs })) ?? 'held');
    return answer ?? 'failed';
  };

  return {
    get: async (key) => {
      const stored: unknown = await patiently(async () => store.get(key));
      return isStoredToken(stored) ? stored : undefined;
    },
    set: (key, token, options) => patiently(async () => store.set(key, token, options)),
    claimUnless: async (key, find, signal) => {
      for (;;) {
        const found = await find();
        signal.throwIfAborted();
        if (found !== undefined) return { found };
        if (!store.claim) return {};
        const claimed = await claim(key);
        if (claimed === 'failed') return {};
        if (claimed !== 'held') {
          const release = () => patiently(claimed);
          // It may have been fetched between the look and the claim.
          const late = await find();
          if (late === undefined && !signal.aborted) return { release };
          await release();
          signal.throwIfAborted();
          if (late !== undefined) return { found: late };
        }
        await sleep(pollMs, signal);
      }
    },
  };
};

const isStoredToken = (value: unknown): value is StoredToken => {
  if (typeof value !== 'object' || value === null) return false;
  const { accessToken, issuedAt, expiresAt, details } = value as Partial<Record<keyof StoredToken, unknown>>;
  return (
    typeof accessToken === 'string' &&
    /^[\x21-\x7e]+$/.test(accessToken) &&
    typeof issuedAt === 'number' &&
    (expiresAt === undefined || typeof expiresAt === 'number') &&
    typeof details === 'object' &&
    details !== null
  );
};
