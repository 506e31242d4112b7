import { InvalidArgumentError } from '../core/errors.ts';
import type { Credential, IssuedCredential } from '../http/credential.ts';
import { assertSecret, readSecrets, type Secret, type SecretContext, variablesOf } from '../core/secret.ts';

/** How a credential made of one secret is called. */
export interface SecretOptions {
  /** Its name in the audit events. @defaultValue 'bearer' or 'api-key' */
  readonly id?: string | undefined;
}

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
      const pending = renewing.get(tenant) ?? issue(context).finally(() => void renewing.delete(tenant));
      renewing.set(tenant, pending);
      const fresh = await pending;
      return fresh.secrets[0] === rejected.secrets[0] ? undefined : fresh;
    },
  };
};
