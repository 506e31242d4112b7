import { InvalidArgumentError } from '../../core/errors.ts';
import { assertSecret, readSecrets, type Secret } from '../../core/secret.ts';
import type { DeliveryRequest } from '../peer.ts';

/** Throws `InvalidArgumentError` for a literal secret, and when the address of a delivery has one in it. */
export const createSecretReader = (secret: Secret): ((delivery: DeliveryRequest) => Promise<readonly string[]>) => {
  assertSecret('secrets', secret);
  return async ({ tenant, url }) => {
    const secrets = await readSecrets('secrets', secret, { tenant });
    for (const value of secrets) {
      if (value.length >= shortestToLookFor && decoded(url).includes(value))
        throw new InvalidArgumentError(
          'url',
          'has a secret in it, which ends up in logs; give it to the sender for a header',
        );
    }
    return secrets;
  };
};

/** A shorter one may be a word of the path by chance. */
const shortestToLookFor = 8;

const decoded = ({ pathname, search }: URL): string => {
  try {
    return decodeURIComponent(pathname + search);
  } catch {
    return pathname + search;
  }
};
