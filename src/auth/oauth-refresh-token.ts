import { clientReader, oauthClientNames, type OauthClientOptions } from './oauth-client-credentials.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { assertSpelled, type OptionNames } from '../core/option-checks.ts';
import { assertSecret, type ReadSecret, readSecret, type SecretContext } from '../core/secret.ts';
import { createTokenCredential, type TokenCredential } from './token-credential.ts';
import { createTokenEndpoint, type TokenAnswer } from './token-endpoint.ts';
import { TokenFailure } from './oauth.ts';
import type { ObtainedToken } from './token-fetch.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

/** Options of {@link oauthRefreshToken}: the customer's refresh token, and the application's own client. */
export interface OauthRefreshTokenOptions extends OauthClientOptions {
  /** The refresh token of this moment, from where `onRefreshToken` keeps it. */
  readonly refreshToken: ReadSecret;
  /**
   * Keeps the refresh token that replaces the one before it, which often stops working at that moment. The access token
   * that came with it is not used before this has resolved; until then it is called again with the same token. It is
   * required even where the API does not rotate refresh tokens today: one that is not kept ends the connection with
   * the customer.
   */
  readonly onRefreshToken: (refreshToken: string, context: SecretContext) => void | Promise<void>;
  /** Fewer than were granted. @defaultValue all that were granted */
  readonly scope?: string | undefined;
}

/**
 * Acts for a customer who authorised the application (RFC 6749, 6): trades the refresh token for access tokens. Needs
 * the package `oauth4webapi`. If several processes share one rotating refresh token, give them a `store` with `claim`,
 * so that one at a time uses it. Some servers take everything back when one is used twice. Waits 10 seconds for a
 * request and 25 in all, since a lost answer may hold the next refresh token. Callers wait no longer than their own
 * deadlines. Throws `InvalidArgumentError` for a literal secret and for an address that a secret must not be sent to.
 *
 * @example
 * authenticate: oauthRefreshToken({
 *   tokenEndpoint: 'https://login.salesforce.com/services/oauth2/token',
 *   clientId: () => secrets.read('consumer-key'),
 *   clientSecret: () => secrets.read('consumer-secret'),
 *   refreshToken: () => customers.refreshTokenOf('acct_1'),
 *   onRefreshToken: (token) => customers.keepRefreshToken('acct_1', token),
 * })
 */
export const oauthRefreshToken = (settings: OauthRefreshTokenOptions): TokenCredential => {
  // `salesforceLogin` has an `audience` too.
  assertSpelled(settings, optionNames);
  const options = { ...patience, ...withoutUndefined(settings) };
  const { tokenEndpoint, scope, refreshToken, onRefreshToken } = options;
  const ask = createTokenEndpoint(options);
  const readClient = clientReader(options);
  assertSecret('refreshToken', refreshToken);
  if (typeof onRefreshToken !== 'function')
    throw new InvalidArgumentError('onRefreshToken', 'must be a function that keeps the next refresh token');
  const rotations = new Map<string | undefined, Rotation>();

  /** The token is handed over before anything is done with what came with it. */
  const handOver = async (context: SecretContext, { token, answer }: Pending): Promise<ObtainedToken> => {
    try {
      await onRefreshToken(token, context);
    } catch (error) {
      throw new TokenFailure('transient', 'refresh_token_not_kept', 'gave a new refresh token that was not kept', {
        original: error,
      });
    }
    return { ...answer, nextOwner: [tokenEndpoint, token] };
  };

  return createTokenCredential(
    'oauth-refresh-token',
    async (context) => {
      const client = await readClient(context);
      const read = await readSecret('refreshToken', refreshToken, context);
      const rotation = rotations.get(context.tenant);
      // A secret manager may show the old one for a while: it is known what took its place.
      const token = rotation?.spent.has(read) ? rotation.current : read;
      const owner = [tokenEndpoint, token];

      const refresh = async (signal: AbortSignal): Promise<ObtainedToken> => {
        const parameters = { refresh_token: token, scope };
        const answer = await ask({ grantType: 'refresh_token', parameters, ...client }, signal);
        const next = answer.refreshToken;
        if (next === undefined || next === token) return answer;
        const pending = { token: next, answer };
        rotations.set(context.tenant, {
          current: next,
          spent: new Set([...(rotation?.spent ?? []), token, read].slice(-rememberedTokens)),
          pending,
        });
        return settle(pending);
      };
      const settle = async (pending: Pending): Promise<ObtainedToken> => {
        const obtained = await handOver(context, pending);
        const latest = rotations.get(context.tenant);
        if (latest?.pending === pending) rotations.set(context.tenant, { ...latest, pending: undefined });
        return obtained;
      };
      return {
        owner,
        secrets: [client.clientId, client.clientSecret ?? '', token],
        rotates: true,
        send: (signal) => {
          const pending = rotations.get(context.tenant)?.pending;
          return pending ? settle(pending) : refresh(signal);
        },
      };
    },
    options,
  );
};

/** An answer that is not waited for takes the next refresh token with it. */
const patience = { attemptTimeoutMs: 10_000, deadlineMs: 25_000 } as const;

interface Pending {
  readonly token: string;
  readonly answer: TokenAnswer;
}

interface Rotation {
  readonly current: string;
  readonly spent: ReadonlySet<string>;
  /** The answer whose refresh token `onRefreshToken` hasn't kept yet. */
  readonly pending: Pending | undefined;
}

const rememberedTokens = 10;

const optionNames: OptionNames<OauthRefreshTokenOptions> = {
  ...oauthClientNames,
  refreshToken: true,
  onRefreshToken: true,
  scope: true,
};
