import { AttemptFailedError } from '../../core/errors.ts';
import { networkFailureOf } from '../network-failure.ts';
import type { HttpRequest } from '../request.ts';

/**
 * The error of a request whose connection couldn't be made or broke. `isOpen`: there was one, TLS included. The foreign
 * error may hold addresses and certificates, so only its code is kept.
 */
export const connectionFailed = (
  { operation }: HttpRequest,
  error: unknown,
  { isOpen }: { isOpen: boolean },
): AttemptFailedError => {
  const { networkCode } = networkFailureOf(error);
  const alert = tlsAlertOf(error);
  const what = isOpen ? 'the connection failed before the answer was complete' : 'no connection could be made';
  const advice = adviceOn(networkCode, alert);
  return new AttemptFailedError(
    `${operation}: ${what}${networkCode ? ` (${networkCode})` : ''}${advice ? `: ${advice}` : ''}`,
    { operation, reason: 'network', networkCode, outcome: isOpen ? 'unknown' : 'not_sent' },
  );
};

/** The error of a request that waited too long for a connection: for a free one, the name, TCP and TLS. */
export const connectionTookTooLong = ({ operation }: HttpRequest, connectTimeoutMs: number): AttemptFailedError =>
  new AttemptFailedError(`${operation}: no connection could be made within ${connectTimeoutMs} ms (ETIMEDOUT)`, {
    operation,
    reason: 'network',
    networkCode: 'ETIMEDOUT',
    outcome: 'not_sent',
  });

/** The error of a request whose answer came and can't be unpacked. */
export const cannotDecompress = ({ operation }: HttpRequest, error: unknown): AttemptFailedError => {
  const { networkCode } = networkFailureOf(error);
  return new AttemptFailedError(
    `${operation}: the answer could not be decompressed${networkCode ? ` (${networkCode})` : ''}`,
    {
      operation,
      reason: 'network',
      networkCode,
      outcome: 'unknown',
    },
  );
};

/** The number of the alert with which the server ended TLS (RFC 8446, section 6); 0 for anything else. */
const tlsAlertOf = (error: unknown): number =>
  error instanceof Error ? Number(/SSL alert number (\d+)/.exec(error.message)?.[1] ?? 0) : 0;

/** The alerts that refuse a client's certificate. */
const refusesCertificate: ReadonlySet<number> = new Set([42, 43, 44, 45, 46, 48, 49, 116]);

const adviceOn = (networkCode: string | undefined, alert: number): string | undefined => {
  if (alert === 40 || alert === 116)
    return 'the server may be asking for a client certificate; give tls.certificate and tls.key';
  if (alert === 70) return 'the server speaks no version of TLS that is allowed; see tls.minVersion';
  if (refusesCertificate.has(alert))
    return 'the server refused the client certificate; see who signed it and until when it is valid';
  return networkCode === undefined ? undefined : adviceOnCode.get(networkCode);
};

const notTrusted =
  "the server's certificate is not trusted; if the API has an authority of its own, give its certificate as tls.ca";

/** Before there is a connection, undici aborts only for a proxy that refuses. */
const noProxy = 'the proxy did not lead to the API; see HTTPS_PROXY and NO_PROXY';

const noTls = 'TLS could not be agreed upon; see whether the server speaks TLS on this port';

const adviceOnCode: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', "the server's certificate has expired"],
  ['CERT_NOT_YET_VALID', "the server's certificate is not valid yet; see the clock of this machine"],
  ['CERT_UNTRUSTED', notTrusted],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', notTrusted],
  ['EPROTO', noTls],
  ['ERR_SSL_WRONG_VERSION_NUMBER', noTls],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "the server's certificate is for another name; see baseUrl, or set tls.servername"],
  ['SELF_SIGNED_CERT_IN_CHAIN', notTrusted],
  ['UNABLE_TO_GET_ISSUER_CERT', notTrusted],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', notTrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', notTrusted],
  ['UND_ERR_ABORTED', noProxy],
  ['UND_ERR_PRX_CONN', noProxy],
]);
