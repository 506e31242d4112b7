import type { Credential } from '../http/credential.ts';
import { fromSecret, type ReadSecret, type SecretOptions } from './secret-source.ts';

/**
 * `Authorization: Bearer <token>` (RFC 6750). The function is asked before each attempt, so a rotated token is used
 * at once; after a 401 the request is sent once more only if the function then gives another token.
 * Throws `InvalidArgumentError` for a literal string.
 *
 * @example
 * authenticate: bearer(() => secrets.read('messaging'))
 */
export const bearer = (readToken: ReadSecret, { id = 'bearer' }: SecretOptions = {}): Credential =>
  fromSecret('token', readToken, { id, toHeaders: (token) => ({ authorization: `Bearer ${token}` }) });
