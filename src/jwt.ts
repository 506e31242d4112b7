/** The one door to jose, an optional peer: it is loaded when the first token is read. */
import type * as Jose from 'jose';
import { type Clock, systemClock } from './clock.ts';
import { InvalidArgumentError } from './errors.ts';

/** A set of public keys (RFC 7517): where it is published, or the set itself. */
export type KeySet = URL | { readonly keys: readonly Readonly<Record<string, unknown>>[] };

export interface JwtRules {
  /** Who must have issued it: `iss`. */
  readonly issuer: string;
  /** Whom it must be meant for: `aud`. */
  readonly audience: string;
  readonly keys: KeySet;
  /** Only public-key algorithms: with a shared one, whoever can verify can also issue. */
  readonly algorithms: readonly string[];
  /** How far the clocks of issuer and receiver may differ. */
  readonly clockToleranceMs: number;
  readonly clock?: Clock;
}

/** What a token says. */
export interface JwtClaims {
  readonly sub?: string | undefined;
  readonly exp?: number | undefined;
  readonly [claim: string]: unknown;
}

/** The claims of a token that holds, `undefined` for one that does not. */
export type VerifyJwt = (token: string) => Promise<JwtClaims | undefined>;

/**
 * Checks signed tokens (RFC 7519): signature, issuer, audience, and an expiry, which must be there.
 * Published keys are fetched when they are first needed, kept, and fetched again for an unknown key id.
 * Rejects when the keys cannot be had, and with `InvalidArgumentError` when jose is not installed.
 */
export const createJwtVerifier = ({
  issuer,
  audience,
  keys,
  algorithms,
  clockToleranceMs,
  clock = systemClock,
}: JwtRules): VerifyJwt => {
  let loaded: Promise<{ jose: typeof Jose; getKey: Jose.JWTVerifyGetKey }> | undefined;
  const load = async () => {
    const jose = await import('jose').catch((cause: unknown) => {
      throw new InvalidArgumentError('jose', 'must be installed to check tokens: npm install jose', { cause });
    });
    const getKey: Jose.JWTVerifyGetKey =
      keys instanceof URL
        ? jose.createRemoteJWKSet(keys, { timeoutDuration: 3_000 })
        : jose.createLocalJWKSet({ keys: keys.keys.map((key) => ({ kty: '', ...key })) });
    return { jose, getKey };
  };

  return async (token) => {
    loaded ??= load();
    const { jose, getKey } = await loaded;
    try {
      const { payload } = await jose.jwtVerify(token, getKey, {
        issuer,
        audience,
        algorithms: [...algorithms],
        clockTolerance: clockToleranceMs / 1000,
        currentDate: new Date(clock.wallNow()),
        requiredClaims: ['exp'],
      });
      return payload;
    } catch (error) {
      if (error instanceof jose.errors.JOSEError && isAboutTheToken(error.code)) return undefined;
      throw error;
    }
  };
};

/** The other codes say that the keys could not be had. */
const isAboutTheToken = (code: string): boolean =>
  /^ERR_(JWT|JWS)_/.test(code) ||
  ['ERR_JOSE_ALG_NOT_ALLOWED', 'ERR_JOSE_NOT_SUPPORTED', 'ERR_JWKS_NO_MATCHING_KEY'].includes(code);
