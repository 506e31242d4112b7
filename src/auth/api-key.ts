import { InvalidArgumentError } from '../core/errors.ts';
import type { Credential } from '../http/credential.ts';
import { assertKnown } from '../core/option-checks.ts';
import type { Secret } from '../core/secret.ts';
import { fromSecret, type SecretOptions } from './secret-source.ts';

/**
 * An API key in a header of the API's own naming. It's read before each attempt, as with `bearer`.
 * Throws `InvalidArgumentError` for a literal key and for a name that no header can have (RFC 9110, 5.1).
 *
 * @example
 * authenticate: apiKey('X-Api-Key', () => secrets.read('billing'))
 */
export const apiKey = (header: string, key: Secret, options: SecretOptions = {}): Credential => {
  assertKnown(options, { id: true });
  const { id = 'api-key' } = options;
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(header)) throw new InvalidArgumentError('header', 'must be a header name');
  const name = header.toLowerCase();
  return fromSecret('key', key, { id, toHeaders: (text) => ({ [name]: text }) });
};
