import type { Credential } from '../http/credential.ts';
import { assertKnown } from '../core/option-checks.ts';
import type { Secret } from '../core/secret.ts';
import { fromSecret, type SecretOptions } from './secret-source.ts';

/**
 * `Authorization: Bearer <token>` (RFC 6750). The token is read before each attempt, so a rotated one is used at once.
 * After a 401 it's read again, and the request is sent again if there is another token: a new one, or the next one of
 * a list. Throws `InvalidArgumentError` for a literal string.
 *
 * @example
 * authenticate: bearer(() => secrets.read('messaging'))
 */
export const bearer = (token: Secret, options: SecretOptions = {}): Credential => {
  assertKnown(options, { id: true });
  const { id = 'bearer' } = options;
  return fromSecret('token', token, { id, toHeaders: (text) => ({ authorization: `Bearer ${text}` }) });
};
