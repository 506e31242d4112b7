import { InvalidArgumentError } from './errors.ts';

/**
 * Reads a secret at the last moment: from a secret manager, a file, an environment variable. It gets whose secret is
 * wanted, so that one function can serve many tenants. During a rotation it may return several, the newest first.
 */
export type ReadSecret = (context: SecretContext) => string | readonly string[] | Promise<string | readonly string[]>;

/** A secret: a function that reads it, or a list of them during a rotation, the newest first. */
export type Secret = ReadSecret | readonly ReadSecret[];

/** The owner of the wanted secret. */
export interface SecretContext {
  /** The tenant of the client or of the delivery. */
  readonly tenant?: string | undefined;
  /** The secret that the API has just refused with a 401. A function that keeps secrets asks for another one then. */
  readonly refused?: string | undefined;
}

/**
 * Reads a secret from an environment variable each time it's needed.
 * The function throws `InvalidArgumentError` naming the variable when it's missing or empty.
 *
 * @example
 * authenticate: bearer(fromEnv('CRM_TOKEN'))
 */
export const fromEnv = (name: string): (() => string) => secretOfVariable(name, () => globalThis.process?.env ?? {});

/** Reads a variable as {@link fromEnv} does, from another environment. {@link variablesOf} knows its name. */
export const secretOfVariable = (
  name: string,
  environment: () => Readonly<Record<string, string | undefined>>,
): (() => string) => {
  const read = () => {
    const value = environment()[name];
    if (value) return value;
    throw new InvalidArgumentError(
      name,
      'must be set in the environment, such as with node --env-file=.env: it is missing or empty',
    );
  };
  return Object.assign(read, { variable: name });
};

/** The environment variables that a secret is read from, as far as `fromEnv` reads it. */
export const variablesOf = (secret: Secret): readonly string[] =>
  [secret].flat().flatMap((read) => ('variable' in read && typeof read.variable === 'string' ? [read.variable] : []));

/** Throws `InvalidArgumentError` for a secret that's written in code instead of read by a function. */
export const assertSecret = (field: string, secret: unknown): void => {
  const readers: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (readers.length > 0 && readers.every((read) => typeof read === 'function')) return;
  throw new InvalidArgumentError(
    field,
    "must be a function that reads the secret, such as fromEnv('API_TOKEN'), or a list of such functions: no secret belongs in code",
  );
};

/** Serves those who read a variable by hand. */
const named = "fromEnv('API_TOKEN') names a variable that is missing";

/**
 * Returns what the functions give now, the newest first. An older secret that can't be read is left out: it may be gone.
 * Throws what the first function throws, and `InvalidArgumentError` when it gives an empty text.
 */
export const readSecrets = async (
  field: string,
  secret: Secret,
  { tenant, refused }: SecretContext = {},
): Promise<readonly string[]> => {
  const read = async (reader: ReadSecret): Promise<readonly string[]> => {
    const texts: readonly unknown[] = [await reader({ tenant, refused })].flat();
    return texts.map((text) => {
      if (typeof text === 'string' && text !== '') return text;
      throw new InvalidArgumentError(
        field,
        `gave no secret. Its function must return a text that is not empty. ${named}`,
      );
    });
  };
  const readers = typeof secret === 'function' ? [secret] : secret;
  const found = await Promise.all(
    readers.map((reader, index) => (index === 0 ? read(reader) : read(reader).catch(() => []))),
  );
  return found.flat();
};

/** The newest one alone: the functions after the first aren't called. Throws as {@link readSecrets}, and for none. */
export const readSecret = async (field: string, secret: Secret, context: SecretContext): Promise<string> => {
  const [newest] = await readSecrets(field, typeof secret === 'function' ? secret : secret.slice(0, 1), context);
  if (newest === undefined)
    throw new InvalidArgumentError(field, 'gave no secret. Its function returned an empty list');
  return newest;
};
