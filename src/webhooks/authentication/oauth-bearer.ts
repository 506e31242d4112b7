import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown, type OptionNames } from '../../core/option-checks.ts';
import { parseBaseUrl } from '../../http/base-url.ts';
import { createJwtVerifier, type JwtClaims } from '../../auth/jwt.ts';
import { type Authentication, forbidden, unknownSender } from './method.ts';

/** Options of {@link oauthBearer}: the accepted tokens. */
export interface OauthBearerOptions {
  /** The required issuer of the token: its `iss`. */
  readonly issuer: string;
  /** The required audience: its `aud`, usually the address of this receiver. */
  readonly audience: string;
  /** The https address at which the issuer publishes its keys (RFC 7517), or the keys themselves. */
  readonly jwks: string | { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  /** Scopes that the token must all have, in `scope` or `scp`. @defaultValue none */
  readonly scopes?: readonly string[] | undefined;
  /** @defaultValue RS256, PS256, ES256, ES384, EdDSA */
  readonly algorithms?: readonly string[] | undefined;
  /** The difference allowed between the clocks of issuer and receiver. @defaultValue 30000 */
  readonly clockToleranceMs?: number | undefined;
  /** Reads the sender from the token. @defaultValue `client_id`, `azp` or `sub` */
  readonly sender?: ((claims: JwtClaims) => string | undefined) | undefined;
}

/**
 * The sender shows a token in `Authorization: Bearer` (RFC 6750): a JWT, checked against the published keys of its
 * issuer. Needs the package `jose`. Throws `InvalidArgumentError` for an address of keys that is not https.
 *
 * @example
 * const issuer = 'https://login.partner.example';
 * const bearer = oauthBearer({ issuer, audience: 'https://agent.example/hook', jwks: `${issuer}/jwks.json` });
 * const receive = createWebhookReceiver({ authentication: [bearer], events, on, store });
 */
export const oauthBearer = (options: OauthBearerOptions): Authentication => {
  assertKnown(options, optionNames);
  const { issuer, audience, jwks, scopes = [], clockToleranceMs = 30_000, sender = usualSender } = options;
  const { algorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'] } = options;
  if (!issuer) throw new InvalidArgumentError('issuer', 'must be given');
  if (!audience)
    throw new InvalidArgumentError('audience', 'must be given: a token for another receiver is no good here');
  if (algorithms.some((algorithm) => /^(HS|none)/i.test(algorithm)))
    throw new InvalidArgumentError('algorithms', 'must be public-key algorithms, such as RS256');
  const keys = typeof jwks === 'string' ? parseBaseUrl(jwks, { field: 'jwks' }) : jwks;
  const verify = createJwtVerifier({ issuer, audience, keys, algorithms, clockToleranceMs });
  return {
    method: 'oauth-bearer',
    step: 'credentials',
    isStrong: true,
    check: async ({ headers }) => {
      const token = /^bearer +([\w.~+/-]+=*)$/i.exec(headers.get('authorization') ?? '')?.[1];
      if (token === undefined) return unknownSender('token_missing');
      const claims = await verify(token);
      if (!claims) return unknownSender('token_invalid');
      const granted = scopesOf(claims);
      if (!scopes.every((scope) => granted.includes(scope))) return forbidden('token_scope');
      return { accepted: true, sender: sender(claims) };
    },
  };
};

const optionNames: OptionNames<OauthBearerOptions> = {
  issuer: true,
  audience: true,
  jwks: true,
  scopes: true,
  algorithms: true,
  clockToleranceMs: true,
  sender: true,
};

const usualSender = ({ client_id, azp, sub }: JwtClaims): string | undefined =>
  [client_id, azp, sub].find((claim) => typeof claim === 'string');

/** A text with spaces (RFC 8693, 4.2), or a list, as some issuers write it. */
const scopesOf = ({ scope, scp }: JwtClaims): readonly unknown[] => {
  const granted = scope ?? scp ?? [];
  return typeof granted === 'string' ? granted.split(' ') : Array.isArray(granted) ? granted : [];
};
