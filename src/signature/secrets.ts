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

/**
 * Reads secrets at the last moment: a function, or a list of functions with the newest secret first. Each gives one
 * secret, or several during a rotation.
 */
export type ReadSecrets<About = undefined> = SecretReader<About> | readonly SecretReader<About>[];

/** One function that reads a secret, or several. */
export type SecretReader<About = undefined> = (
  about: About,
) => Secret | readonly Secret[] | Promise<Secret | readonly Secret[]>;

/** All current secrets, the newest first. Throws `InvalidArgumentError` for one that is written in code. */
export const createSecretsReader = <About>(
  field: string,
  read: ReadSecrets<About>,
): ((about: About) => Promise<readonly Secret[]>) => {
  assertReadsSecrets(field, read);
  const readers = typeof read === 'function' ? [read] : read;
  return async (about) => {
    const found = await Promise.all(readers.map(async (each) => each(about)));
    const secrets = found.flat();
    for (const secret of secrets) {
      const value: unknown =
        typeof secret === 'string' ? secret : (secret as { readonly value?: unknown } | null)?.value;
      if (typeof value !== 'string' || value === '')
        throw new InvalidArgumentError(field, 'gave no secret: its function must return texts that are not empty');
    }
    return secrets;
  };
};

/** Throws `InvalidArgumentError` unless it is a function or a list of functions. */
export const assertReadsSecrets = (field: string, read: unknown): void => {
  const readers: readonly unknown[] = Array.isArray(read) ? read : [read];
  if (readers.length > 0 && readers.every((each) => typeof each === 'function')) return;
  throw new InvalidArgumentError(
    field,
    'must be a function that reads the secret, or a list of such functions, as in () => process.env.HOOK_SECRET: no secret stands in code',
  );
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
