import { AuthenticationError, InvalidArgumentError } from '../core/errors.ts';
import type { Credential, CredentialContext, IssuedCredential } from '../http/credential.ts';
import type { StoredToken, TokenDetails, TokenStore } from '../stores/ports/token-store.ts';
import type { OptionNames } from '../core/option-checks.ts';
import { assertDuration, settleWithin } from '../core/timers.ts';
import type { SecretContext } from '../core/secret.ts';
import { shareTokens } from './shared-tokens.ts';
import {
  createTokenFetch,
  type FetchFailed,
  type FetchReason,
  type PrepareTokenRequest,
  type TokenFetch,
} from './token-fetch.ts';

/** How a token is kept and renewed. */
export interface TokenOptions {
  /** The name of the credential in audit events. @defaultValue the name of the method, such as 'jwt-bearer' */
  readonly id?: string | undefined;
  /** Shares tokens with other credentials and processes. @defaultValue the memory of this credential */
  readonly store?: TokenStore | undefined;
  /**
   * Where the expiry of a token is known: how long before it a new one is fetched, while the old one is still used;
   * at most a quarter of its life. 0 waits for the end.
   * @defaultValue 60000
   */
  readonly renewBeforeMs?: number | undefined;
  /** After a refusal such as `invalid_grant`, no request for so long, unless a secret changes. @defaultValue 30000 */
  readonly coolDownMs?: number | undefined;
  /**
   * For everything that getting a token takes: reading secrets, the store, the request and one repetition of it. Callers
   * wait no longer than their own deadline; the request goes on for those that come after them.
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
   * What the issuer said besides the token, such as Salesforce's `instance_url`; fetches a token where there is none.
   * Throws `AuthenticationError` when it gets none, and the signal's reason when it aborts.
   */
  tokenDetails(options?: {
    readonly tenant?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<TokenDetails>;
}

/**
 * Keeps one token per tenant: fetched when it is first needed, renewed before a known end while the old one is used, and
 * replaced after a 401, but not without end.
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
  const fetchOptions = { id, method, shared, coolDownMs, deadlineMs };
  const tenants = new Map<string | undefined, Holding>();

  const holdingOf = (context: SecretContext): Holding => {
    const { tenant } = context;
    const known = tenants.get(tenant);
    if (known) return known;
    for (const [idle, { source }] of tenants) {
      if (tenants.size < maximumTenants) break;
      if (!source.isUnderWay()) tenants.delete(idle);
    }
    const onToken = (token: StoredToken) => {
      holding.token = hold(token);
    };
    const source = createTokenFetch(prepare, { ...fetchOptions, context, onToken });
    const holding: Holding = { source, nextCheckAt: 0, renewals: [] };
    tenants.set(tenant, holding);
    return holding;
  };

  const hold = ({ accessToken, issuedAt, expiresAt, details }: StoredToken): HeldToken => {
    const life =
      expiresAt === undefined ? undefined : { lifetimeMs: expiresAt - issuedAt, leftMs: expiresAt - Date.now() };
    const { renewAfterMs, usableForMs } = lifeOf(life, { renewBeforeMs, random: Math.random() });
    const issued = { headers: { authorization: `Bearer ${accessToken}` }, secrets: [accessToken] };
    return { issued, details, renewAt: performance.now() + renewAfterMs, usableUntil: performance.now() + usableForMs };
  };

  const renewed = async (
    holding: Holding,
    because: FetchReason['because'],
    { onRenewal }: Asking,
  ): Promise<HeldToken | FetchFailed> => {
    const isWanted = (token: StoredToken): boolean =>
      token.accessToken !== holding.rejected &&
      token.accessToken !== holding.token?.issued.secrets[0] &&
      hold(token).renewAt > performance.now();
    const fetched = await holding.source.fetch({ because, isWanted, onRenewal });
    return 'token' in fetched ? (holding.token ?? hold(fetched.token)) : fetched;
  };

  const next = async (holding: Holding, because: FetchReason['because'], asking: Asking): Promise<HeldToken> => {
    const end = await settleWithin(renewed(holding, because, asking), { signal: asking.signal });
    if ('failure' in end) throw toAuthenticationError(end, asking.operation);
    return end;
  };

  const current = (holding: Holding, asking: Asking): HeldToken | Promise<HeldToken> => {
    const { token, source } = holding;
    const now = performance.now();
    if (!token || token.usableUntil <= now) return next(holding, token ? 'expiring' : 'absent', asking);
    if (token.renewAt <= now && holding.nextCheckAt <= now && !source.isPaused()) {
      // While it is refused, one request a second checks whether a secret has changed.
      holding.nextCheckAt = now + 1_000;
      void renewed(holding, 'expiring', asking);
    }
    return token;
  };

  const mayReplace = (holding: Holding): boolean => {
    const since = performance.now() - coolDownMs;
    holding.renewals = holding.renewals.filter((at) => at > since);
    return holding.renewals.length < maximumRenewals;
  };

  return {
    id,
    read: async (context) => (await current(holdingOf(context), context)).issued,
    renew: async (rejected, context) => {
      const holding = holdingOf(context);
      const [refused] = rejected.secrets;
      if (holding.token && holding.token.issued.secrets[0] !== refused) return (await current(holding, context)).issued;
      if (!holding.source.isUnderWay()) {
        if (!mayReplace(holding)) return undefined;
        holding.renewals.push(performance.now());
      }
      holding.rejected = refused;
      holding.token = undefined;
      const { issued } = await next(holding, 'rejected', context);
      return issued.secrets[0] === refused ? undefined : issued;
    },
    tokenDetails: async ({ tenant, signal = neverAborted } = {}) => {
      const asking = { operation: `auth.${id}`, signal, tenant };
      return (await current(holdingOf(asking), asking)).details;
    },
  };
};

const maximumTenants = 10_000;

/** How often an API may refuse a token and get a new one, within the cool-down, before a 401 is final. */
const maximumRenewals = 3;

/** When a token is renewed while it still works, and how long it is used at most; in milliseconds from now. */
interface TokenLife {
  readonly renewAfterMs: number;
  readonly usableForMs: number;
}

/**
 * A token without a known expiry is used until it is refused. Others are renewed between half of `renewBeforeMs` and all
 * of it before their end, at random, so that processes that share a token don't renew it at the same moment;
 * but never before three quarters of their life. They aren't used for their last moments, which a request may outlive.
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

/** What is known of one tenant's token. */
interface Holding {
  readonly source: TokenFetch;
  token?: HeldToken | undefined;
  /** The last token that the API refused: not taken from the store again. */
  rejected?: string | undefined;
  nextCheckAt: number;
  /** When tokens were replaced because the API refused them. */
  renewals: number[];
}

/** Each caller gets an error of its own, which its call completes. */
const toAuthenticationError = ({ failure, retryAfterMs }: FetchFailed, operation: string): AuthenticationError =>
  new AuthenticationError(`${operation} was not sent: the token endpoint ${failure.message}`, {
    operation,
    reason: failure.reason,
    original: failure.original,
    retryAfterMs: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs),
  });
