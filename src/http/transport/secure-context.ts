import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { AuthenticationError, InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown, oneOf, type OptionNames } from '../../core/option-checks.ts';
import { withoutUndefined } from '../../core/without-undefined.ts';

/** Reads a text when it's needed: from a secret manager, a file, an environment variable. */
export type ReadPem = () => string | Promise<string>;

/** The servers to trust, and the certificate to show them. */
export interface TlsOptions {
  /**
   * Reads the client's certificate in PEM, with the chain after it. Called before each request together with `key`.
   * When one of them changes, new connections show the new certificate. The old ones close once they're free.
   */
  readonly certificate?: ReadPem | undefined;
  /** Reads the private key of `certificate` in PEM. A function, so that no key ends up in code. */
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
 * Gives the current TLS context: the same one as long as the material is the same. While certificate and key don't match,
 * as when a rotation is half done or a file half written, it keeps the last pair that did. A source that can't be read at
 * all is an error.
 */
export type SecureContextSource = (operation: string) => SecureContext | Promise<SecureContext>;

/** Throws `InvalidArgumentError` for a literal key or certificate, and for one without the other. */
export const createSecureContextSource = (options: TlsOptions): SecureContextSource => {
  assertTlsOptions(options);
  let current: { readonly material: Material; readonly context: SecureContext; readonly readAs: number } | undefined;
  let reads = 0;
  const neverChanges = !options.certificate && typeof options.ca !== 'function';

  const refresh = async (operation: string): Promise<SecureContext> => {
    const readAs = ++reads;
    const material = await readMaterial(options, operation);
    // A slow read may return what has been replaced since.
    if (current && (isSame(current.material, material) || current.readAs > readAs)) return current.context;
    try {
      assertUsable(material, operation);
      const context = createSecureContext({ ...material, minVersion: options.minVersion ?? 'TLSv1.2' });
      current = { material, context, readAs };
    } catch (error) {
      if (current) return current.context;
      throw error instanceof AuthenticationError ? error : unusable(operation, problemOf(codeOf(error)), error);
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

const tlsNames: OptionNames<TlsOptions> = {
  certificate: true,
  key: true,
  passphrase: true,
  ca: true,
  minVersion: true,
  servername: true,
};

const assertTlsOptions = (options: TlsOptions): void => {
  const { certificate, key, passphrase, ca, minVersion } = options;
  assertKnown(options, tlsNames, 'tls');
  oneOf(minVersion, 'tls.minVersion', ['TLSv1.2', 'TLSv1.3'])();
  for (const [name, read] of Object.entries({ certificate, key, passphrase })) {
    if (read !== undefined && typeof read !== 'function')
      throw new InvalidArgumentError(
        `tls.${name}`,
        `must be a function that reads it, such as () => secrets.read('${name}'), so that code holds no secret`,
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
    readText(certificate, 'certificate', operation),
    readText(key, 'key', operation),
    readText(passphrase, 'passphrase', operation),
    typeof ca === 'function' ? readText(ca, 'ca', operation) : ca,
  ]);
  return withoutUndefined({
    cert,
    key: privateKey,
    passphrase: phrase,
    ca: typeof authorities === 'object' ? [...authorities] : authorities,
  });
};

const readText = async (
  read: ReadPem | undefined,
  name: keyof TlsOptions,
  operation: string,
): Promise<string | undefined> => {
  if (!read) return undefined;
  let text: unknown;
  try {
    text = await read();
  } catch (error) {
    throw unusable(operation, `tls.${name} could not be read`, error);
  }
  // A missing text is refused below, like an empty one.
  return typeof text === 'string' ? text : '';
};

/** Node takes a certificate and a key of different kinds, and then shows no certificate at all. */
const assertUsable = ({ cert, key, passphrase, ca }: Material, operation: string): void => {
  const wrong =
    (cert !== undefined && !isCertificate(cert) && 'certificate gave nothing in PEM') ||
    (key !== undefined && !isPrivateKey(key) && 'key gave nothing in PEM') ||
    (passphrase === '' && 'passphrase gave no text') ||
    (ca !== undefined && !listOf(ca).every(isCertificate) && 'ca gave nothing in PEM');
  if (wrong) throw unusable(operation, `tls.${wrong}`);
  if (cert === undefined || key === undefined) return;
  if (!new X509Certificate(cert).checkPrivateKey(openKey(key, passphrase, operation)))
    throw unusable(operation, 'tls.key does not belong to tls.certificate');
};

/** A wrong passphrase may give bytes that OpenSSL takes for a broken key: what the key says of itself decides. */
const openKey = (key: string, passphrase: string | undefined, operation: string): KeyObject => {
  try {
    return createPrivateKey(withoutUndefined({ key, passphrase }));
  } catch (error) {
    if (key.includes('ENCRYPTED'))
      throw unusable(operation, 'tls.key is encrypted, and tls.passphrase does not open it');
    throw error;
  }
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

const problemOf = (code: string | undefined): string => {
  if (/BAD_DECRYPT|INTERRUPTED_OR_CANCELLED|MISSING_PASSPHRASE/.test(code ?? ''))
    return 'tls.key is encrypted, and tls.passphrase does not open it';
  return 'tls.certificate, tls.key or tls.ca cannot be used';
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;

const unusable = (operation: string, problem: string, cause?: unknown): AuthenticationError =>
  new AuthenticationError(`${operation} was not sent: ${problem}`, { operation, cause });
