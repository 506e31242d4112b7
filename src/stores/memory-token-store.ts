import { type Clock, systemClock } from '../clock.ts';
import type { StoredToken, TokenStore } from '../ports/token-store.ts';

/** How many tokens are kept. */
export interface MemoryTokenStoreOptions {
  /** The token that was set first goes when it is full. @defaultValue 10000 */
  readonly maximumTokens?: number;
  readonly clock?: Clock;
}

/**
 * Lets several credentials of one process share their tokens. Lost with the process.
 *
 * @example
 * const store = createMemoryTokenStore();
 * const authenticate = oauthClientCredentials({ tokenEndpoint, clientId, clientSecret, store });
 */
export const createMemoryTokenStore = ({
  maximumTokens = 10_000,
  clock = systemClock,
}: MemoryTokenStoreOptions = {}): TokenStore => {
  const tokens = new Map<string, { readonly token: StoredToken; readonly until: number }>();
  const claims = new Map<string, { readonly until: number }>();

  return {
    get: async (key) => {
      const entry = tokens.get(key);
      if (entry && entry.until > clock.now()) return entry.token;
      tokens.delete(key);
      return undefined;
    },
    set: async (key, token, { retainMs }) => {
      tokens.delete(key);
      tokens.set(key, { token, until: clock.now() + retainMs });
      for (const oldest of tokens.keys()) {
        if (tokens.size <= maximumTokens) break;
        tokens.delete(oldest);
      }
    },
    claim: async (key, { leaseMs }) => {
      if ((claims.get(key)?.until ?? 0) > clock.now()) return undefined;
      const claim = { until: clock.now() + leaseMs };
      claims.set(key, claim);
      return async () => {
        if (claims.get(key) === claim) claims.delete(key);
      };
    },
  };
};
