import { InvalidArgumentError } from '../../errors.ts';
import { createSecretsReader, type ReadSecrets, type Secret } from '../../signature/secrets.ts';
import type { Arrival } from '../peer.ts';

/** Whose secrets are wanted: none of another tenant is ever tried. */
export interface SecretsOwner {
  readonly tenant: string | undefined;
}

/** Throws `InvalidArgumentError` for a literal secret, and when the address of a delivery has one in it. */
export const createSecretReader = (
  read: ReadSecrets<SecretsOwner>,
): ((arrival: Arrival) => Promise<readonly Secret[]>) => {
  const readAll = createSecretsReader('secrets', read);
  return async ({ tenant, url }) => {
    const secrets = await readAll({ tenant });
    for (const value of valuesOf(secrets)) {
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
