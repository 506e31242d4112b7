import { createHash } from 'node:crypto';
import { type Clock, sleepOn, systemClock } from '../clock.ts';
import { AuthenticationError, InvalidArgumentError, isInvalidArgumentError } from '../errors.ts';
import type { Credential, CredentialContext, CredentialRenewal, IssuedCredential } from '../http/credential.ts';
import { assertDuration } from '../http/duration.ts';
import { unlessAborted } from '../http/own-signal.ts';
import { quietly } from '../observability/quietly.ts';
import type { StoredToken, TokenDetails, TokenStore } from '../ports/token-store.ts';
import { lifeOf, maximumRenewals, pauseMs } from './renewal.ts';
import { type SecretContext, secretContext } from './secret-source.ts';
import type { TokenAnswer } from './token-endpoint.ts';
import { TokenFailure } from './token-failure.ts';
import { type SharedTokens, shareTokens } from './shared-tokens.ts';

/** How a token is kept and renewed. */
export interface TokenOptions {
  /** The name of the credential in audit events. @defaultValue the name of the method, such as 'jwt-bearer' */
  readonly id?: string;
  /** Shares tokens with other credentials and processes. @defaultValue the memory of this credential */
  readonly store?: TokenStore;
  /**
   * Where the expiry of a token is known: how long before it a new one is asked for, while the old one is still used;
   * at most a quarter of its life. 0 waits for the end.
   * @defaultValue 60000
   */
  readonly renewBeforeMs?: number;
  /** After a refusal such as `invalid_grant`, nobody asks again for so long, unless a secret changes. @defaultValue 30000 */
  readonly coolDownMs?: number;
  /**
   * For everything that getting a token takes: reading secrets, the store, the request and one repetition of it. Callers
   * wait no longer than their own deadline; the request goes on for those that come after them.
   * @defaultValue 8000
   */
  readonly deadlineMs?: number;
  readonly clock?: Clock;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

/** A credential whose token is asked for, kept and renewed. */
export interface TokenCredential extends Credential {
  readonly id: string;
  /**
   * What the issuer said beside the token, such as Salesforce's `instance_url`; asks for a token where there is none.
   * Throws `AuthenticationError` when none can be had, and the signal's reason when it aborts.
   */
  tokenDetails(options?: { readonly tenant?: string; readonly signal?: AbortSignal }): Promise<TokenDetails>;
}

/** A request for a token with the secrets of this moment. */
export interface PreparedTokenRequest {
  /** Whose token it will be. Holds no secret that could be guessed: it becomes the key in the store. */
  readonly owner: readonly string[];
  /** While they stay the same, a refusal stands. */
  readonly secrets: readonly string[];
  /** Asks once. Throws `TokenFailure`, or the signal's reason. */
  readonly send: (signal: AbortSignal) => Promise<ObtainedToken>;
}

export interface ObtainedToken extends TokenAnswer {
  /** Where the request itself changed whose token it is: by whom it will be looked for from now on. */
  readonly nextOwner?: readonly string[] | undefined;
}

/** Reads the secrets. What it throws has its message kept only if it is an `InvalidArgumentError`. */
export type PrepareTokenRequest = (context: SecretContext) => Promise<PreparedTokenRequest>;

/**
 * Keeps one token per tenant: fetched when it is first needed, by one request however many wait for it, renewed before
 * a known end while the old one is used, and replaced after a 401. What is refused is not asked for again at once.
 */
export const createTokenCredential = (
  method: string,
  prepare: PrepareTokenRequest,
  options: TokenOptions,
): TokenCredential => {
  const { id = method, renewBeforeMs = 60_000, coolDownMs = 30_000, deadlineMs = 8_000 } = options;
  const { clock = systemClock, random = Math.random } = options;
  assertDuration('deadlineMs', deadlineMs);
  for (const [name, ms] of Object.entries({ renewBeforeMs, coolDownMs }))
    if (!(ms >= 0)) throw new InvalidArgumentError(name, 'must be a number of milliseconds, 0 or more');
  const sleep = sleepOn(clock);
  const shared: SharedTokens | undefined = options.store && shareTokens(options.store, { clock, leaseMs: deadlineMs });
  const tenants = new Map<string | undefined, State>();

  const stateOf = ({ tenant }: SecretContext): State => {
    const known = tenants.get(tenant);
    if (known) return known;
    for (const [idle, { flight }] of tenants) {
      if (tenants.size < maximumTenants) break;
      if (!flight) tenants.delete(idle);
    }
    const state: State = { failures: 0, pausedUntil: 0, nextCheckAt: 0, renewals: [] };
    tenants.set(tenant, state);
    return state;
  };

  const hold = ({ accessToken, issuedAt, expiresAt, details }: StoredToken): HeldToken => {
    const life =
      expiresAt === undefined ? undefined : { lifetimeMs: expiresAt - issuedAt, leftMs: expiresAt - clock.wallNow() };
    const { renewAfterMs, usableForMs } = lifeOf(life, { renewBeforeMs, random: random() });
    const issued = { headers: { authorization: `Bearer ${accessToken}` }, secrets: [accessToken] };
    return { issued, details, renewAt: clock.now() + renewAfterMs, usableUntil: clock.now() + usableForMs };
  };

  /** A token that another process has put there, if it is of use. */
  const fromStore = async (key: string, { rejected, token }: State): Promise<HeldToken | undefined> => {
    const stored = await shared?.get(key);
    const known = [rejected, token?.issued.secrets[0]];
    if (!stored || known.includes(stored.accessToken)) return undefined;
    const held = hold(stored);
    return held.renewAt > clock.now() ? held : undefined;
  };

  const sendTwice = async ({ send }: PreparedTokenRequest, signal: AbortSignal): Promise<ObtainedToken> => {
    try {
      return await send(signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof TokenFailure) || error.kind !== 'transient') throw error;
      const waitMs = error.retryAfterMs ?? 100 + random() * 200;
      if (waitMs > longestWaitMs) throw error;
      await sleep(waitMs, signal);
      return send(signal);
    }
  };

  const obtain = async (state: State, context: SecretContext, flight: Flight): Promise<HeldToken> => {
    const { signal } = flight;
    const prepared = await prepare(secretContext(context)).catch((error: unknown) => {
      throw noSecret(error);
    });
    signal.throwIfAborted();
    const { refusal } = state;
    flight.secrets = prepared.secrets;
    if (refusal && refusal.until > clock.now() && isSame(refusal.secrets, prepared.secrets))
      throw new StillPaused(refusal.failure, refusal.until);

    const key = keyOf(id, method, context, prepared.owner);
    const claimed = await shared?.claimUnless(key, () => fromStore(key, state), signal);
    if (claimed?.found) return claimed.found;
    try {
      flight.wasSent = true;
      // Its life began at the earliest when it was asked for.
      const issuedAt = clock.wallNow();
      const { accessToken, expiresInMs, details, nextOwner } = await sendTwice(prepared, signal);
      flight.expiresInMs = expiresInMs;
      const expires = expiresInMs === undefined ? {} : { expiresAt: issuedAt + expiresInMs };
      const token: StoredToken = { accessToken, issuedAt, ...expires, details };
      const keys = nextOwner ? [key, keyOf(id, method, context, nextOwner)] : [key];
      void keep(keys, token, expiresInMs).then(claimed?.release);
      return hold(token);
    } catch (error) {
      void claimed?.release?.();
      throw error;
    }
  };

  /** Nobody waits for the store: the token is there. */
  const keep = async (keys: readonly string[], token: StoredToken, expiresInMs = longestRetainMs): Promise<void> => {
    for (const key of keys) await shared?.set(key, token, { retainMs: expiresInMs });
  };

  const fail = (state: State, error: unknown, secrets: readonly string[] | undefined): Failed => {
    const failure = error instanceof TokenFailure ? error : noSecret(error);
    if (failure instanceof StillPaused) return { failure, retryAfterMs: failure.until - clock.now() };
    if (failure.kind === 'source') return { failure };
    if (failure.kind === 'refused') {
      const until = clock.now() + coolDownMs;
      if (secrets) state.refusal = { failure, until, secrets };
      return { failure, retryAfterMs: coolDownMs };
    }
    state.failures += 1;
    const retryAfterMs = Math.max(pauseMs(state.failures), failure.retryAfterMs ?? 0);
    state.pausedUntil = clock.now() + Math.min(retryAfterMs, longestPauseMs);
    state.lastFailure = failure;
    return { failure, retryAfterMs };
  };

  const run = async (
    state: State,
    context: SecretContext,
    because: CredentialRenewal['because'],
    onRenewal: CredentialContext['onRenewal'],
  ): Promise<Landed> => {
    const startedAt = clock.now();
    const controller = new AbortController();
    const cancel = clock.setTimer(() => controller.abort(tooSlow(deadlineMs)), deadlineMs);
    const flight: Flight = { signal: controller.signal, wasSent: false };
    const tell = (end: Omit<CredentialRenewal, 'because' | 'durationMs'>) => {
      if (onRenewal) quietly(() => onRenewal({ because, durationMs: clock.now() - startedAt, ...end }));
    };
    try {
      const held = await unlessAborted(obtain(state, context, flight), controller.signal);
      Object.assign(state, { token: held, failures: 0, pausedUntil: 0, lastFailure: undefined, refusal: undefined });
      if (flight.wasSent) tell(flight.expiresInMs === undefined ? {} : { expiresInMs: flight.expiresInMs });
      return { held };
    } catch (error) {
      const failed = fail(state, error, flight.secrets);
      const { failure, retryAfterMs } = failed;
      if (!(failure instanceof StillPaused))
        tell({ failure: failure.reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
      return failed;
    } finally {
      cancel();
    }
  };

  /** The one request that is under way for this tenant, begun now where there is none. It never rejects. */
  const fly = (
    state: State,
    context: SecretContext & Pick<CredentialContext, 'onRenewal'>,
    because: CredentialRenewal['because'],
  ): Promise<Landed> => {
    state.flight ??= run(state, context, because, context.onRenewal).finally(() => {
      state.flight = undefined;
    });
    return state.flight;
  };

  const arrivalOf = async (
    state: State,
    context: SecretContext & Pick<CredentialContext, 'onRenewal' | 'signal' | 'operation'>,
    because: CredentialRenewal['because'],
  ): Promise<HeldToken> => {
    const { pausedUntil, lastFailure } = state;
    const now = clock.now();
    const landed =
      lastFailure && pausedUntil > now && !state.flight
        ? { failure: lastFailure, retryAfterMs: pausedUntil - now }
        : await unlessAborted(fly(state, context, because), context.signal);
    if ('held' in landed) return landed.held;
    throw toAuthenticationError(landed, context.operation);
  };

  const current = (
    state: State,
    context: SecretContext & Pick<CredentialContext, 'onRenewal' | 'signal' | 'operation'>,
  ): HeldToken | Promise<HeldToken> => {
    const { token } = state;
    const now = clock.now();
    if (!token || token.usableUntil <= now) return arrivalOf(state, context, token ? 'expiring' : 'absent');
    if (token.renewAt <= now && Math.max(state.nextCheckAt, state.pausedUntil) <= now) {
      // While it is refused, a request a second looks whether a secret has changed.
      state.nextCheckAt = now + 1_000;
      void fly(state, context, 'expiring');
    }
    return token;
  };

  const mayRenew = (state: State): boolean => {
    const since = clock.now() - coolDownMs;
    state.renewals = state.renewals.filter((at) => at > since);
    return state.renewals.length < maximumRenewals;
  };

  return {
    id,
    read: async (context) => (await current(stateOf(context), context)).issued,
    renew: async (rejected, context) => {
      const state = stateOf(context);
      const [refused] = rejected.secrets;
      const isOurs = state.token?.issued.secrets[0] === refused;
      if (state.token && !isOurs) return (await current(state, context)).issued;
      if (!state.flight) {
        if (!mayRenew(state)) return undefined;
        state.renewals.push(clock.now());
      }
      state.rejected = refused;
      state.token = undefined;
      const { issued } = await arrivalOf(state, context, 'rejected');
      return issued.secrets[0] === refused ? undefined : issued;
    },
    tokenDetails: async ({ tenant, signal = neverAborted } = {}) => {
      const context = { operation: `auth.${id}`, signal, ...(tenant === undefined ? {} : { tenant }) };
      return (await current(stateOf(context), context)).details;
    },
  };
};

const maximumTenants = 10_000;

/** A wait within one call, while a person is on the phone. */
const longestWaitMs = 1_000;

/** What an endpoint may ask for beyond it is forgotten. */
const longestPauseMs = 60_000;

/** How long a token without a known end is kept for other processes. */
const longestRetainMs = 24 * 60 * 60 * 1000;

const neverAborted = new AbortController().signal;

interface HeldToken {
  readonly issued: IssuedCredential;
  readonly details: TokenDetails;
  /** On the clock that never steps. */
  readonly renewAt: number;
  readonly usableUntil: number;
}

/** What is known of one tenant's token. */
interface State {
  token?: HeldToken | undefined;
  /** The last token that the API refused: not taken from the store again. */
  rejected?: string | undefined;
  flight?: Promise<Landed> | undefined;
  /** In a row. */
  failures: number;
  pausedUntil: number;
  lastFailure?: TokenFailure | undefined;
  nextCheckAt: number;
  refusal?: { readonly failure: TokenFailure; readonly until: number; readonly secrets: readonly string[] } | undefined;
  /** When tokens were replaced because the API refused them. */
  renewals: number[];
}

interface Flight {
  readonly signal: AbortSignal;
  secrets?: readonly string[];
  wasSent: boolean;
  expiresInMs?: number | undefined;
}

interface Failed {
  readonly failure: TokenFailure;
  readonly retryAfterMs?: number;
}

type Landed = { readonly held: HeldToken } | Failed;

/** A refusal that still stands; nobody was asked. */
class StillPaused extends TokenFailure {
  readonly until: number;
  constructor({ kind, reason, message, original }: TokenFailure, until: number) {
    super(kind, reason, message, { original });
    this.until = until;
  }
}

const keyOf = (id: string, method: string, { tenant = '' }: SecretContext, owner: readonly string[]): string =>
  `token:${id}:${createHash('sha256')
    .update(JSON.stringify([method, tenant, ...owner]))
    .digest('base64url')}`;

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((secret, index) => secret === others[index]);

const tooSlow = (ms: number) => new TokenFailure('transient', 'timeout', `gave no token within ${ms} ms`);

const noSecret = (original: unknown): TokenFailure =>
  original instanceof TokenFailure
    ? original
    : new TokenFailure(
        'source',
        'no_secret',
        isInvalidArgumentError(original)
          ? `could not be asked: ${original.message}`
          : 'could not be asked: no secret could be read',
        { original },
      );

/** Each caller gets an error of its own, which its call completes. */
const toAuthenticationError = ({ failure, retryAfterMs }: Failed, operation: string): AuthenticationError =>
  new AuthenticationError(`${operation} was not sent: the token endpoint ${failure.message}`, {
    operation,
    reason: failure.reason,
    original: failure.original,
    retryAfterMs: retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs),
  });
