import { InvalidArgumentError } from '../core/errors.ts';
import type { CredentialRenewal } from '../http/credential.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import type { StoredToken } from '../stores/ports/token-store.ts';
import { settleWithin, sleep } from '../core/timers.ts';
import type { SecretContext } from '../core/secret.ts';
import type { SharedTokens } from './shared-tokens.ts';
import type { TokenAnswer } from './token-endpoint.ts';
import { TokenFailure } from './token-failure.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

/** A request for a token with the secrets of this moment. */
export interface PreparedTokenRequest {
  /** Whose token it will be. Holds no secret that could be guessed: its digest becomes the key in the store. */
  readonly owner: readonly string[];
  /** While they stay the same, a refusal holds. */
  readonly secrets: readonly string[];
  /** It may replace its secret, which must not be used after that. @defaultValue false */
  readonly rotates?: boolean | undefined;
  /** Asks once. Throws `TokenFailure`, or the signal's reason. */
  readonly send: (signal: AbortSignal) => Promise<ObtainedToken>;
}

export interface ObtainedToken extends TokenAnswer {
  /** Where the request itself changed whose token it is: by whom it will be looked for from now on. */
  readonly nextOwner?: readonly string[] | undefined;
}

/** Reads the secrets. What it throws has its message kept only if it is an `InvalidArgumentError`. */
export type PrepareTokenRequest = (context: SecretContext) => Promise<PreparedTokenRequest>;

/** A token, or why there is none and when the next request may be. */
export type Fetched = { readonly token: StoredToken } | FetchFailed;

export interface FetchFailed {
  readonly failure: TokenFailure;
  readonly retryAfterMs?: number;
}

export interface FetchReason {
  readonly because: CredentialRenewal['because'];
  /** Whether a token from the store is usable: neither refused nor about to expire. */
  readonly isWanted: (token: StoredToken) => boolean;
  readonly onRenewal?: ((renewal: CredentialRenewal) => void) | undefined;
}

/** Fetches the tokens of one tenant. */
export interface TokenFetch {
  /** The fetch that is under way, started now if there is none; in a pause, its reason. Never rejects. */
  readonly fetch: (reason: FetchReason) => Promise<Fetched>;
  readonly isUnderWay: () => boolean;
  readonly isPaused: () => boolean;
}

export interface TokenFetchOptions {
  /** Part of the key of the store. */
  readonly id: string;
  readonly method: string;
  readonly context: SecretContext;
  /** Called with the token before the fetch is over, so that no other fetch can begin between the two. */
  readonly onToken: (token: StoredToken) => void;
  readonly shared: SharedTokens | undefined;
  readonly coolDownMs: number;
  readonly deadlineMs: number;
}

/**
 * One fetch at a time, which belongs to none of those who wait for it and ends by itself. What may pass is repeated once
 * and then kept apart by growing pauses; a refusal holds until a secret changes or the cool-down is over.
 */
export const createTokenFetch = (prepare: PrepareTokenRequest, options: TokenFetchOptions): TokenFetch => {
  const { id, method, shared, coolDownMs, deadlineMs } = options;
  const context = { tenant: options.context.tenant };
  let flight: Promise<Fetched> | undefined;
  let failures = 0;
  let pause: { readonly failure: TokenFailure; readonly until: number } | undefined;
  let refusal:
    | { readonly failure: TokenFailure; readonly until: number; readonly secrets: readonly string[] }
    | undefined;

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

  /** In the background: the token is there. */
  const keep = async (owners: readonly (readonly string[])[], token: StoredToken, retainMs: number): Promise<void> => {
    for (const owner of owners) await shared?.set(await keyOf(owner), token, { retainMs });
  };

  const keyOf = async (owner: readonly string[]): Promise<string> =>
    `token:${id}:${await digest(JSON.stringify([method, context.tenant ?? '', ...owner]))}`;

  const spentKeyOf = (owner: readonly string[]): Promise<string> => keyOf([...owner, 'spent']);

  const obtain = async (
    isWanted: FetchReason['isWanted'],
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<StoredToken> => {
    const prepared = await prepare(context).catch((error: unknown) => {
      throw noSecret(error);
    });
    const { owner, secrets } = prepared;
    signal.throwIfAborted();
    attempt.secrets = secrets;
    if (refusal && refusal.until > performance.now() && isSame(refusal.secrets, secrets))
      throw new StillRefused(refusal.failure, refusal.until);

    const find = async () => {
      const stored = await shared?.get(await keyOf(owner));
      return stored && isWanted(stored) ? stored : undefined;
    };
    const claimed = await shared?.claimUnless(await keyOf(owner), find, signal);
    if (claimed?.found) return claimed.found;
    try {
      // Some servers take everything back when a refresh token is used twice.
      if (prepared.rotates && (await shared?.get(await spentKeyOf(owner)))) throw spent();
      attempt.wasSent = true;
      // Its life began at the earliest when it was requested.
      const issuedAt = Date.now();
      const { accessToken, expiresInMs, details, nextOwner } = await sendTwice(prepared, signal);
      attempt.expiresInMs = expiresInMs;
      const expiresAt = expiresInMs === undefined ? undefined : issuedAt + expiresInMs;
      const token: StoredToken = withoutUndefined({ accessToken, issuedAt, expiresAt, details });
      if (nextOwner) await shared?.set(await spentKeyOf(owner), spentMark, { retainMs: longestRetainMs });
      void keep(nextOwner ? [owner, nextOwner] : [owner], token, expiresInMs ?? longestRetainMs).then(claimed?.release);
      return token;
    } catch (error) {
      void claimed?.release?.();
      throw error;
    }
  };

  /** Begins again after a lock: the token of the other request is in the store, or its refresh token is the secret by now. */
  const obtainUnlocked = async (
    isWanted: FetchReason['isWanted'],
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<StoredToken> => {
    for (let locks = 1; ; locks += 1) {
      try {
        return await obtain(isWanted, attempt, signal);
      } catch (error) {
        const isLocked = error instanceof TokenFailure && error.kind === 'locked';
        if (!isLocked || locks > mostLocks || signal.aborted) throw error;
        await sleep(500 + Math.random() * 500, signal);
      }
    }
  };

  const fail = (error: unknown, secrets: readonly string[] | undefined): FetchFailed => {
    const failure = error instanceof TokenFailure ? error : noSecret(error);
    if (failure instanceof StillRefused) return { failure, retryAfterMs: failure.until - performance.now() };
    if (failure.kind === 'source') return { failure };
    if (failure.kind === 'refused') {
      if (secrets) refusal = { failure, until: performance.now() + coolDownMs, secrets };
      return { failure, retryAfterMs: coolDownMs };
    }
    failures += 1;
    const retryAfterMs = Math.min(Math.max(pauseMs(failures), failure.retryAfterMs ?? 0), longestPauseMs);
    pause = { failure, until: performance.now() + retryAfterMs };
    return { failure, retryAfterMs };
  };

  const run = async ({ because, isWanted, onRenewal }: FetchReason): Promise<Fetched> => {
    const startedAt = performance.now();
    const attempt: Attempt = { wasSent: false };
    const emit = (end: Omit<CredentialRenewal, 'because' | 'durationMs'>) => {
      if (onRenewal) ignoreErrors(() => onRenewal({ because, durationMs: performance.now() - startedAt, ...end }));
    };
    try {
      const token = await settleWithin((signal) => obtainUnlocked(isWanted, attempt, signal), {
        deadline: deadlineMs,
        late: () => tooSlow(deadlineMs),
      });
      failures = 0;
      pause = undefined;
      refusal = undefined;
      options.onToken(token);
      if (attempt.wasSent) emit({ expiresInMs: attempt.expiresInMs });
      return { token };
    } catch (error) {
      const failed = fail(error, attempt.secrets);
      const { failure, retryAfterMs } = failed;
      if (!(failure instanceof StillRefused)) emit({ failure: failure.reason, retryAfterMs });
      return failed;
    }
  };

  const isPaused = () => pause !== undefined && pause.until > performance.now();

  return {
    isPaused,
    isUnderWay: () => flight !== undefined,
    fetch: async (reason) => {
      if (!flight && pause && isPaused())
        return { failure: pause.failure, retryAfterMs: pause.until - performance.now() };
      flight ??= run(reason).finally(() => {
        flight = undefined;
      });
      return flight;
    },
  };
};

/** How long no token is requested after so many failures in a row: half a second, doubled, at most five. */
export const pauseMs = (failures: number): number => Math.min(500 * 2 ** Math.max(0, failures - 1), 5_000);

/** The most waits for a lock, of half a second to a second each. */
const mostLocks = 4;

/** A wait within one call, while a person is on the phone. */
const longestWaitMs = 1_000;

/** What an endpoint may ask for beyond it is forgotten. */
const longestPauseMs = 60_000;

/** How long a token without a known end is kept for other processes. */
const longestRetainMs = 24 * 60 * 60 * 1000;

/** What is known of one fetch on its way. */
interface Attempt {
  secrets?: readonly string[];
  wasSent: boolean;
  expiresInMs?: number | undefined;
}

/** No request was sent. */
class StillRefused extends TokenFailure {
  readonly until: number;
  constructor({ kind, reason, message, original }: TokenFailure, until: number) {
    super(kind, reason, message, { original });
    this.until = until;
  }
}

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

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((secret, index) => secret === others[index]);

const tooSlow = (ms: number) => new TokenFailure('transient', 'timeout', `gave no token within ${ms} ms`);

const noSecret = (original: unknown): TokenFailure =>
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
