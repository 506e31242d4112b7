import { InvalidArgumentError } from '../core/errors.ts';
import { assertKnown } from '../core/option-checks.ts';
import { assertSecret, readSecrets, type Secret, type SecretContext, variablesOf } from '../core/secret.ts';
import type { Credential, IssuedCredential } from '../http/credential.ts';

/** Options of `bearer` and `apiKey`. */
export interface SecretOptions {
  /** Its name in the audit events. @defaultValue 'bearer' or 'api-key' */
  readonly id?: string | undefined;
}

/**
 * Sends `Authorization: Bearer <token>` (RFC 6750). The token is read before each attempt, so a rotated one is used at
 * once. After a 401 it's read again with `refused`, and the request is sent again if the token is another one. Throws
 * `InvalidArgumentError` for a literal string.
 *
 * @example
 * authenticate: bearer(() => secrets.read('messaging'))
 */
export const bearer = (token: Secret, options: SecretOptions = {}): Credential => {
  assertKnown(options, { id: true });
  const { id = 'bearer' } = options;
  return fromSecret('token', token, { id, toHeaders: (text) => ({ authorization: `Bearer ${text}` }) });
};

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

/** A credential made of one secret that is read for each attempt. After a 401, the next one of a list is used. */
export const fromSecret = (
  name: string,
  secret: Secret,
  { id, toHeaders }: { id: string; toHeaders: (secret: string) => Readonly<Record<string, string>> },
): Credential => {
  assertSecret(name, secret);
  const variables = variablesOf(secret);

  // Most secrets are the same for a long time.
  let last: IssuedCredential | undefined;
  let refused: string | undefined;
  const issue = async (context: SecretContext): Promise<IssuedCredential> => {
    const texts = await readSecrets(name, secret, context);
    const text = texts.find((each) => each !== refused) ?? texts[0];
    if (text === undefined) throw new InvalidArgumentError(name, 'gave no secret. Its function returned an empty list');
    if (last?.secrets[0] === text) return last;
    last = { headers: toHeaders(text), secrets: [text], variables };
    return last;
  };
  const renewing = new Map<string | undefined, Promise<IssuedCredential>>();

  return {
    id,
    read: issue,
    renew: async (rejected, context) => {
      const { tenant } = context;
      [refused] = rejected.secrets;
      const pending = renewing.get(tenant) ?? issue({ tenant, refused }).finally(() => void renewing.delete(tenant));
      renewing.set(tenant, pending);
      const fresh = await pending;
      return fresh.secrets[0] === rejected.secrets[0] ? undefined : fresh;
    },
  };
};
