import { InvalidArgumentError } from '../core/errors.ts';
import type { Credential, IssuedCredential } from '../http/credential.ts';

/**
 * Several credentials on each request, such as a gateway's key and the API's token. Without any, requests carry none: for
 * an API that knows you by the client certificate of the `transport`.
 * After a 401 each of them is read again, and the request is sent again if one of them has changed.
 *
 * @example
 * authenticate: combined(apiKey('X-Gateway-Key', () => secrets.read('gateway')), bearer(() => secrets.read('billing')))
 */
export const combined = (...credentials: readonly Credential[]): Credential => {
  for (const credential of credentials)
    if (typeof credential?.read !== 'function')
      throw new InvalidArgumentError('credentials', "must be made by functions of 'voice-agent-integrations/auth'");
  const partsOf = new WeakMap<IssuedCredential, readonly IssuedCredential[]>();

  const join = (parts: readonly IssuedCredential[]): IssuedCredential => {
    const names = parts.flatMap(({ headers }) => Object.keys(headers));
    const double = names.find((name, index) => names.indexOf(name) !== index);
    if (double !== undefined)
      throw new InvalidArgumentError('authenticate', `has two credentials for the header ${double}`);
    const joined = {
      headers: Object.assign({}, ...parts.map(({ headers }) => headers)),
      secrets: parts.flatMap(({ secrets }) => secrets),
      variables: parts.flatMap(({ variables = [] }) => variables),
    };
    partsOf.set(joined, parts);
    return joined;
  };

  return {
    id: credentials.map(({ id = 'custom' }) => id).join('+') || 'none',
    read: async (context) => join(await Promise.all(credentials.map((each) => each.read(context)))),
    renew: async (rejected, context) => {
      const parts = partsOf.get(rejected) ?? [];
      const renewed = await Promise.all(parts.map(async (part, index) => credentials[index]?.renew(part, context)));
      if (renewed.every((part) => part === undefined)) return undefined;
      return join(parts.map((part, index) => renewed[index] ?? part));
    },
  };
};
