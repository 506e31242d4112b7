import { InvalidArgumentError } from '../core/errors.ts';
import type { OptionNames } from '../core/option-checks.ts';
import { assertSecret, type ReadSecret, readSecret, type Secret, type SecretContext } from '../core/secret.ts';
import { type TokenOptions, tokenNames } from './token-credential.ts';
import { type TokenEndpointOptions, tokenEndpointNames } from './token-endpoint.ts';

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
