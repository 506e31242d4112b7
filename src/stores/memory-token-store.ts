import { assertKnown } from '../core/option-checks.ts';
import { LRUCache } from 'lru-cache';
import type { StoredToken, TokenStore } from './ports/token-store.ts';

/** Options of a token store in memory. */
export interface MemoryTokenStoreOptions {
  /** The most tokens that are kept. The token that was used longest ago goes first. @defaultValue 10000 */
  readonly maximumTokens?: number | undefined;
}

/**
 * Lets several credentials of one process share their tokens. Lost with the process.
 *
 * @example
 * const store = createMemoryTokenStore();
 * const authenticate = oauthClientCredentials({ tokenEndpoint, clientId, clientSecret, store });
 */
export const createMemoryTokenStore = (options: MemoryTokenStoreOptions = {}): TokenStore => {
  assertKnown(options, { maximumTokens: true });
  const { maximumTokens = 10_000 } = options;
  const tokens = new LRUCache<string, StoredToken>({ max: maximumTokens, ttlResolution: 0 });
  const claims = new LRUCache<string, object>({ max: maximumTokens, ttlResolution: 0 });

  return {
    get: async (key) => tokens.get(key),
    // A ttl of 0 would never end.
    set: async (key, token, { retainMs }) => void tokens.set(key, token, { ttl: Math.max(1, retainMs) }),
    claim: async (key, { leaseMs }) => {
      if (claims.has(key)) return undefined;
      const claim = {};
      claims.set(key, claim, { ttl: Math.max(1, leaseMs) });
      return async () => {
        if (claims.get(key) === claim) claims.delete(key);
      };
    },
  };
};
