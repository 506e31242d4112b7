import { assertDuration } from '../core/timers.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown, must, type OptionNames } from '../core/option-checks.ts';
import { createJwtSigner, type SigningAlgorithm } from './jwt.ts';
import { assertSecret, type ReadSecret, readSecret, type Secret } from '../core/secret.ts';
import { createTokenCredential, type TokenCredential, tokenNames, type TokenOptions } from './token-credential.ts';
import { createTokenEndpoint, tokenEndpointNames, type TokenEndpointOptions } from './token-endpoint.ts';

/** Options of {@link jwtBearer}: the client, the user that it acts for, and the key that signs. */
export interface JwtBearerOptions extends Omit<TokenEndpointOptions, 'clientAuthentication'>, TokenOptions {
  /** `iss`: the application, such as the consumer key of a Salesforce app. */
  readonly clientId: ReadSecret;
  /** `sub`: on whose behalf, such as the username of the integration user. */
  readonly subject: string | ReadSecret;
  /** `aud`: the token endpoint's own name, such as `https://login.salesforce.com`. */
  readonly audience: string;
  /** In PEM form: PKCS #8 or PKCS #1. */
  readonly privateKey: Secret;
  /** `kid` in the header of the assertion. */
  readonly keyId?: string | undefined;
  /** @defaultValue 'RS256' */
  readonly algorithm?: SigningAlgorithm | undefined;
  /** The life of an assertion. The token that it's traded for has a life of its own. @defaultValue 180000 */
  readonly assertionLifetimeMs?: number | undefined;
  readonly scope?: string | undefined;
}

/**
 * Trades a signed assertion for an access token (RFC 7523, 2.1), as a Salesforce integration user does: no secret leaves
 * the application. Needs the packages `oauth4webapi` and `jose`. The key is read for each request for a token, so that a
 * rotated one is used by the next.
 * Throws `InvalidArgumentError` for a literal key and for an address that an assertion must not be sent to.
 *
 * @example
 * authenticate: jwtBearer({
 *   tokenEndpoint: 'https://login.salesforce.com/services/oauth2/token',
 *   audience: 'https://login.salesforce.com',
 *   clientId: () => secrets.read('consumer-key'),
 *   subject: 'agent@northwind.example',
 *   privateKey: () => secrets.read('salesforce-private-key'),
 * })
 */
export const jwtBearer = (options: JwtBearerOptions): TokenCredential => {
  assertKnown(options, optionNames);
  const { tokenEndpoint, clientId, subject, audience, privateKey, keyId, scope } = options;
  const { algorithm = 'RS256', assertionLifetimeMs = 180_000 } = options;
  const ask = createTokenEndpoint(options);
  assertSecret('clientId', clientId);
  assertSecret('privateKey', privateKey);
  if (!audience) throw new InvalidArgumentError('audience', 'must be given');
  if (!subject) throw new InvalidArgumentError('subject', 'must be given');
  assertDuration('assertionLifetimeMs', assertionLifetimeMs);
  const sign = createJwtSigner({ algorithm, keyName: 'privateKey' });
  must(!algorithm.startsWith('HS'), 'algorithm', 'must be a public-key algorithm, such as RS256')();
  const readSubject = typeof subject === 'string' ? () => subject : subject;

  return createTokenCredential(
    'jwt-bearer',
    async (context) => {
      const issuer = await readSecret('clientId', clientId, context);
      const sub = await readSecret('subject', readSubject, context);
      const key = await readSecret('privateKey', privateKey, context);
      return {
        owner: [tokenEndpoint, issuer, sub, scope ?? ''],
        secrets: [issuer, sub, key],
        send: async (signal) => {
          const now = Math.floor(Date.now() / 1000);
          const exp = now + Math.ceil(assertionLifetimeMs / 1000);
          const assertion = await sign({ iss: issuer, sub, aud: audience, iat: now, exp }, { key, keyId });
          return ask({ grantType, parameters: { assertion, scope }, clientId: issuer }, signal);
        },
      };
    },
    options,
  );
};

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const { clientAuthentication: _none, ...endpointNames } = tokenEndpointNames;

const optionNames: OptionNames<JwtBearerOptions> = {
  ...endpointNames,
  ...tokenNames,
  clientId: true,
  subject: true,
  audience: true,
  privateKey: true,
  keyId: true,
  algorithm: true,
  assertionLifetimeMs: true,
  scope: true,
};
