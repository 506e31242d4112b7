import { InvalidArgumentError } from '../core/errors.ts';
import type { StoredToken } from '../stores/ports/token-store.ts';
import { sleep } from '../core/timers.ts';
import type { SecretContext } from '../core/secret.ts';
import type { SharedTokens } from './shared-tokens.ts';
import type { TokenAnswer } from './token-endpoint.ts';
import { TokenFailure } from './oauth.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

/** A request for a token with the secrets of this moment. */
export interface PreparedTokenRequest {
  /** The owner of the token. Holds no secret that could be guessed: its digest becomes the key in the store. */
  readonly owner: readonly string[];
  /** While they stay the same, a refusal holds. */
  readonly secrets: readonly string[];
  /** It may replace its secret, which must not be used after that. @defaultValue false */
  readonly rotates?: boolean | undefined;
  /** Asks once. Throws `TokenFailure`, or the signal's reason. */
  readonly send: (signal: AbortSignal) => Promise<ObtainedToken>;
}

export interface ObtainedToken extends TokenAnswer {
  /** The owner from now on, if the request itself changed it. */
  readonly nextOwner?: readonly string[] | undefined;
}

/** Reads the secrets. What it throws has its message kept only if it is an `InvalidArgumentError`. */
export type PrepareTokenRequest = (context: SecretContext) => Promise<PreparedTokenRequest>;

/** One search for a token, and what is known of it on its way. */
export interface TokenSearch {
  readonly context: SecretContext;
  /** Says if a token from the store is usable: neither refused nor about to expire. */
  readonly isWanted: (token: StoredToken) => boolean;
  /** Throws while these secrets are refused. */
  readonly assertNotRefused: (secrets: readonly string[]) => void;
  secrets?: readonly string[];
  wasSent: boolean;
  expiresInMs?: number | undefined;
}

/** Gets a token from the store or the endpoint. Rejects with `TokenFailure`, or the signal's reason. */
export type FetchToken = (search: TokenSearch, signal: AbortSignal) => Promise<StoredToken>;

/**
 * Looks into the store, and asks the endpoint otherwise, one process at a time. Repeats once after a failure that may
 * pass. Begins again after a lock: by then the other token is in the store, or its refresh token is the secret.
 */
export const createTokenFetch = (
  prepare: PrepareTokenRequest,
  { id, method, shared }: { readonly id: string; readonly method: string; readonly shared: SharedTokens | undefined },
): FetchToken => {
  const keyOf = async ({ tenant = '' }: SecretContext, owner: readonly string[]): Promise<string> =>
    `token:${id}:${await digest(JSON.stringify([method, tenant, ...owner]))}`;

  const fetchOnce = async (search: TokenSearch, signal: AbortSignal): Promise<StoredToken> => {
    const { context, isWanted } = search;
    const prepared = await prepare(context).catch((error: unknown) => {
      throw noSecret(error);
    });
    const { owner, secrets } = prepared;
    signal.throwIfAborted();
    search.secrets = secrets;
    search.assertNotRefused(secrets);

    const key = (...more: readonly string[]) => keyOf(context, [...owner, ...more]);
    const find = async () => {
      const stored = await shared?.get(await key());
      return stored && isWanted(stored) ? stored : undefined;
    };
    const claimed = await shared?.claimUnless(await key(), find, signal);
    if (claimed?.found) return claimed.found;
    /** In the background: the token is there. */
    const keep = async (token: StoredToken, nextOwner: readonly string[] | undefined, retainMs: number) => {
      await shared?.set(await key(), token, { retainMs });
      if (nextOwner) await shared?.set(await keyOf(context, nextOwner), token, { retainMs });
      await claimed?.release?.();
    };
    try {
      // Some servers take everything back when a refresh token is used twice.
      if (prepared.rotates && (await shared?.get(await key('spent')))) throw spent();
      search.wasSent = true;
      // Its life began at the earliest when it was requested.
      const issuedAt = Date.now();
      const { accessToken, expiresInMs, details, nextOwner } = await sendTwice(prepared, signal);
      search.expiresInMs = expiresInMs;
      const expiresAt = expiresInMs === undefined ? undefined : issuedAt + expiresInMs;
      const token: StoredToken = withoutUndefined({ accessToken, issuedAt, expiresAt, details });
      if (nextOwner) await shared?.set(await key('spent'), spentMark, { retainMs: longestRetainMs });
      void keep(token, nextOwner, expiresInMs ?? longestRetainMs);
      return token;
    } catch (error) {
      void claimed?.release?.();
      throw error;
    }
  };

  return async (search, signal) => {
    for (let locks = 1; ; locks += 1) {
      try {
        return await fetchOnce(search, signal);
      } catch (error) {
        const isLocked = error instanceof TokenFailure && error.kind === 'locked';
        if (!isLocked || locks > mostLocks || signal.aborted) throw error;
        await sleep(500 + Math.random() * 500, signal);
      }
    }
  };
};

const sendTwice = async ({ send }: PreparedTokenRequest, signal: AbortSignal): Promise<ObtainedToken> => {
  try {
    return await send(signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof TokenFailure) || error.kind !== 'transient') throw error;
    const waitMs = error.retryAfterMs ?? 100 + Math.random() * 200;
    if (waitMs > longestWaitMs) throw error;
    await sleep(waitMs, signal);
    return send(signal);
  }
};

/** The most waits for a lock, of half a second to a second each. */
const mostLocks = 4;

/** A wait within one call, while a person is on the phone. */
const longestWaitMs = 1_000;

/** A token without a known end is kept for other processes as long as this. */
const longestRetainMs = 24 * 60 * 60 * 1000;

/** The mark under the key of a secret that was replaced. */
const spentMark: StoredToken = { accessToken: 'spent', issuedAt: 0, details: {} };

const spent = () =>
  new TokenFailure(
    'locked',
    'refresh_token_spent',
    'was not asked: another process has replaced this refresh token, and the next one can not be read yet',
  );

/** Web Crypto and no Buffer: presets are imported where Node's modules are missing. */
const digest = async (text: string): Promise<string> => {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
};

/** A failure of the application's own functions. */
export const noSecret = (original: unknown): TokenFailure =>
  original instanceof TokenFailure
    ? original
    : new TokenFailure(
        'source',
        'no_secret',
        original instanceof InvalidArgumentError
          ? `could not be asked: ${original.message}`
          : 'could not be asked: no secret could be read',
        { original },
      );
