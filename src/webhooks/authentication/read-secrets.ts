import { InvalidArgumentError } from '../../errors.ts';
import type { Secret } from '../../signature/secrets.ts';
import type { Arrival } from '../peer.ts';

/**
 * Reads the secrets at the last moment, the newest first; several during a rotation. Of one tenant when the receiver
 * serves several: none of another's is ever tried.
 */
export type ReadSecrets = (about: {
  readonly tenant: string | undefined;
}) => Secret | readonly Secret[] | Promise<Secret | readonly Secret[]>;

/** Throws `InvalidArgumentError` for a literal secret, and when the address of a delivery has one in it. */
export const createSecretReader = (read: ReadSecrets): ((arrival: Arrival) => Promise<readonly Secret[]>) => {
  if (typeof read !== 'function')
    throw new InvalidArgumentError(
      'secrets',
      'must be a function that reads them, such as () => [process.env.HOOK_SECRET], so that no secret stands in code',
    );
  return async ({ tenant, url }) => {
    const given = await read({ tenant });
    const secrets: readonly Secret[] = Array.isArray(given) ? given : [given as Secret];
    for (const secret of secrets) {
      const value: unknown =
        typeof secret === 'string' ? secret : (secret as { readonly value?: unknown } | null)?.value;
      if (typeof value !== 'string' || value === '')
        throw new InvalidArgumentError('secrets', 'gave no secret: its function must return texts that are not empty');
      if (value.length >= shortestToLookFor && decoded(url).includes(value))
        throw new InvalidArgumentError(
          'url',
          'has a secret in it, which ends up in logs; give it to the sender for a header',
        );
    }
    return secrets;
  };
};

/** The secrets themselves. */
export const valuesOf = (secrets: readonly Secret[]): readonly string[] =>
  secrets.map((secret) => (typeof secret === 'string' ? secret : secret.value));

/** A shorter one may be a word of the path by chance. */
const shortestToLookFor = 8;

const decoded = ({ pathname, search }: URL): string => {
  try {
    return decodeURIComponent(pathname + search);
  } catch {
    return pathname + search;
  }
};
