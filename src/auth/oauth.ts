/** The one door to oauth4webapi, an optional peer: it is loaded for the first token. */
import type * as Oauth from 'oauth4webapi';
import { InvalidArgumentError } from '../core/errors.ts';

/**
 * The way in which the application authenticates at a token endpoint. `post`: its secret in the body. `basic`: its
 * secret in a header (RFC 6749, 2.3.1). `none`: no secret, for a public client or one with a client certificate (RFC
 * 8705).
 */
export type ClientAuthentication = 'post' | 'basic' | 'none';

export interface TokenRequest {
  readonly endpoint: string;
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly clientAuthentication: ClientAuthentication;
  /** Sends the form and gives the endpoint's answer. What it throws is passed on. */
  readonly fetch: (body: string, headers: Readonly<Record<string, string>>) => Promise<Response>;
}

/** A checked answer of a token endpoint (RFC 6749, 5.1), with everything else that the endpoint said. */
export type IssuedToken = Oauth.TokenEndpointResponse;

/** Asks a token endpoint for a bearer token. Throws {@link TokenFailure} for any other answer. */
export const requestToken = async (request: TokenRequest): Promise<IssuedToken> => {
  const oauth = await load();
  const { endpoint, clientId, grantType, parameters } = request;
  // No issuer is known here, and none is checked: only the endpoint is used.
  const server: Oauth.AuthorizationServer = { issuer: endpoint, token_endpoint: endpoint };
  const client: Oauth.Client = { client_id: clientId };
  const authentication = clientAuthenticationOf(oauth, request);
  const response = await oauth.genericTokenEndpointRequest(
    server,
    client,
    authentication,
    grantType,
    { ...parameters },
    {
      [oauth.customFetch]: (_url, { headers, body }) => request.fetch(body.toString(), headers),
      // The address was checked when the credential was made: https, or http on loopback.
      [oauth.allowInsecureRequests]: true,
    },
  );
  const token = await oauth.processGenericTokenEndpointResponse(server, client, response).catch((error: unknown) => {
    throw error instanceof oauth.ResponseBodyError
      ? (lock(error, request) ?? refusal(error.error, request, error))
      : unusable(response.status, error);
  });
  if (token.token_type !== 'bearer') throw unusable(response.status, undefined);
  return token;
};

/**
 * Salesforce locks a refresh token while it's traded, and answers so to everyone else; before 2024-09 in the words that
 * it has for a code. Sources: Salesforce's release notes rn_security_refresh_token_requests and
 * rn_security_refresh_token_error, read 2026-11-26.
 */
const lock = (error: Oauth.ResponseBodyError, { grantType }: TokenRequest): TokenFailure | undefined => {
  const { error: code, error_description: description = '' } = error;
  const isLocked =
    grantType === 'refresh_token' &&
    code === 'invalid_grant' &&
    /request is already being processed|expired authorization code/i.test(description);
  return isLocked
    ? new TokenFailure('locked', 'refresh_in_progress', 'is trading this refresh token for another', {
        original: error,
      })
    : undefined;
};

/** The endpoint's own code says why, unless it's no code or repeats a secret. */
const refusal = (code: string, { clientSecret, parameters }: TokenRequest, original: unknown): TokenFailure => {
  if (code === 'temporarily_unavailable' || code === 'server_error')
    return new TokenFailure('transient', code, `failed (${code})`, { original });
  const repeats = [clientSecret, ...Object.values(parameters)].some((secret) => secret && code.includes(secret));
  const reason = /^[\w.-]{1,64}$/.test(code) && !repeats ? code : 'refused';
  const meaning = meanings[reason];
  return new TokenFailure('refused', reason, `refused it (${reason})${meaning ? `: ${meaning}` : ''}`, { original });
};

/** Hints for those codes of RFC 6749, 5.2, that say little by themselves. */
const meanings: Readonly<Record<string, string>> = {
  invalid_client: 'check the client id, the client secret and the kind of the client',
  invalid_scope: 'the client may not have the scope that it asks for',
  unauthorized_client: 'the client may not use this grant',
};

const unusable = (status: number, original: unknown): TokenFailure =>
  status >= 400
    ? new TokenFailure('refused', 'refused', `refused with status ${status}`, { original })
    : new TokenFailure('unexpected', 'unexpected_response', 'answered with neither a bearer token nor an error', {
        original,
      });

/**
 * The kinds of failures at a token endpoint. `refused`: the endpoint said no, and will again until a secret changes.
 * `transient`: the same request may work soon. `locked`: another request with this refresh token is on its way, and may
 * replace it. `unexpected`: the answer can't be used. `source`: a function of the application gave no secret, or lost
 * one.
 */
export type TokenFailureKind = 'refused' | 'transient' | 'locked' | 'unexpected' | 'source';

/** A failed request for a token. Its message is safe to log; everything from outside is in `original` alone. */
export class TokenFailure extends Error {
  readonly kind: TokenFailureKind;
  /** A code of RFC 6749 such as `invalid_grant`, or one of ours such as `network`. */
  readonly reason: string;
  declare readonly retryAfterMs?: number;
  declare readonly original: unknown;

  constructor(
    kind: TokenFailureKind,
    reason: string,
    message: string,
    { retryAfterMs, original }: { retryAfterMs?: number | undefined; original?: unknown } = {},
  ) {
    super(message);
    this.name = 'TokenFailure';
    this.kind = kind;
    this.reason = reason;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
    Object.defineProperty(this, 'original', { value: original, enumerable: false });
  }
}

export interface AuthorizationSecrets {
  readonly state: string;
  readonly codeVerifier: string;
  /** The hash that proves the verifier (RFC 7636, 4.2, `S256`). */
  readonly codeChallenge: string;
}

/** Random values for one authorization request, 256 bits each. */
export const drawAuthorizationSecrets = async (): Promise<AuthorizationSecrets> => {
  const oauth = await load();
  const codeVerifier = oauth.generateRandomCodeVerifier();
  return {
    state: oauth.generateRandomState(),
    codeVerifier,
    codeChallenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
  };
};

const load = (): Promise<typeof Oauth> =>
  import('oauth4webapi').catch((cause: unknown) => {
    throw new InvalidArgumentError('oauth4webapi', 'must be installed to ask for tokens: npm install oauth4webapi', {
      cause,
    });
  });

const clientAuthenticationOf = (
  oauth: typeof Oauth,
  { clientAuthentication, clientSecret = '' }: TokenRequest,
): Oauth.ClientAuth => {
  if (clientAuthentication === 'none') return oauth.None();
  return clientAuthentication === 'basic'
    ? oauth.ClientSecretBasic(clientSecret)
    : oauth.ClientSecretPost(clientSecret);
};
