import { assertDuration } from '../core/timers.ts';
import { InvalidArgumentError } from '../core/errors.ts';
import type { Credential, CredentialContext, IssuedCredential } from '../http/credential.ts';
import { createJwtSigner, type SigningAlgorithm } from './jwt.ts';
import { assertKnown, type OptionNames } from '../core/option-checks.ts';
import { LRUCache } from 'lru-cache';
import { assertSecret, readSecret, type Secret } from '../core/secret.ts';
import { withoutUndefined } from '../core/without-undefined.ts';

/** Options of {@link signedJwt}: the key, and the claims. */
export interface SignedJwtOptions {
  /** The private key in PEM form; the shared secret for `HS256` and its like. Read for each attempt. */
  readonly key: Secret;
  /** @defaultValue 'RS256' */
  readonly algorithm?: SigningAlgorithm | `HS${256 | 384 | 512}` | undefined;
  /** `kid` in the header: which key it is. */
  readonly keyId?: string | undefined;
  /** `iss`: who we are to the API. */
  readonly issuer?: string | undefined;
  /** `sub`. */
  readonly subject?: string | undefined;
  /** `aud`: the API. */
  readonly audience?: string | undefined;
  /** Further claims; `iat` and `exp` are ours. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** At most an hour. @defaultValue 60000 */
  readonly lifetimeMs?: number | undefined;
  /** The name of the credential in audit events. @defaultValue 'signed-jwt' */
  readonly id?: string | undefined;
}

/**
 * A token that the application signs itself, short-lived, sent as `Authorization: Bearer`. One is used for three
 * quarters of its life; another key gives another token at once. Needs the package `jose`.
 * Throws `InvalidArgumentError` for a literal key.
 *
 * @example
 * authenticate: signedJwt({ key: () => secrets.read('billing-key'), issuer: 'voice-agent', audience: 'billing' })
 */
export const signedJwt = (options: SignedJwtOptions): Credential => {
  assertKnown(options, optionNames);
  const { key: readKey, algorithm = 'RS256', keyId, issuer, subject, audience, claims } = options;
  const { lifetimeMs = 60_000, id = 'signed-jwt' } = options;
  assertSecret('key', readKey);
  assertDuration('lifetimeMs', lifetimeMs);
  if (lifetimeMs > longestLifeMs) throw new InvalidArgumentError('lifetimeMs', 'must be at most an hour');
  const sign = createJwtSigner({ algorithm, keyName: 'key' });
  const latest = new LRUCache<string, Signed>({ ttl: Math.ceil(lifetimeMs), ttlAutopurge: true });

  const signNow = async (key: string): Promise<Signed> => {
    const iat = Math.floor(Date.now() / 1000);
    const exp = iat + Math.ceil(lifetimeMs / 1000);
    const named = withoutUndefined({ iss: issuer, sub: subject, aud: audience });
    const token = await sign({ ...claims, ...named, iat, exp }, { key, keyId });
    return { key, at: performance.now(), issued: { headers: { authorization: `Bearer ${token}` }, secrets: [token] } };
  };

  /** Younger than `maximumAgeMs`, signed now if there is none. */
  const tokenOf = async (context: CredentialContext, maximumAgeMs: number): Promise<IssuedCredential> => {
    const { tenant = '' } = context;
    const key = await readSecret('key', readKey, context);
    const known = latest.get(tenant);
    if (known && known.key === key && performance.now() - known.at < maximumAgeMs) return known.issued;
    const signed = await signNow(key);
    latest.set(tenant, signed);
    return signed.issued;
  };

  return {
    id,
    read: (context) => tokenOf(context, lifetimeMs * 0.75),
    // A token that was signed a moment ago would be refused again: only an older one, or another key, is worth it.
    renew: async (rejected, context) => {
      const issued = await tokenOf(context, lifetimeMs * 0.25);
      return issued.secrets[0] === rejected.secrets[0] ? undefined : issued;
    },
  };
};

interface Signed {
  readonly key: string;
  readonly at: number;
  readonly issued: IssuedCredential;
}

const longestLifeMs = 3_600_000;

const optionNames: OptionNames<SignedJwtOptions> = {
  key: true,
  algorithm: true,
  keyId: true,
  issuer: true,
  subject: true,
  audience: true,
  claims: true,
  lifetimeMs: true,
  id: true,
};
