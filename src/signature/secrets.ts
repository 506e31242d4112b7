import { hash, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { InvalidArgumentError } from '../core/errors.ts';
import type { SignatureScheme } from './scheme.ts';

/**
 * Returns what an HMAC takes for the text of a secret.
 * Throws `InvalidArgumentError` for a secret that can't be meant; the message never repeats it.
 */
export const toKey = (secret: string, { base64SecretPrefix }: SignatureScheme): KeyObject | string => {
  if (typeof secret !== 'string' || secret === '') throw refused('must be a text that is not empty');
  if (secret.trim() !== secret)
    throw refused('must not begin or end with white space; a secret read from a file often ends with a line break');
  if (base64SecretPrefix === undefined) return secret;
  const text = secret.startsWith(base64SecretPrefix) ? secret.slice(base64SecretPrefix.length) : secret;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || withoutPadding(bytes.toString('base64')) !== withoutPadding(text))
    throw refused(`must be base64, perhaps behind ${base64SecretPrefix}`);
  return createSecretKey(bytes);
};

const withoutPadding = (base64: string): string => base64.replace(/={1,2}$/, '');

const refused = (problem: string) => new InvalidArgumentError('secret', problem);

/** Returns whether a text is one of the secrets. Takes the same time however much of it is right. */
export const isOneOf = (text: string, secrets: readonly string[]): boolean =>
  secrets.map((secret) => timingSafeEqual(digest(text), digest(secret))).includes(true);

/** Makes digests of one length, so that any two texts can be compared. */
const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
