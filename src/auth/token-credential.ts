import { AuthenticationError, InvalidArgumentError } from '../core/errors.ts';
import type { Credential, CredentialContext, CredentialRenewal, IssuedCredential } from '../http/credential.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import type { StoredToken, TokenDetails, TokenStore } from '../stores/ports/token-store.ts';
import type { OptionNames } from '../core/option-checks.ts';
import { assertDuration, settleWithin } from '../core/timers.ts';
import type { SecretContext } from '../core/secret.ts';
import { shareTokens } from './shared-tokens.ts';
import { TokenFailure } from './oauth.ts';
import { createTokenFetch, noSecret, type PrepareTokenRequest, type TokenSearch } from './token-fetch.ts';

/** Options for keeping and renewing a token. */
export interface TokenOptions {
  /** The name of the credential in audit events. @defaultValue the name of the method, such as 'jwt-bearer' */
  readonly id?: string | undefined;
  /** Shares tokens with other credentials and processes. @defaultValue the memory of this credential */
  readonly store?: TokenStore | undefined;
  /**
   * The time before a known expiry at which a new token is fetched, at most a quarter of its life. The old one is used
   * until then. 0 waits for the end.
   * @defaultValue 60000
   */
  readonly renewBeforeMs?: number | undefined;
  /** After a refusal such as `invalid_grant`, no request for so long, unless a secret changes. @defaultValue 30000 */
  readonly coolDownMs?: number | undefined;
  /**
   * The time for reading secrets, the store, the request and one repetition of it together. Callers wait no longer than
   * their own deadline; the request goes on for those that come after them.
   * @defaultValue 8000
   */
  readonly deadlineMs?: number | undefined;
}

/** The names of {@link TokenOptions}. */
export const tokenNames: OptionNames<TokenOptions> = {
  id: true,
  store: true,
  renewBeforeMs: true,
  coolDownMs: true,
  deadlineMs: true,
};

/** A credential whose token is fetched, kept and renewed. */
export interface TokenCredential extends Credential {
  readonly id: string;
  /**
   * Returns the other fields of the issuer's answer, such as Salesforce's `instance_url`. Fetches a token if there is
   * none. Throws `AuthenticationError` when it gets none, and the signal's reason when it aborts.
   */
  tokenDetails(options?: {
    readonly tenant?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<TokenDetails>;
}

/**
 * Keeps one token per tenant, fetched when it's first needed. Renews it before a known end, while the old one is used.
 * Replaces it after a 401, a few times within the cool-down.
 */
export const createTokenCredential = (
  method: string,
  prepare: PrepareTokenRequest,
  options: TokenOptions,
): TokenCredential => {
  const { id = method, renewBeforeMs = 60_000, coolDownMs = 30_000, deadlineMs = 8_000 } = options;
  assertDuration('deadlineMs', deadlineMs);
  for (const [name, ms] of Object.entries({ renewBeforeMs, coolDownMs }))
    if (!(ms >= 0)) throw new InvalidArgumentError(name, 'must be a number of milliseconds, 0 or more');
  const shared = options.store && shareTokens(options.store, { leaseMs: deadlineMs });
  const fetchToken = createTokenFetch(prepare, { id, method, shared });
  const tenants = new Map<string | undefined, TenantToken>();

  const stateOf = ({ tenant }: SecretContext): TenantToken => {
    const known = tenants.get(tenant);
    if (known) return known;
    for (const [idle, { flight }] of tenants) {
      if (tenants.size < maximumTenants) break;
      if (!flight) tenants.delete(idle);
    }
    const state: TenantToken = { context: { tenant }, nextCheckAt: 0, renewals: [], failures: 0 };
    tenants.set(tenant, state);
    return state;
  };

  const hold = ({ accessToken, issuedAt, expiresAt, details }: StoredToken): HeldToken => {
    const life =
      expiresAt === undefined ? undefined : { lifetimeMs: expiresAt - issuedAt, leftMs: expiresAt - Date.now() };
    const { renewAfterMs, usableForMs } = lifeOf(life, { renewBeforeMs, random: Math.random() });
    const issued = { headers: { authorization: `Bearer ${accessToken}` }, secrets: [accessToken] };
    return { issued, details, renewAt: performance.now() + renewAfterMs, usableUntil: performance.now() + usableForMs };
  };

  /** A refusal holds until a secret changes or the cool-down is over; what may pass is kept apart by growing pauses. */
  const noteFailure = (state: TenantToken, error: unknown, secrets: readonly string[] | undefined): FetchFailed => {
    const failure = error instanceof TokenFailure ? error : noSecret(error);
    if (failure instanceof StillRefused) return { failure, retryAfterMs: failure.until - performance.now() };
    if (failure.kind === 'source') return { failure };
    if (failure.kind === 'refused') {
      if (secrets) state.refusal = { failure, until: performance.now() + coolDownMs, secrets };
      return { failure, retryAfterMs: coolDownMs };
    }
    state.failures += 1;
    const retryAfterMs = Math.min(Math.max(pauseMs(state.failures), failure.retryAfterMs ?? 0), longestPauseMs);
    state.pause = { failure, until: performance.now() + retryAfterMs };
    return { failure, retryAfterMs };
  };

  const run = async (
    state: TenantToken,
    because: CredentialRenewal['because'],
    onRenewal: Asking['onRenewal'],
  ): Promise<HeldToken | FetchFailed> => {
    const startedAt = performance.now();
    const emit = (end: Omit<CredentialRenewal, 'because' | 'durationMs'>) => {
      if (onRenewal) ignoreErrors(() => onRenewal({ because, durationMs: performance.now() - startedAt, ...end }));
    };
    const search: TokenSearch = {
      context: state.context,
      wasSent: false,
      isWanted: (token) =>
        token.accessToken !== state.rejected &&
        token.accessToken !== state.token?.issued.secrets[0] &&
        hold(token).renewAt > performance.now(),
      assertNotRefused: (secrets) => {
        const { refusal } = state;
        if (refusal && refusal.until > performance.now() && isSame(refusal.secrets, secrets))
          throw new StillRefused(refusal.failure, refusal.until);
      },
    };
    try {
      const token = await settleWithin((signal) => fetchToken(search, signal), {
        deadline: deadlineMs,
        late: () => new TokenFailure('transient', 'timeout', `gave no token within ${deadlineMs} ms`),
      });
      const held = hold(token);
      Object.assign(state, { token: held, failures: 0, pause: undefined, refusal: undefined });
      if (search.wasSent) emit({ expiresInMs: search.expiresInMs });
      return held;
    } catch (error) {
      const failed = noteFailure(state, error, search.secrets);
      const { failure, retryAfterMs } = failed;
      if (!(failure instanceof StillRefused)) emit({ failure: failure.reason, retryAfterMs });
      return failed;
    }
  };

  /** One fetch at a time, which belongs to none of those who wait for it and ends by itself. Never rejects. */
  const renewed = async (
    state: TenantToken,
    because: CredentialRenewal['because'],
    { onRenewal }: Asking,
  ): Promise<HeldToken | FetchFailed> => {
    if (!state.flight && state.pause && isPaused(state))
      return { failure: state.pause.failure, retryAfterMs: state.pause.until - performance.now() };
    state.flight ??= run(state, because, onRenewal).finally(() => {
      state.flight = undefined;
    });
    const end = await state.flight;
    return 'failure' in end ? end : (state.token ?? end);
  };

  const next = async (
    state: TenantToken,
    because: CredentialRenewal['because'],
    asking: Asking,
  ): Promise<HeldToken> => {
    const end = await settleWithin(renewed(state, because, asking), { signal: asking.signal });
    if ('failure' in end) throw toAuthenticationError(end, asking.operation);
    return end;
  };

  const current = (state: TenantToken, asking: Asking): HeldToken | Promise<HeldToken> => {
    const { token } = state;
    const now = performance.now();
    if (!token || token.usableUntil <= now) return next(state, token ? 'expiring' : 'absent', asking);
    if (token.renewAt <= now && state.nextCheckAt <= now && !isPaused(state)) {
      // While it is refused, one request a second checks whether a secret has changed.
      state.nextCheckAt = now + 1_000;
      void renewed(state, 'expiring', asking);
    }
    return token;
  };

  const mayReplace = (state: TenantToken): boolean => {
    const since = performance.now() - coolDownMs;
    state.renewals = state.renewals.filter((at) => at > since);
    return state.renewals.length < maximumRenewals;
  };

  return {
    id,
    read: async (context) => (await current(stateOf(context), context)).issued,
    renew: async (rejected, context) => {
      const state = stateOf(context);
      const [refused] = rejected.secrets;
      if (state.token && state.token.issued.secrets[0] !== refused) return (await current(state, context)).issued;
      if (!state.flight) {
        if (!mayReplace(state)) return undefined;
        state.renewals.push(performance.now());
      }
      state.rejected = refused;
      state.token = undefined;
      const { issued } = await next(state, 'rejected', context);
      return issued.secrets[0] === refused ? undefined : issued;
    },
    tokenDetails: async ({ tenant, signal = neverAborted } = {}) => {
      const asking = { operation: `auth.${id}`, signal, tenant };
      return (await current(stateOf(asking), asking)).details;
    },
  };
};

const maximumTenants = 10_000;

/** The most new tokens within the cool-down, after which a 401 is final. */
const maximumRenewals = 3;

/** The times of renewal and of last use, in milliseconds from now. */
interface TokenLife {
  readonly renewAfterMs: number;
  readonly usableForMs: number;
}

/**
 * Plans the life of a token. One without a known expiry is used until it's refused. Others are renewed between half of
 * `renewBeforeMs` and all of it before their end, never before three quarters of their life. The moment is random, so
 * processes that share a token don't renew it together. They aren't used for their last moments, which a request may
 * outlive.
 */
export const lifeOf = (
  token: { readonly lifetimeMs: number; readonly leftMs: number } | undefined,
  { renewBeforeMs, random }: { renewBeforeMs: number; random: number },
): TokenLife => {
  if (!token) return { renewAfterMs: Infinity, usableForMs: Infinity };
  const { lifetimeMs, leftMs } = token;
  const earlyMs = Math.min(renewBeforeMs, lifetimeMs / 4) * (0.5 + random / 2);
  return { renewAfterMs: leftMs - earlyMs, usableForMs: leftMs - Math.min(5_000, earlyMs / 2) };
};

const neverAborted = new AbortController().signal;

type Asking = Pick<CredentialContext, 'operation' | 'signal' | 'onRenewal'>;

interface HeldToken {
  readonly issued: IssuedCredential;
  readonly details: TokenDetails;
  /** On the clock that never steps. */
  readonly renewAt: number;
  readonly usableUntil: number;
}

/** Everything about the token of one tenant. */
interface TenantToken {
  readonly context: SecretContext;
  token?: HeldToken | undefined;
  /** The last token that the API refused: not taken from the store again. */
  rejected?: string | undefined;
  nextCheckAt: number;
  /** The times at which tokens were replaced because the API refused them. */
  renewals: number[];
  /** The fetch that is under way. */
  flight?: Promise<HeldToken | FetchFailed> | undefined;
  /** Failures in a row that may pass. */
  failures: number;
  /** No request before its end. */
  pause?: { readonly failure: TokenFailure; readonly until: number } | undefined;
  /** No request with the same secrets before its end. */
  refusal?: (NonNullable<TenantToken['pause']> & { readonly secrets: readonly string[] }) | undefined;
}

/** The reason why there is no token, and the time of the next request. */
interface FetchFailed {
  readonly failure: TokenFailure;
  readonly retryAfterMs?: number;
}

/** No request was sent. */
class StillRefused extends TokenFailure {
  readonly until: number;
  constructor({ kind, reason, message, original }: TokenFailure, until: number) {
    super(kind, reason, message, { original });
    this.until = until;
  }
}

const isPaused = ({ pause }: TenantToken): boolean => pause !== undefined && pause.until > performance.now();

/** Waits after so many failures in a row: half a second, doubled, at most five. */
export const pauseMs = (failures: number): number => Math.min(500 * 2 ** Math.max(0, failures - 1), 5_000);

/** Longer waits that an endpoint asks for are cut to this. */
const longestPauseMs = 60_000;

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((secret, index) => secret === others[index]);

/** Each caller gets an error of its own, which its call completes. */
const toAuthenticationError = ({ failure, retryAfterMs }: FetchFailed, operation: string): AuthenticationError =>
  new AuthenticationError(`${operation} was not sent: the token endpoint ${failure.message}`, {
    operation,
    reason: failure.reason,
    original: failure.original,
    retryAfterMs: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs),
  });
