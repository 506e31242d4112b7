import { oauthClientCredentials } from '../../auth/oauth-client-credentials.ts';
import type { OauthClientOptions } from '../../auth/oauth-client-credentials.ts';
import { oauthRefreshToken, type OauthRefreshTokenOptions } from '../../auth/oauth-refresh-token.ts';
import { fromSecret } from '../../auth/secret-credential.ts';
import type { TokenCredential } from '../../auth/token-credential.ts';
import { InvalidArgumentError } from '../../core/errors.ts';
import type { Credential } from '../../http/credential.ts';
import { warn } from '../../observability/warn.ts';
import type { ReadSecret, Secret } from '../../core/secret.ts';

/** An OAuth client of the account, and where its tokens are kept. */
export interface ZendeskClientOptions extends Pick<OauthClientOptions, 'store'> {
  /** The client's Identifier, which isn't its number. */
  readonly clientId: ReadSecret;
  /** Zendesk shows it once. The client's kind must be Confidential. */
  readonly clientSecret: Secret;
  /**
   * Acts for a customer who has connected their account, instead of for the client's maker. Zendesk takes each refresh
   * token once. Several processes need a `store` with `claim`.
   * @defaultValue none: the client's own token
   */
  readonly refreshToken?: ReadSecret | undefined;
  /** Keeps the refresh token that replaces the one before it; required with `refreshToken`. */
  readonly onRefreshToken?: OauthRefreshTokenOptions['onRefreshToken'] | undefined;
  /**
   * The scopes of the client's own token, with spaces between several. `write` needs `read` too.
   * @defaultValue 'read write'
   */
  readonly scope?: string | undefined;
  /** Sends the requests for tokens, such as through a proxy. @defaultValue the platform's fetch */
  readonly transport?: OauthClientOptions['transport'] | undefined;
}

/**
 * The credential of an OAuth client. It asks for a lifetime, since Zendesk leaves it out of the answer otherwise.
 * Sources: developer.zendesk.com, OAuth tokens for grant types, and "Creating and using OAuth tokens with the API";
 * support.zendesk.com, article 10212201463962; read 2026-11-27.
 */
export const zendeskClient = (
  tokenEndpoint: string,
  { refreshToken, onRefreshToken, scope, ...client }: ZendeskClientOptions,
): TokenCredential => {
  const shared = { ...client, tokenEndpoint, parameters: { expires_in: '1800' }, assumedLifetimeMs: thirtyMinutesMs };
  if (refreshToken === undefined) {
    if (onRefreshToken !== undefined)
      throw new InvalidArgumentError('refreshToken', 'must be given with onRefreshToken');
    return oauthClientCredentials({ ...shared, scope: checkedScope(scope), id: 'zendesk-client' });
  }
  if (scope !== undefined) throw new InvalidArgumentError('scope', "is the customer's to grant: leave it out");
  if (onRefreshToken === undefined)
    throw new InvalidArgumentError('onRefreshToken', 'must be a function that keeps the next refresh token');
  return oauthRefreshToken({ ...shared, refreshToken, onRefreshToken, id: 'zendesk-refresh-token' });
};

const thirtyMinutesMs = 30 * 60_000;

/** A token with `write` alone is issued, and every call with it is refused. */
const checkedScope = (scope = 'read write'): string => {
  if (typeof scope !== 'string' || scope.trim() === '')
    throw new InvalidArgumentError('scope', "must be a text such as 'read write'");
  const scopes = scope.trim().split(/\s+/);
  if (scopes.includes('write') && !scopes.includes('read'))
    throw new InvalidArgumentError('scope', "must be 'read write': Zendesk refuses every call with write alone");
  return scopes.join(' ');
};

const tokenCredential = ({ email, token }: { readonly email: string; readonly token: Secret }): Credential => {
  if (typeof email !== 'string' || !/^[^\s:]+@[^\s:]+$/.test(email))
    throw new InvalidArgumentError('email', 'must be the address of the agent');
  const toHeaders = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`${email}/token:${secret}`).toString('base64')}`,
  });
  return fromSecret('token', token, { id: 'zendesk-token', toHeaders });
};

/**
 * Credential of an API token: it acts as the agent with this address.
 * Throws `InvalidArgumentError` for a literal token and for what is no address.
 * Source of the last day: developer.zendesk.com, "Migrating from API tokens to OAuth access tokens", read 2026-11-27.
 *
 * @example
 * authenticate: zendeskToken({ email: 'voice-agent@acme.example', token: fromEnv('ZENDESK_TOKEN') })
 *
 * @deprecated Zendesk ends all API tokens on 2027-04-30, and makes no new ones. Use `clientId` and `clientSecret` of
 * {@link zendesk}.
 */
export const zendeskToken: typeof tokenCredential = (options) => {
  if (!hasWarned) warn(ends, { type: 'DeprecationWarning', code: 'zendesk_api_tokens_end' });
  hasWarned = true;
  return tokenCredential(options);
};

let hasWarned = false;
const ends =
  'Zendesk ends all API tokens on 2027-04-30: use zendesk({ subdomain, clientId, clientSecret }) instead of zendeskToken';
