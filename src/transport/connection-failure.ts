import { AttemptFailedError } from '../errors.ts';
import { networkFailureOf } from '../http/network-failure.ts';
import type { HttpRequest } from '../http/request.ts';

/**
 * What a request ends with whose connection could not be made or broke. `isOpen`: it stood, TLS included; `isNew`: it
 * was made for this request. The foreign error may hold addresses and certificates: its code is kept.
 */
export const connectionFailed = (
  { operation }: HttpRequest,
  error: unknown,
  { isOpen, isNew }: { isOpen: boolean; isNew: boolean },
): AttemptFailedError => {
  const { networkCode = '' } = networkFailureOf(error);
  const advice = adviceFor(networkCode);
  const wasRefused = isNew && refusedByServer.test(networkCode);
  const what =
    isOpen && !wasRefused ? 'the connection failed before the answer was complete' : 'no connection could be made';
  return new AttemptFailedError(
    `${operation}: ${what}${networkCode && ` (${networkCode})`}${advice && `: ${advice}`}`,
    {
      operation,
      reason: 'network',
      networkCode: networkCode || undefined,
      outcome: isOpen && !wasRefused ? 'unknown' : 'not_sent',
    },
  );
};

/** What a request ends with that waited too long for a connection: for a free place, the name, TCP and TLS. */
export const connectionTookTooLong = ({ operation }: HttpRequest, connectTimeoutMs: number): AttemptFailedError =>
  new AttemptFailedError(`${operation}: no connection could be made within ${connectTimeoutMs} ms (ETIMEDOUT)`, {
    operation,
    reason: 'network',
    networkCode: 'ETIMEDOUT',
    outcome: 'not_sent',
  });

/** What a request ends with whose answer came, and cannot be unpacked. */
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

/**
 * In TLS 1.3 the client is done before the server has looked at its certificate (RFC 8446, section 2): the refusal
 * comes when the request may be on its way. It ends the handshake, so nothing behind it was read.
 */
const refusedByServer =
  /_ALERT_(?:CERTIFICATE_REQUIRED|UNKNOWN_CA|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(?:REVOKED|EXPIRED|UNKNOWN)|ACCESS_DENIED)$/;

const adviceFor = (networkCode: string): string => advice.find(([codes]) => codes.test(networkCode))?.[1] ?? '';

const advice: readonly (readonly [codes: RegExp, words: string])[] = [
  [
    /ALERT_CERTIFICATE_REQUIRED$|ALERT_HANDSHAKE_FAILURE$/,
    'the server asks for a client certificate; give tls.certificate and tls.key',
  ],
  [
    /ALERT_(?:UNKNOWN_CA|(?:BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_|ACCESS_DENIED)/,
    'the server refused the client certificate; see who signed it and until when it is valid',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "the server's certificate is for another name; see baseUrl, or set tls.servername",
  ],
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, "the server's certificate is not valid at this time"],
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|^CERT_UNTRUSTED$/,
    "the server's certificate is not trusted; if the API has an authority of its own, give its certificate as tls.ca",
  ],
  [/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION/, 'the server speaks no version of TLS that is allowed; see tls.minVersion'],
  [/^ERR_PROXY_TUNNEL$/, 'the proxy did not lead to the API; see HTTPS_PROXY and NO_PROXY'],
  [/WRONG_VERSION_NUMBER$|PACKET_LENGTH_TOO_LONG$/, 'the server does not speak TLS on this port'],
];
