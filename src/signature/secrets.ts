import { createSecretKey, type KeyObject } from 'node:crypto';
import { InvalidArgumentError } from '../errors.ts';
import type { SignatureScheme } from './scheme.ts';

/** A shared secret, perhaps one that is on its way out. */
export type Secret =
  | string
  | {
      readonly value: string;
      /** Not used from this moment on; milliseconds since 1970. */
      readonly expiresAt?: number;
    };

/** Turns the text of a secret into what an HMAC takes. */
export type ToKey = (secret: string) => KeyObject | string;

/** The text of a secret, `undefined` once it has expired. */
export const activeText = (secret: Secret, now: number): string | undefined => {
  if (typeof secret === 'string') return secret;
  return secret.expiresAt === undefined || now < secret.expiresAt ? secret.value : undefined;
};

/** The texts of the secrets that have not expired, in their order: the newest first. */
export const activeSecrets = (secrets: readonly Secret[], now: number): readonly string[] =>
  secrets.map((secret) => activeText(secret, now)).filter((text) => text !== undefined);

/**
 * For many signatures: each key is made once, since making it costs as much as signing a short body.
 * Throws `InvalidArgumentError` for a secret that cannot be meant; the message never repeats it.
 */
export const createToKey = (scheme: SignatureScheme): ToKey => {
  const keys = new Map<string, KeyObject>();
  return (secret) => {
    const known = keys.get(secret);
    if (known) return known;
    const key = createSecretKey(bytesOf(secret, scheme));
    const [oldest] = keys.keys();
    if (keys.size >= keptKeys && oldest !== undefined) keys.delete(oldest);
    keys.set(secret, key);
    return key;
  };
};

/** For one signature: a text stays a text, which Node takes faster than its bytes. Throws as {@link createToKey}. */
export const toKeyOnce =
  (scheme: SignatureScheme): ToKey =>
  (secret) => {
    if (scheme.base64SecretPrefix !== undefined) return createSecretKey(bytesOf(secret, scheme));
    assertText(secret);
    return secret;
  };

/** Enough for the secrets of many tenants, and rotated ones do not stay for ever. */
const keptKeys = 1_000;

const bytesOf = (secret: string, { base64SecretPrefix }: SignatureScheme): Buffer => {
  assertText(secret);
  if (base64SecretPrefix === undefined) return Buffer.from(secret, 'utf8');
  const text = secret.startsWith(base64SecretPrefix) ? secret.slice(base64SecretPrefix.length) : secret;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || withoutPadding(bytes.toString('base64')) !== withoutPadding(text))
    throw refused(`must be base64, perhaps behind ${base64SecretPrefix}`);
  return bytes;
};

const assertText = (secret: string): void => {
  if (typeof secret !== 'string' || secret === '') throw refused('must be a text that is not empty');
  if (secret.trim() !== secret)
    throw refused('must not begin or end with white space; a secret read from a file often ends with a line break');
};

const withoutPadding = (base64: string): string => base64.replace(/={1,2}$/, '');

const refused = (problem: string) => new InvalidArgumentError('secret', problem);
