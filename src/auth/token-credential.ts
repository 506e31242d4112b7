import { AuthenticationError, InvalidArgumentError } from '../core/errors.ts';
import type { Credential, CredentialContext, CredentialRenewal, IssuedCredential } from '../http/credential.ts';
import { ignoreErrors } from '../observability/ignore-errors.ts';
import type { StoredToken, TokenDetails, TokenStore } from '../stores/ports/token-store.ts';
import type { OptionNames } from '../core/option-checks.ts';
import { assertDuration, settleWithin } from '../core/timers.ts';
import type { SecretContext } from '../core/secret.ts';
import { shareTokens } from './shared-tokens.ts';
import { TokenFailure } from './oauth.ts';
import {
  createTokenFetch,
  type FetchToken,
  noSecret,
  type PrepareTokenRequest,
  type TokenSearch,
} from './token-fetch.ts';

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

  const tokenOf = ({ tenant }: SecretContext): TenantToken => {
    const known = tenants.get(tenant);
    if (known) return known;
    for (const [idle, token] of tenants) {
      if (tenants.size < maximumTenants) break;
      if (!token.isUnderWay()) tenants.delete(idle);
    }
    const token = createTenantToken(fetchToken, { context: { tenant }, renewBeforeMs, coolDownMs, deadlineMs });
    tenants.set(tenant, token);
    return token;
  };

  return {
    id,
    read: async (context) => (await tokenOf(context).current(context)).issued,
    renew: (rejected, context) => tokenOf(context).replace(rejected.secrets[0], context),
    tokenDetails: async ({ tenant, signal = neverAborted } = {}) => {
      const asking = { operation: `auth.${id}`, signal, tenant };
      return (await tokenOf(asking).current(asking)).details;
    },
  };
};

/** The token of one tenant: all that is known of it, and the one fetch that is under way. */
interface TenantToken {
  /** Returns the token, renewing it before its end. */
  readonly current: (asking: Asking) => HeldToken | Promise<HeldToken>;
  /** Gets another token than the refused one; `undefined` when there is none, or there were too many. */
  readonly replace: (refused: string | undefined, asking: Asking) => Promise<IssuedCredential | undefined>;
  readonly isUnderWay: () => boolean;
}

const createTenantToken = (
  fetchToken: FetchToken,
  {
    context,
    renewBeforeMs,
    coolDownMs,
    deadlineMs,
  }: {
    readonly context: SecretContext;
    readonly renewBeforeMs: number;
    readonly coolDownMs: number;
    readonly deadlineMs: number;
  },
): TenantToken => {
  const failures = createFailures(coolDownMs);
  let token: HeldToken | undefined;
  /** The last token that the API refused: not taken from the store again. */
  let rejected: string | undefined;
  let flight: Promise<HeldToken | FetchFailed> | undefined;
  let nextCheckAt = 0;
  /** The times at which tokens were replaced because the API refused them. */
  let renewals: readonly number[] = [];

  const run = async (because: Because, onRenewal: Asking['onRenewal']): Promise<HeldToken | FetchFailed> => {
    const startedAt = performance.now();
    const emit = (end: Omit<CredentialRenewal, 'because' | 'durationMs'>) => {
      if (onRenewal) ignoreErrors(() => onRenewal({ because, durationMs: performance.now() - startedAt, ...end }));
    };
    const search: TokenSearch = {
      context,
      wasSent: false,
      isWanted: (stored) =>
        stored.accessToken !== rejected &&
        stored.accessToken !== token?.issued.secrets[0] &&
        hold(stored, renewBeforeMs).renewAt > performance.now(),
      assertNotRefused: failures.assertNotRefused,
    };
    try {
      const fetched = await settleWithin((signal) => fetchToken(search, signal), {
        deadline: deadlineMs,
        late: () => new TokenFailure('transient', 'timeout', `gave no token within ${deadlineMs} ms`),
      });
      failures.forget();
      token = hold(fetched, renewBeforeMs);
      if (search.wasSent) emit({ expiresInMs: search.expiresInMs });
      return token;
    } catch (error) {
      const failed = failures.note(error, search.secrets);
      const { failure, retryAfterMs } = failed;
      if (!(failure instanceof StillRefused)) emit({ failure: failure.reason, retryAfterMs });
      return failed;
    }
  };

  /** One fetch at a time, which belongs to none of those who wait for it and ends by itself. Never rejects. */
  const renewed = async (because: Because, { onRenewal }: Asking): Promise<HeldToken | FetchFailed> => {
    const paused = flight ? undefined : failures.paused();
    if (paused) return paused;
    flight ??= run(because, onRenewal).finally(() => {
      flight = undefined;
    });
    const end = await flight;
    return 'failure' in end ? end : (token ?? end);
  };

  const next = async (because: Because, asking: Asking): Promise<HeldToken> => {
    const end = await settleWithin(renewed(because, asking), { signal: asking.signal });
    if ('failure' in end) throw toAuthenticationError(end, asking.operation);
    return end;
  };

  const current = (asking: Asking): HeldToken | Promise<HeldToken> => {
    const now = performance.now();
    if (!token || token.usableUntil <= now) return next(token ? 'expiring' : 'absent', asking);
    if (token.renewAt <= now && nextCheckAt <= now && !failures.paused()) {
      // While it is refused, one request a second checks whether a secret has changed.
      nextCheckAt = now + 1_000;
      void renewed('expiring', asking);
    }
    return token;
  };

  const replace: TenantToken['replace'] = async (refused, asking) => {
    if (token && token.issued.secrets[0] !== refused) return (await current(asking)).issued;
    if (!flight) {
      const now = performance.now();
      renewals = renewals.filter((at) => at > now - coolDownMs);
      if (renewals.length >= maximumRenewals) return undefined;
      renewals = [...renewals, now];
    }
    rejected = refused;
    token = undefined;
    const { issued } = await next('rejected', asking);
    return issued.secrets[0] === refused ? undefined : issued;
  };

  return { current, replace, isUnderWay: () => flight !== undefined };
};

/** A refusal holds until a secret changes or the cool-down is over; other failures are kept apart by growing pauses. */
const createFailures = (coolDownMs: number) => {
  let inARow = 0;
  let pause: { readonly failure: TokenFailure; readonly until: number } | undefined;
  let refusal: (typeof pause & { readonly secrets: readonly string[] }) | undefined;
  return {
    /** The pause that lasts now. */
    paused: (): FetchFailed | undefined => {
      const leftMs = pause ? pause.until - performance.now() : 0;
      return pause && leftMs > 0 ? { failure: pause.failure, retryAfterMs: leftMs } : undefined;
    },
    assertNotRefused: (secrets: readonly string[]): void => {
      if (refusal && refusal.until > performance.now() && isSame(refusal.secrets, secrets))
        throw new StillRefused(refusal.failure, refusal.until);
    },
    note: (error: unknown, secrets: readonly string[] | undefined): FetchFailed => {
      const failure = error instanceof TokenFailure ? error : noSecret(error);
      if (failure instanceof StillRefused) return { failure, retryAfterMs: failure.until - performance.now() };
      if (failure.kind === 'source') return { failure };
      if (failure.kind === 'refused') {
        if (secrets) refusal = { failure, until: performance.now() + coolDownMs, secrets };
        return { failure, retryAfterMs: coolDownMs };
      }
      inARow += 1;
      const retryAfterMs = Math.min(Math.max(pauseMs(inARow), failure.retryAfterMs ?? 0), longestPauseMs);
      pause = { failure, until: performance.now() + retryAfterMs };
      return { failure, retryAfterMs };
    },
    forget: (): void => {
      inARow = 0;
      pause = undefined;
      refusal = undefined;
    },
  };
};

const hold = ({ accessToken, issuedAt, expiresAt, details }: StoredToken, renewBeforeMs: number): HeldToken => {
  const life =
    expiresAt === undefined ? undefined : { lifetimeMs: expiresAt - issuedAt, leftMs: expiresAt - Date.now() };
  const { renewAfterMs, usableForMs } = lifeOf(life, { renewBeforeMs, random: Math.random() });
  const issued = { headers: { authorization: `Bearer ${accessToken}` }, secrets: [accessToken] };
  return { issued, details, renewAt: performance.now() + renewAfterMs, usableUntil: performance.now() + usableForMs };
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

type Because = CredentialRenewal['because'];

type Asking = Pick<CredentialContext, 'operation' | 'signal' | 'onRenewal'>;

interface HeldToken {
  readonly issued: IssuedCredential;
  readonly details: TokenDetails;
  /** On the clock that never steps. */
  readonly renewAt: number;
  readonly usableUntil: number;
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
