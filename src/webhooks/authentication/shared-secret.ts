import { InvalidArgumentError } from '../../core/errors.ts';
import { assertHeaderName } from '../../http/request.ts';
import { assertKnown } from '../../core/option-checks.ts';
import type { Secret } from '../../core/secret.ts';
import { isOneOf } from '../../signature/secrets.ts';
import { type Authentication, unknownSender } from './method.ts';
import { createSecretReader } from './read-secrets.ts';

/** The secret that a sender repeats, and where. */
export interface SharedSecretOptions {
  /** The header that carries the secret itself. In `authorization`, the word `Bearer` may be before it. */
  readonly header: string;
  /** Read for each delivery, so that a rotated secret counts at once: a function, or a list of them, the newest first. */
  readonly secrets: Secret;
  /** The sender that has this secret; business rules see it. */
  readonly sender?: string | undefined;
}

/**
 * The sender repeats a secret in a header. Weaker than a signature: it does not cover the body, and anyone who sees one
 * delivery can make others. Compared in constant time.
 * Throws `InvalidArgumentError` for a place in the URL: a secret there ends up in logs.
 *
 * @example
 * informational: true,
 * authentication: [sharedSecret({ header: 'x-partner-token', secrets: () => secrets.read('partner') })],
 */
export const sharedSecret = (options: SharedSecretOptions): Authentication => {
  const { header, secrets, sender, ...rest } = options;
  const other = Object.keys(rest).find((name) => /query|param|path|url/i.test(name));
  if (other !== undefined)
    throw new InvalidArgumentError(other, 'is not a place for a secret: it belongs in a header, never in the URL');
  assertKnown(options, { header: true, secrets: true, sender: true });
  if (typeof header !== 'string') throw new InvalidArgumentError('header', 'must be the name of a header');
  assertHeaderName(header);
  const read = createSecretReader(secrets);
  return {
    method: 'shared-secret',
    step: 'credentials',
    isStrong: false,
    check: async (delivery) => {
      const known = await read(delivery);
      const value = delivery.headers.get(header) ?? '';
      const text = /^authorization$/i.test(header) ? value.replace(/^bearer +/i, '') : value;
      return isOneOf(text, known)
        ? { accepted: true, sender, secrets: known }
        : unknownSender('shared_secret_mismatch');
    },
  };
};
