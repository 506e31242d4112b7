import { InvalidArgumentError } from '../../core/errors.ts';
import { assertKnown, isYes } from '../../core/option-checks.ts';
import type { DeliveryRequest, ClientCertificate } from '../peer.ts';
import { type AddressList, createAddressList } from '../../http/address-list.ts';
import { type Authentication, forbidden, unknownSender } from './method.ts';

/** Options of {@link mutualTls}. */
export interface MutualTlsOptions {
  /** The accepted certificates, by SHA-256 fingerprint or by common name; a function decides by itself. */
  readonly allow:
    | AllowedCertificates
    | ((certificate: ClientCertificate, about: { readonly tenant: string | undefined }) => boolean | Promise<boolean>);
  /** The headers in which a proxy that ends TLS hands on the verified certificate. */
  readonly proxy?:
    | {
        /** Addresses and ranges of the proxies. Only they are believed; they must remove these headers from outside. */
        readonly trusted: readonly string[];
        /** The header that says that the certificate was verified, and the word that it says, such as `SUCCESS`. */
        readonly verified: { readonly header: string; readonly value: string };
        /** The header with the SHA-256 fingerprint. */
        readonly fingerprintHeader: string;
        readonly commonNameHeader?: string | undefined;
      }
    | undefined;
}

/** Certificates that are accepted: one of the fingerprints, or one of the names. */
export interface AllowedCertificates {
  /** SHA-256, in hex, with or without colons. */
  readonly fingerprints?: readonly string[] | undefined;
  /** Common names of their subjects, to the letter. */
  readonly commonNames?: readonly string[] | undefined;
}

/**
 * The sender shows a client certificate, which the server (`requestCert: true`) or a trusted proxy has verified.
 * Throws `InvalidArgumentError` when no one is allowed.
 *
 * @example
 * authentication: [mutualTls({ allow: { commonNames: ['hooks.partner.example'] } })],
 */
export const mutualTls = (options: MutualTlsOptions): Authentication => {
  assertKnown(options, { allow: true, proxy: true });
  const { allow, proxy } = options;
  assertKnown(proxy, { trusted: true, verified: true, fingerprintHeader: true, commonNameHeader: true }, 'proxy');
  const isAllowed = typeof allow === 'function' ? allow : byLists(allow);
  const isProxy = proxy && createAddressList('proxy.trusted', proxy.trusted);
  return {
    method: 'mutual-tls',
    step: 'credentials',
    isStrong: true,
    check: async (delivery) => {
      const certificate = proxy && isProxy ? fromProxy(delivery, proxy, isProxy) : delivery.peer.certificate;
      if (!certificate) return unknownSender('certificate_missing');
      if (!isYes(await isAllowed(certificate, { tenant: delivery.tenant })))
        return forbidden('certificate_not_allowed');
      return { accepted: true, sender: certificate.commonName ?? plain(certificate.fingerprint256) };
    },
  };
};

const byLists = ({
  fingerprints = [],
  commonNames = [],
}: AllowedCertificates): ((certificate: ClientCertificate) => boolean) => {
  if (fingerprints.length === 0 && commonNames.length === 0)
    throw new InvalidArgumentError('allow', 'must name at least one fingerprint or common name');
  const known = fingerprints.map(plain);
  if (!known.every((fingerprint) => /^[0-9a-f]{64}$/.test(fingerprint)))
    throw new InvalidArgumentError('allow.fingerprints', 'must be SHA-256 fingerprints in hex');
  return ({ fingerprint256, commonName }) =>
    known.includes(plain(fingerprint256)) || (commonName !== undefined && commonNames.includes(commonName));
};

const fromProxy = (
  { peer, headers }: DeliveryRequest,
  { verified, fingerprintHeader, commonNameHeader }: NonNullable<MutualTlsOptions['proxy']>,
  isProxy: AddressList,
): ClientCertificate | undefined => {
  if (peer.address === undefined || !isProxy(peer.address)) return undefined;
  if (headers.get(verified.header) !== verified.value) return undefined;
  const fingerprint256 = headers.get(fingerprintHeader);
  if (fingerprint256 === null) return undefined;
  const commonName = commonNameHeader === undefined ? undefined : headers.get(commonNameHeader);
  return { fingerprint256, commonName: commonName ?? undefined };
};

const plain = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase();
