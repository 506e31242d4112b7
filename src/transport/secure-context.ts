import { createSecureContext, type SecureContext } from 'node:tls';
import { AuthenticationError, InvalidArgumentError } from '../errors.ts';
import { given } from '../given.ts';

/** Reads a text at the last moment: from a secret manager, a file, an environment variable. */
export type ReadPem = () => string | Promise<string>;

/** Who the server must be, and who we are to it. */
export interface TlsOptions {
  /**
   * Reads the client's certificate in PEM, with the chain behind it. Asked before each request together with `key`: when
   * one of them changes, new connections show the new certificate and the old ones are closed once they are free.
   */
  readonly certificate?: ReadPem | undefined;
  /** Reads the private key of `certificate` in PEM. A function, so that no key stands in code. */
  readonly key?: ReadPem | undefined;
  /** Reads the passphrase of `key`. */
  readonly passphrase?: ReadPem | undefined;
  /** The authorities to trust instead of Node's own list, in PEM; a function when they may change. */
  readonly ca?: string | readonly string[] | ReadPem | undefined;
  /** @defaultValue 'TLSv1.2' */
  readonly minVersion?: 'TLSv1.2' | 'TLSv1.3' | undefined;
  /** The name that the server's certificate must be for. @defaultValue the host of the address */
  readonly servername?: string | undefined;
}

/**
 * Gives the TLS context of the moment: the same one as long as the material is the same.
 * While certificate and key do not fit together, as when a rotation is half done, the last pair that did is kept.
 */
export type SecureContextSource = (operation: string) => SecureContext | Promise<SecureContext>;

/** Throws `InvalidArgumentError` for a literal key or certificate, and for one without the other. */
export const createSecureContextSource = (options: TlsOptions): SecureContextSource => {
  assertTlsOptions(options);
  let current: { readonly material: Material; readonly context: SecureContext } | undefined;
  const neverChanges = !options.certificate && typeof options.ca !== 'function';

  const refresh = async (operation: string): Promise<SecureContext> => {
    const material = await readMaterial(options, operation);
    if (current && isSame(current.material, material)) return current.context;
    try {
      current = {
        material,
        context: createSecureContext({ ...material, minVersion: options.minVersion ?? 'TLSv1.2' }),
      };
    } catch (error) {
      if (current && codeOf(error) === keyMismatch) return current.context;
      throw unusable(operation, problemOf(codeOf(error)), error);
    }
    return current.context;
  };
  return (operation) => (neverChanges && current ? current.context : refresh(operation));
};

interface Material {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly passphrase?: string | undefined;
  readonly ca?: string | string[] | undefined;
}

const assertTlsOptions = ({ certificate, key, passphrase, ca }: TlsOptions): void => {
  for (const [name, read] of Object.entries({ certificate, key, passphrase })) {
    if (read !== undefined && typeof read !== 'function')
      throw new InvalidArgumentError(
        `tls.${name}`,
        `must be a function that reads it, such as () => secrets.read('${name}'), so that no secret stands in code`,
      );
  }
  if ((certificate === undefined) !== (key === undefined))
    throw new InvalidArgumentError(
      certificate === undefined ? 'tls.certificate' : 'tls.key',
      'must be given too: a certificate and its key are of use only together',
    );
  if (typeof ca !== 'function' && ca !== undefined && !listOf(ca).every(isCertificate))
    throw new InvalidArgumentError('tls.ca', 'must be certificates in PEM');
};

const readMaterial = async ({ certificate, key, passphrase, ca }: TlsOptions, operation: string): Promise<Material> => {
  const [cert, privateKey, phrase, authorities] = await Promise.all([
    readText(certificate, { name: 'certificate', isRight: isCertificate, operation }),
    readText(key, { name: 'key', isRight: isPrivateKey, operation }),
    readText(passphrase, { name: 'passphrase', isRight: (text) => text !== '', operation }),
    typeof ca === 'function' ? readText(ca, { name: 'ca', isRight: isCertificate, operation }) : ca,
  ]);
  return given({
    cert,
    key: privateKey,
    passphrase: phrase,
    ca: typeof authorities === 'object' ? [...authorities] : authorities,
  });
};

const readText = async (
  read: ReadPem | undefined,
  { name, isRight, operation }: { name: string; isRight: (text: string) => boolean; operation: string },
): Promise<string | undefined> => {
  if (!read) return undefined;
  let text: unknown;
  try {
    text = await read();
  } catch (error) {
    throw unusable(operation, `tls.${name} could not be read`, error);
  }
  if (typeof text === 'string' && isRight(text)) return text;
  throw unusable(operation, `tls.${name} gave ${name === 'passphrase' ? 'no text' : 'nothing in PEM'}`);
};

const isCertificate = (text: string): boolean => text.includes('-----BEGIN CERTIFICATE-----');

const isPrivateKey = (text: string): boolean => /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/.test(text);

const isSame = (one: Material, other: Material): boolean =>
  one.cert === other.cert &&
  one.key === other.key &&
  one.passphrase === other.passphrase &&
  listOf(one.ca).join('\n') === listOf(other.ca).join('\n');

const listOf = (ca: string | readonly string[] | undefined): readonly string[] =>
  typeof ca === 'string' ? [ca] : (ca ?? []);

const keyMismatch = 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';

const problemOf = (code: string | undefined): string => {
  if (code === keyMismatch) return 'tls.key does not belong to tls.certificate';
  if (/BAD_DECRYPT|INTERRUPTED_OR_CANCELLED|MISSING_PASSPHRASE/.test(code ?? ''))
    return 'tls.key is encrypted, and tls.passphrase does not open it';
  return 'tls.certificate, tls.key or tls.ca cannot be used';
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

const unusable = (operation: string, problem: string, cause?: unknown): AuthenticationError =>
  new AuthenticationError(`${operation} was not sent: ${problem}`, { operation, cause });
