import { InvalidArgumentError } from '../core/errors.ts';
import { assertSpelled, type OptionNames } from '../core/option-checks.ts';
import { assertSecret, type ReadSecret, readSecret, type Secret, type SecretContext } from '../core/secret.ts';
import { createTokenCredential, type TokenCredential, tokenNames, type TokenOptions } from './token-credential.ts';
import { createTokenEndpoint, tokenEndpointNames, type TokenEndpointOptions } from './token-endpoint.ts';

/** Options of {@link oauthClientCredentials}. */
export interface OauthClientCredentialsOptions extends OauthClientOptions {
  /** Space between several. @defaultValue what the endpoint gives by itself */
  readonly scope?: string | undefined;
}

/**
 * Gets the application's own token (RFC 6749, 4.4) when it's first needed, and shares it between all calls. Renews it
 * before a known expiry and after a 401. Needs the package `oauth4webapi`. Throws `InvalidArgumentError` for a literal
 * secret and for an address that a secret must not be sent to.
 *
 * @example
 * authenticate: oauthClientCredentials({
 *   tokenEndpoint: 'https://login.example.com/oauth2/token',
 *   clientId: () => secrets.read('billing-client-id'),
 *   clientSecret: () => secrets.read('billing-client-secret'),
 * })
 */
export const oauthClientCredentials = (options: OauthClientCredentialsOptions): TokenCredential => {
  // `salesforceLogin` has an `audience` too.
  assertSpelled<OauthClientCredentialsOptions>(options, { ...oauthClientNames, scope: true });
  const { tokenEndpoint, scope, parameters } = options;
  const ask = createTokenEndpoint(options);
  const readClient = clientReader(options);
  return createTokenCredential(
    'oauth-client-credentials',
    async (context) => {
      const client = await readClient(context);
      return {
        owner: [tokenEndpoint, client.clientId, scope ?? '', JSON.stringify(parameters ?? {})],
        secrets: [client.clientId, client.clientSecret ?? ''],
        send: (signal) => ask({ grantType: 'client_credentials', parameters: { scope }, ...client }, signal),
      };
    },
    options,
  );
};

/** The application as a token endpoint knows it. */
export interface OauthClientOptions extends TokenEndpointOptions, TokenOptions {
  readonly clientId: ReadSecret;
  /** Left out by a public client, and where a client certificate takes its place. */
  readonly clientSecret?: Secret | undefined;
}

/** The names of {@link OauthClientOptions}. */
export const oauthClientNames: OptionNames<OauthClientOptions> = {
  ...tokenEndpointNames,
  ...tokenNames,
  clientId: true,
  clientSecret: true,
};

/** Reads both for each request, so that a rotated secret is used by the next one. */
export const clientReader = ({
  clientId,
  clientSecret,
  clientAuthentication,
}: Pick<OauthClientOptions, 'clientId' | 'clientSecret' | 'clientAuthentication'>) => {
  assertSecret('clientId', clientId);
  if (clientSecret !== undefined) assertSecret('clientSecret', clientSecret);
  else if (clientAuthentication !== undefined && clientAuthentication !== 'none')
    throw new InvalidArgumentError('clientSecret', `must be given for clientAuthentication ${clientAuthentication}`);
  return async (context: SecretContext): Promise<{ clientId: string; clientSecret: string | undefined }> => ({
    clientId: await readSecret('clientId', clientId, context),
    clientSecret: clientSecret && (await readSecret('clientSecret', clientSecret, context)),
  });
};
