import { InvalidArgumentError } from '../errors.ts';
import type { Credential, IssuedCredential } from '../http/credential.ts';

/**
 * Reads a secret at the last moment: from a secret manager, a file, an environment variable. It is told whose secret is
 * wanted, so that one function can serve many tenants.
 */
export type ReadSecret = (context: SecretContext) => string | Promise<string>;

/** Whose secret is wanted. */
export interface SecretContext {
  /** The client's `tenant`. */
  readonly tenant?: string;
}

/** How a credential made of one secret is called. */
export interface SecretOptions {
  /** Its name in the audit events. @defaultValue 'bearer' or 'api-key' */
  readonly id?: string;
}

/** A credential made of one secret that is read anew for each attempt. */
export const fromSecret = (
  name: string,
  read: ReadSecret,
  { id, toHeaders }: { id: string; toHeaders: (secret: string) => Readonly<Record<string, string>> },
): Credential => {
  assertReader(name, read);

  // Most secrets are the same for a long time.
  let last: IssuedCredential | undefined;
  const issue = async (context: SecretContext): Promise<IssuedCredential> => {
    const secret = await readSecret(name, read, context);
    if (last?.secrets[0] === secret) return last;
    last = { headers: toHeaders(secret), secrets: [secret] };
    return last;
  };
  // Most secrets are never refused.
  let renewing: Map<string | undefined, Promise<IssuedCredential>> | undefined;

  return {
    id,
    read: (context) => issue(secretContext(context)),
    renew: async (rejected, context) => {
      const { tenant } = context;
      const ours = (renewing ??= new Map());
      const pending = ours.get(tenant) ?? issue(secretContext(context)).finally(() => void ours.delete(tenant));
      ours.set(tenant, pending);
      const fresh = await pending;
      return fresh.secrets[0] === rejected.secrets[0] ? undefined : fresh;
    },
  };
};

/** Throws `InvalidArgumentError` for a secret that stands in code instead of a function that reads it. */
export const assertReader = (name: string, read: unknown): void => {
  if (typeof read !== 'function')
    throw new InvalidArgumentError(
      name,
      'must be a function that reads the secret, such as () => process.env.API_TOKEN, so that no secret stands in code',
    );
};

/** What the function gives now. Throws `InvalidArgumentError` when that is no text, or an empty one. */
export const readSecret = (name: string, read: ReadSecret, context: SecretContext): string | Promise<string> => {
  const given = read(context);
  return typeof given === 'string'
    ? asSecret(name, given)
    : Promise.resolve(given).then((secret) => asSecret(name, secret));
};

const asSecret = (name: string, secret: unknown): string => {
  if (typeof secret !== 'string' || secret === '')
    throw new InvalidArgumentError(name, 'gave no secret: its function must return a text that is not empty');
  return secret;
};

/** Functions of the application are told no more than whose secret is wanted. */
export const secretContext = ({ tenant }: SecretContext): SecretContext => (tenant === undefined ? {} : { tenant });
