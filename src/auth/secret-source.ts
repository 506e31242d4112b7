import { InvalidArgumentError } from '../errors.ts';
import type { Credential, IssuedCredential } from '../http/credential.ts';

/** Reads a secret at the last moment: from a secret manager, a file, an environment variable. */
export type ReadSecret = () => string | Promise<string>;

/** A credential made of one secret that is read anew for each attempt. */
export const fromSecret = (
  name: string,
  read: ReadSecret,
  toHeaders: (secret: string) => Readonly<Record<string, string>>,
): Credential => {
  if (typeof read !== 'function')
    throw new InvalidArgumentError(
      name,
      'must be a function that reads the secret, such as () => process.env.API_TOKEN, so that no secret stands in code',
    );

  const issue = async (): Promise<IssuedCredential> => {
    const secret: unknown = await read();
    if (typeof secret !== 'string' || secret === '')
      throw new InvalidArgumentError(name, 'gave no secret: its function must return a text that is not empty');
    return { headers: toHeaders(secret), secrets: [secret] };
  };
  let renewing: Promise<IssuedCredential> | undefined;

  return {
    read: issue,
    renew: async (rejected) => {
      renewing ??= issue().finally(() => {
        renewing = undefined;
      });
      const fresh = await renewing;
      return fresh.secrets[0] === rejected.secrets[0] ? undefined : fresh;
    },
  };
};
