import { createHash, timingSafeEqual } from 'node:crypto';
import { InvalidArgumentError } from '../../errors.ts';

/** Reads a secret when it is needed; several while one is being exchanged for another. */
export type ReadSecrets = () => string | readonly string[] | Promise<string | readonly string[]>;

/**
 * The secrets to compare with, read anew. Throws `InvalidArgumentError` when there is none, since an empty secret would
 * let everybody in.
 */
export const readSecrets = async (name: string, read: ReadSecrets): Promise<readonly string[]> => {
  const given: unknown = await read();
  const secrets: readonly unknown[] = Array.isArray(given) ? given : [given];
  const usable = secrets.filter((secret): secret is string => typeof secret === 'string' && secret !== '');
  if (usable.length === 0 || usable.length < secrets.length)
    throw new InvalidArgumentError(name, 'gave no secret: its function must return a text that is not empty');
  return usable;
};

/** Throws `InvalidArgumentError` for a literal, so that no secret stands in code. */
export const assertReadsSecrets = (name: string, read: unknown): void => {
  if (typeof read === 'function') return;
  throw new InvalidArgumentError(
    name,
    'must be a function that reads the secret, such as () => process.env.API_TOKEN, so that no secret stands in code',
  );
};

/** Takes the same time for every text of one length, however much of it is right. */
export const isOneOf = (given: string, expected: readonly string[]): boolean =>
  expected.map((one) => timingSafeEqual(digest(given), digest(one))).includes(true);

/** Of one length, so that they can be compared whatever the texts are. */
const digest = (text: string) => createHash('sha256').update(text).digest();
