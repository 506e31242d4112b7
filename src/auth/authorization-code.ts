import { assertDuration } from '../core/timers.ts';
import { hash } from 'node:crypto';
import { AttemptFailedError, AuthenticationError, InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, flag, type OptionNames } from '../core/option-checks.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import type { IdempotencyStore } from '../stores/ports/idempotency-store.ts';
import type { TokenDetails } from '../stores/ports/token-store.ts';
import { createMemoryIdempotencyStore } from '../stores/memory-idempotency-store.ts';
import { drawAuthorizationSecrets, TokenFailure } from './oauth.ts';
import { clientReader, type OauthClientOptions } from './oauth-client-credentials.ts';
import type { SecretContext } from '../core/secret.ts';
import { isOneOf } from '../signature/secrets.ts';
import { createTokenEndpoint, tokenEndpointNames, type TokenEndpointOptions } from './token-endpoint.ts';

/** The endpoints, the address to come back to, and the application's own client. */
export interface AuthorizationCodeOptions
  extends TokenEndpointOptions,
    Pick<OauthClientOptions, 'clientId' | 'clientSecret'> {
  /** The page on which customers consent; https, without a query. */
  readonly authorizationEndpoint: string;
  /** The registered address that customers come back to. https, or http on loopback; without a query. */
  readonly redirectUri: string;
  /** Binds the code to the request (RFC 7636); endpoints that do not know it take no notice. @defaultValue true */
  readonly pkce?: boolean | undefined;
  /** The name of a server that says it in its answers (RFC 9207): one without it is refused. @defaultValue not checked */
  readonly issuer?: string | undefined;
  /** The time that a customer has. @defaultValue 600000 */
  readonly validForMs?: number | undefined;
  /**
   * Remembers which answers have been used, so that none is used twice. Several processes need one that they share.
   * @defaultValue the memory of this process
   */
  readonly used?: IdempotencyStore | undefined;
}

/** One customer's consent in progress. Keep it in the session of the browser that is sent away, and nowhere else. */
export interface AuthorizationRequest {
  /** The address to send the browser to. */
  readonly url: string;
  readonly state: string;
  readonly codeVerifier?: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The grant of a customer. All of it is secret but the details. */
export interface AuthorizationGrant {
  readonly accessToken: string;
  /** Absent where tokens do not expire, as those of Intercom. */
  readonly refreshToken?: string | undefined;
  /** Milliseconds since 1970; absent when the endpoint did not say. */
  readonly expiresAt?: number | undefined;
  readonly details: TokenDetails;
}

/** Connects customers to a distributed application. */
export interface AuthorizationCode {
  /** Begins: draws the secrets and builds the address to send the customer to. */
  createAuthorizationRequest(options?: {
    readonly scope?: string | undefined;
    /** Further parameters of the endpoint, such as `prompt`. */
    readonly parameters?: Readonly<Record<string, string>> | undefined;
    readonly tenant?: string | undefined;
  }): Promise<AuthorizationRequest>;
  /**
   * Ends: checks that the answer belongs to the request, and trades its code for tokens, once.
   * Throws `AuthenticationError` with a `reason`: `state_mismatch`, `state_expired`, `state_used`, `issuer_mismatch`,
   * `code_missing`, or what the server said, such as `access_denied` or `invalid_grant`. When the token endpoint could
   * not be reached at all, the same answer may be tried again.
   */
  exchangeAuthorizationCode(
    /** The address that the browser came back to, or its path and query. */
    callback: string | URL,
    request: Pick<AuthorizationRequest, 'state' | 'codeVerifier' | 'expiresAt'>,
    options?: { readonly tenant?: string | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<AuthorizationGrant>;
}

/**
 * The authorization code grant (RFC 6749, 4.1) with `state` and PKCE, for an application that several customers install.
 * What it gives is kept by the application and used through `bearer`, or through `oauthRefreshToken` where there is a
 * refresh token. Needs the package `oauth4webapi`.
 * Throws `InvalidArgumentError` for a literal secret and for addresses that a secret must not be sent to.
 *
 * @example
 * const intercom = authorizationCode({
 *   authorizationEndpoint: 'https://app.intercom.com/oauth',
 *   tokenEndpoint: 'https://api.intercom.io/auth/eagle/token',
 *   tokenField: 'token',
 *   redirectUri: 'https://agent.example.com/connected',
 *   clientId: () => secrets.read('intercom-client-id'),
 *   clientSecret: () => secrets.read('intercom-client-secret'),
 * });
 * const request = await intercom.createAuthorizationRequest();
 */
export const authorizationCode = (options: AuthorizationCodeOptions): AuthorizationCode => {
  assertKnown(options, optionNames);
  const { pkce = true, issuer, validForMs = 600_000 } = options;
  const { used = createMemoryIdempotencyStore() } = options;
  const authorizationEndpoint = parseBaseUrl(options.authorizationEndpoint, { field: 'authorizationEndpoint' });
  parseBaseUrl(options.redirectUri, { field: 'redirectUri' });
  flag(options.pkce, 'pkce')();
  assertDuration('validForMs', validForMs);
  const ask = createTokenEndpoint(options);
  const readClient = clientReader(options);

  const trade = async (
    code: string,
    codeVerifier: string | undefined,
    context: SecretContext,
    signal: AbortSignal,
  ): Promise<AuthorizationGrant> => {
    const client = await readClient(context);
    signal.throwIfAborted();
    const parameters = { code, redirect_uri: options.redirectUri, code_verifier: codeVerifier };
    const answer = await ask({ grantType: 'authorization_code', parameters, ...client }, signal);
    const { accessToken, refreshToken, expiresInMs, details } = answer;
    return {
      accessToken,
      refreshToken,
      expiresAt: expiresInMs === undefined ? undefined : Date.now() + expiresInMs,
      details,
    };
  };

  /** The right to use the answer; it is given back when nothing was sent. */
  const claimState = async (state: string) => {
    const key = `authorization:${hash('sha256', state, 'base64url')}`;
    const claim = await used.claim(key, { fingerprint: key, leaseMs: validForMs, retainMs: validForMs });
    if (claim.state !== 'new') throw refused('state_used', 'its answer was used before');
    return {
      release: () => used.release(key, claim.claim),
      settle: () => used.settle(key, claim.claim, true),
    };
  };

  return {
    createAuthorizationRequest: async ({ scope, parameters = {}, tenant } = {}) => {
      const { state, codeVerifier, codeChallenge } = await drawAuthorizationSecrets();
      const { clientId } = await readClient({ tenant });
      const query = new URLSearchParams({
        ...parameters,
        response_type: 'code',
        client_id: clientId,
        redirect_uri: options.redirectUri,
        state,
      });
      if (scope !== undefined) query.set('scope', scope);
      if (pkce) {
        query.set('code_challenge', codeChallenge);
        query.set('code_challenge_method', 'S256');
      }
      const expiresAt = Date.now() + validForMs;
      return {
        url: `${authorizationEndpoint.href}?${query}`,
        state,
        codeVerifier: pkce ? codeVerifier : undefined,
        expiresAt,
      };
    },
    exchangeAuthorizationCode: async (callback, request, { tenant, signal = neverAborted } = {}) => {
      const answer = readCallback(callback);
      if (request.state === '' || !isOneOf(answer('state') ?? '', [request.state]))
        throw refused('state_mismatch', 'its state is not that of the request');
      if (!(request.expiresAt > Date.now())) throw refused('state_expired', 'the customer took too long');
      const claim = await claimState(request.state);
      try {
        if (issuer !== undefined && answer('iss') !== issuer)
          throw refused('issuer_mismatch', 'it is the answer of another server');
        const error = answer('error');
        if (error !== undefined)
          throw refused(/^[\w.-]{1,64}$/.test(error) ? error : 'refused', 'the customer or the server said no');
        const code = answer('code');
        if (!code) throw refused('code_missing', 'there is no code in the answer');
        if (pkce && !request.codeVerifier)
          throw new InvalidArgumentError('codeVerifier', 'of the request must be given');
        const grant = await trade(code, pkce ? request.codeVerifier : undefined, { tenant }, signal);
        await claim.settle();
        return grant;
      } catch (error) {
        await (wasNotSent(error) ? claim.release() : claim.settle());
        throw error instanceof TokenFailure
          ? refused(error.reason, `the token endpoint ${error.message}`, error.original)
          : error;
      }
    },
  };
};

const neverAborted = new AbortController().signal;

const operation = 'auth.exchangeAuthorizationCode';

const refused = (reason: string, what: string, original?: unknown): AuthenticationError =>
  new AuthenticationError(`${operation} gave no token: ${what}`, { operation, reason, original });

/** A parameter that is there twice is there for no good. */
const readCallback = (callback: string | URL) => {
  const address = typeof callback === 'string' ? callback : callback.href;
  if (!URL.canParse(address, placeholder))
    throw new InvalidArgumentError('callback', 'must be the address that the browser came back to');
  const { searchParams } = new URL(address, placeholder);
  return (name: string): string | undefined => {
    const values = searchParams.getAll(name);
    if (values.length > 1) throw refused('callback_ambiguous', 'a parameter of its answer is there twice');
    return values[0];
  };
};

/** A base for paths; nothing is sent there. */
const placeholder = 'https://callback.invalid';

/** The code is not spent, and the answer may be tried again. */
const wasNotSent = (error: unknown): boolean =>
  error instanceof InvalidArgumentError ||
  (error instanceof TokenFailure &&
    error.original instanceof AttemptFailedError &&
    error.original.outcome === 'not_sent');

const optionNames: OptionNames<AuthorizationCodeOptions> = {
  ...tokenEndpointNames,
  clientId: true,
  clientSecret: true,
  authorizationEndpoint: true,
  redirectUri: true,
  pkce: true,
  issuer: true,
  validForMs: true,
  used: true,
};
