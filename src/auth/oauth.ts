/** The one door to oauth4webapi, an optional peer: it is loaded when the first token is asked for. */
import type * as Oauth from 'oauth4webapi';
import { InvalidArgumentError } from '../errors.ts';

/**
 * How the application proves who it is at a token endpoint: its secret in the body, its secret in a header (RFC 6749,
 * 2.3.1), or no secret, as a public client or one that shows a client certificate (RFC 8705) does.
 */
export type ClientAuthentication = 'post' | 'basic' | 'none';

export interface TokenRequest {
  readonly endpoint: string;
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly clientAuthentication: ClientAuthentication;
  /** Puts the form on the wire; what it throws is passed on. Answers 200 with the token, or 400 with the error. */
  readonly post: (form: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }) => Promise<{ readonly status: 200 | 400; readonly json: object }>;
}

/** A checked answer of a token endpoint (RFC 6749, 5.1). */
export interface IssuedToken {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
}

/** The endpoint's own code for a refusal, `undefined` when the answer was no answer of a token endpoint. */
export class OauthAnswerError extends Error {
  readonly error: string | undefined;
  constructor(error: string | undefined, cause: unknown) {
    super('the token endpoint gave no token', { cause });
    this.name = 'OauthAnswerError';
    this.error = error;
  }
}

/** Asks a token endpoint for a token that is a bearer token. Throws {@link OauthAnswerError} for any other answer. */
export const requestToken = async (request: TokenRequest): Promise<IssuedToken> => {
  const oauth = await load();
  const { endpoint, clientId, grantType, parameters } = request;
  // No issuer is known here, and none is checked: only the endpoint is used.
  const server: Oauth.AuthorizationServer = { issuer: endpoint, token_endpoint: endpoint };
  const client: Oauth.Client = { client_id: clientId };
  const response = await oauth.genericTokenEndpointRequest(
    server,
    client,
    clientAuthenticationOf(oauth, request),
    grantType,
    { ...parameters },
    {
      [oauth.customFetch]: async (_url, { headers, body }) => {
        const { status, json } = await request.post({ headers, body: body.toString() });
        return new Response(JSON.stringify(json), { status, headers: { 'content-type': 'application/json' } });
      },
      // The address was checked when the credential was made: https, or http on loopback.
      [oauth.allowInsecureRequests]: true,
    },
  );
  try {
    const { access_token, token_type, refresh_token, expires_in } = await oauth.processGenericTokenEndpointResponse(
      server,
      client,
      response,
    );
    if (token_type !== 'bearer') throw new OauthAnswerError(undefined, undefined);
    return { access_token, refresh_token, expires_in };
  } catch (error) {
    throw error instanceof oauth.ResponseBodyError ? new OauthAnswerError(error.error, error) : wrapped(error);
  }
};

export interface AuthorizationSecrets {
  readonly state: string;
  readonly codeVerifier: string;
  /** What the verifier is proved by (RFC 7636, 4.2, `S256`). */
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

const wrapped = (error: unknown): OauthAnswerError =>
  error instanceof OauthAnswerError ? error : new OauthAnswerError(undefined, error);

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
