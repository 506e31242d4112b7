import { randomBytes, webcrypto } from 'node:crypto';

/** A certificate and its key in PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** An authority that exists only in this test. */
export interface Authority {
  /** In PEM, for those who are to trust it. */
  readonly certificate: string;
  /** For a server on loopback, unless other names are given. */
  issue(options?: { commonName?: string; names?: readonly string[]; validUntil?: Date }): Promise<Identity>;
}

// The decorators of the library ask for this on load. What it remembers ends with the test's process.
const metadata = new WeakMap<object, Map<unknown, unknown>>();
const read = (key: unknown, target: object) => metadata.get(target)?.get(key);
Object.assign(Reflect, {
  getMetadata: read,
  getOwnMetadata: read,
  hasOwnMetadata: (key: unknown, target: object) => metadata.get(target)?.has(key) ?? false,
  defineMetadata: (key: unknown, value: unknown, target: object) =>
    metadata.set(target, (metadata.get(target) ?? new Map<unknown, unknown>()).set(key, value)),
  metadata: () => () => undefined,
});
const x509 = await import('@peculiar/x509');

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const validFrom = new Date(Date.now() - 60_000);
const inAnHour = () => new Date(Date.now() + 3_600_000);
const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
const serialNumber = () => `01${randomBytes(8).toString('hex')}`;

/** Makes an authority, with a key of its own. */
export const createAuthority = async (name = 'Test authority'): Promise<Authority> => {
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: `CN=${name}`,
    notBefore: validFrom,
    notAfter: inAnHour(),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });

  return {
    certificate: certificate.toString('pem'),
    issue: async ({ commonName = 'test', names = ['127.0.0.1', '::1', 'localhost'], validUntil = inAnHour() } = {}) => {
      const own = await makeKeys();
      const leaf = await x509.X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: `CN=${commonName}`,
        issuer: certificate.subject,
        notBefore: validFrom < validUntil ? validFrom : new Date(validUntil.getTime() - 60_000),
        notAfter: validUntil,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [
          new x509.SubjectAlternativeNameExtension(
            names.map((value) => ({ type: /^[\d.]+$|:/.test(value) ? 'ip' : 'dns', value }) as const),
          ),
        ],
      });
      const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', own.privateKey)).toString('base64');
      return {
        certificate: leaf.toString('pem'),
        key: `-----BEGIN PRIVATE KEY-----\n${key.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`,
      };
    },
  };
};
