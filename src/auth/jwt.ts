/** The one door to jose, an optional peer: it is loaded when the first token is read or signed. */
import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto';
import type * as Jose from 'jose';
import { InvalidArgumentError } from '../core/errors.ts';
import { oneOf } from '../core/option-checks.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

/** A set of public keys (RFC 7517): where it is published, or the set itself. */
export type KeySet = URL | { readonly keys: readonly Readonly<Record<string, unknown>>[] };

export interface JwtRules {
  /** The required issuer: `iss`. */
  readonly issuer: string;
  /** The required audience: `aud`. */
  readonly audience: string;
  readonly keys: KeySet;
  /** Only public-key algorithms: with a shared one, everyone who can verify can also issue. */
  readonly algorithms: readonly string[];
  /** The difference allowed between the clocks of issuer and receiver. */
  readonly clockToleranceMs: number;
}

/** The claims in a token. */
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
 * Rejects when the keys can't be fetched, and with `InvalidArgumentError` when jose is not installed.
 */
export const createJwtVerifier = ({ issuer, audience, keys, algorithms, clockToleranceMs }: JwtRules): VerifyJwt => {
  let loaded: Promise<{ jose: typeof Jose; getKey: Jose.JWTVerifyGetKey }> | undefined;
  const load = async () => {
    const jose = await loadJose('check');
    const getKey: Jose.JWTVerifyGetKey =
      keys instanceof URL
        ? jose.createRemoteJWKSet(keys, { timeoutDuration: 3_000, [jose.customFetch]: fetchKeySet })
        : jose.createLocalJWKSet({ keys: keys.keys.map((key) => ({ kty: '', ...key })) });
    return { jose, getKey };
  };

  return async (token) => {
    loaded ??= load();
    const { jose, getKey } = await loaded;
    const rules = {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: clockToleranceMs / 1000,
      currentDate: new Date(),
      requiredClaims: ['exp'],
    };
    const claimsWith = async (key: Jose.CryptoKey): Promise<JwtClaims> =>
      (await jose.jwtVerify(token, key, rules)).payload;
    try {
      const { payload } = await jose.jwtVerify(token, getKey, rules);
      return payload;
    } catch (error) {
      if (error instanceof jose.errors.JWKSMultipleMatchingKeys) return firstThatFits(error, claimsWith);
      if (error instanceof jose.errors.JOSEError && isAboutTheToken(error.code)) return undefined;
      throw error;
    }
  };
};

/** The token names no key and several could have signed it, as during a rotation: it's checked with one after the other. */
const firstThatFits = async (
  candidates: AsyncIterable<Jose.CryptoKey>,
  claimsWith: (key: Jose.CryptoKey) => Promise<JwtClaims>,
): Promise<JwtClaims | undefined> => {
  let tried = 0;
  for await (const key of candidates) {
    // Anyone can send such a token: it must not cost as many checks as there are published keys.
    if (tried === maximumCandidates) break;
    tried += 1;
    const claims = await claimsWith(key).catch(() => undefined);
    if (claims) return claims;
  }
  return undefined;
};

const maximumCandidates = 10;

/** A published key set is a few kilobytes; a larger answer than this is cut off, and its keys are unknown. */
const maximumKeySetBytes = 256 * 1024;

const fetchKeySet: Jose.FetchImplementation = async (url, options) => {
  const response = await fetch(url, options);
  if (response.status !== 200) {
    // jose refuses it unread, and a body that isn't read keeps its connection open.
    await response.body?.cancel();
    return response;
  }
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes > maximumKeySetBytes) controller.error(new Error(`the key set is above ${maximumKeySetBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(limit));
};

/** The other codes say that the keys couldn't be fetched. */
const isAboutTheToken = (code: string): boolean =>
  /^ERR_(JWT|JWS)_/.test(code) ||
  ['ERR_JOSE_ALG_NOT_ALLOWED', 'ERR_JOSE_NOT_SUPPORTED', 'ERR_JWKS_NO_MATCHING_KEY'].includes(code);

/** Signs claims with the key of this moment. Throws `InvalidArgumentError` for a key that is none, or not for this. */
export type SignJwt = (
  claims: Readonly<Record<string, unknown>>,
  options: { readonly key: string; readonly keyId?: string | undefined },
) => Promise<string>;

/** Algorithms with a private key (RFC 7518, 3.1). */
const privateKeyAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA'] as const;

/** The name of an algorithm with a private key. */
export type SigningAlgorithm = (typeof privateKeyAlgorithms)[number];

const signingAlgorithms: readonly string[] = [...privateKeyAlgorithms, 'HS256', 'HS384', 'HS512'];

/**
 * Makes signed tokens (RFC 7519). The key is a private one in PEM form, PKCS #8 or PKCS #1; for `HS256` and its like
 * it's the shared secret itself. Its line breaks may be written as `\n`, as in environment variables.
 */
export const createJwtSigner = ({ algorithm, keyName }: { algorithm: string; keyName: string }): SignJwt => {
  oneOf(algorithm, 'algorithm', signingAlgorithms)();
  // Reading a key costs more than signing with it.
  let latest: { readonly text: string; readonly key: KeyObject } | undefined;
  const keyOf = (text: string): KeyObject => {
    if (latest?.text === text) return latest.key;
    const key = algorithm.startsWith('HS') ? createSecretKey(text, 'utf8') : privateKeyOf(text, keyName);
    latest = { text, key };
    return key;
  };

  return async (claims, { key: text, keyId }) => {
    const jose = await loadJose('sign');
    const key = keyOf(text);
    const header = withoutUndefined({ alg: algorithm, typ: 'JWT', kid: keyId });
    return new jose.SignJWT({ ...claims })
      .setProtectedHeader(header)
      .sign(key)
      .catch((cause: unknown) => {
        throw new InvalidArgumentError(keyName, `must be a key that ${algorithm} can sign with`, { cause });
      });
  };
};

const privateKeyOf = (text: string, keyName: string): KeyObject => {
  try {
    return createPrivateKey(text.replaceAll('\\n', '\n'));
  } catch (cause) {
    throw new InvalidArgumentError(keyName, 'must be a private key in PEM form, without a passphrase', { cause });
  }
};

const loadJose = (verb: 'check' | 'sign'): Promise<typeof Jose> =>
  import('jose').catch((cause: unknown) => {
    throw new InvalidArgumentError('jose', `must be installed to ${verb} tokens: npm install jose`, { cause });
  });
