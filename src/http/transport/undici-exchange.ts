import { PassThrough, pipeline, type Readable, Transform } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { AttemptFailedError } from '../../core/errors.ts';
import { attemptLog } from '../call-log.ts';
import { decodeBody } from '../decode-body.ts';
import { networkFailureOf } from '../network-failure.ts';
import { answerTooLarge, createBodyBuffer, requestIdOf } from '../read-answer.ts';
import { bodyOf, type HttpRequest, type HttpResponse, sendableHeaders } from '../request.ts';
import type { RequestControl, UndiciConnections } from './undici-connections.ts';

export interface UndiciExchangeOptions {
  readonly url: URL;
  readonly connections: Pick<UndiciConnections, 'dispatch' | 'takePlace'>;
  readonly context: SecureContext | undefined;
  readonly connectTimeoutMs: number;
  /** The largest body, decompressed. */
  readonly maximumBytes: number;
}

/**
 * Sends one request by undici and reads the whole answer. Until it has a connection, TLS included, a failure has sent
 * nothing; from then on a byte may have left. It passes over answers that only inform (102, 103).
 */
export const undiciExchange = async (
  request: HttpRequest,
  { url, connections, context, connectTimeoutMs, maximumBytes }: UndiciExchangeOptions,
): Promise<HttpResponse> => {
  const { signal, method } = request;
  const body = bodyOf(request);
  const log = attemptLog(request);
  // A header that can't be sent ends the call here.
  const headers = requestHeaders(request, url.host, body);
  const answered = Promise.withResolvers<HttpResponse>();
  const content = createBodyBuffer();
  let control: RequestControl | undefined;
  let isSettled = false;
  let status = 0;
  let received: ReadonlyMap<string, string> = new Map();
  let unpacking: PassThrough | undefined;

  const place = connections.takePlace(url.origin);

  const settle = () => {
    isSettled = true;
    place.leave();
    clearTimeout(connectTimer);
    signal.removeEventListener('abort', giveUp);
  };
  const fail = (error: unknown) => {
    if (isSettled) return;
    settle();
    answered.reject(error);
    control?.abort(givenUp);
    unpacking?.destroy();
  };
  const giveUp = () => fail(signal.reason);
  const failed = (error: unknown) => fail(connectionFailed(request, error, { isOpen: control !== undefined }));
  const take = (chunk: Buffer) => {
    if (content.length + chunk.length <= maximumBytes) return content.append(chunk);
    const header = (name: string) => received.get(name);
    fail(answerTooLarge(request, { status, header, maximumBodyBytes: maximumBytes }));
  };
  const startUnpacking = (coding: string, controller: RequestControl) => {
    const packed = new PassThrough().on('drain', () => controller.resume());
    decompress(packed, coding, (error) => fail(cannotDecompress(request, error)))
      .on('data', take)
      .on('end', end);
    return packed;
  };
  const end = () => {
    if (isSettled) return;
    let response: HttpResponse;
    try {
      response = responseOf(request, status, received, content.bytes());
    } catch (error) {
      return fail(error);
    }
    settle();
    // undici gives the connection out again in the next turn, which it asks for after this: a request that follows at
    // once finds it there.
    queueMicrotask(() => setImmediate(answered.resolve, response));
  };
  // Only the deadline ends the wait for one of our own sockets.
  const connectTimer = place.isTaken
    ? undefined
    : setTimeout(() => fail(connectionTookTooLong(request, connectTimeoutMs)), connectTimeoutMs);

  log.reached(place.isTaken ? 'queued' : 'unsent');
  signal.addEventListener('abort', giveUp, { once: true });
  connections.dispatch(
    context,
    { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null },
    {
      onRequestStart: (controller) => {
        // No call waits for it any more, so take it back before a byte leaves. An abort would make undici close the
        // connection, which the next one in line waits for.
        if (isSettled) throw givenUp;
        control = controller;
        log.reached('sent');
        clearTimeout(connectTimer);
      },
      onResponseStart: (_controller, statusCode, raw) => {
        if (statusCode < 200) return;
        status = statusCode;
        received = headersOf(raw);
      },
      onResponseData: (controller, chunk) => {
        const encoding = received.get('content-encoding');
        if (encoding === undefined) return take(chunk);
        unpacking ??= startUnpacking(encoding, controller);
        if (!unpacking.write(chunk)) controller.pause();
      },
      onResponseEnd: () => (unpacking ? void unpacking.end() : end()),
      onResponseError: (_controller, error) => failed(error),
      onRequestUpgrade: (_controller, _statusCode, _headers, socket) => {
        socket.destroy();
        failed(undefined);
      },
    },
  );
  return answered.promise;
};

/** Throws `UnexpectedResponseError` for a body that can't be decoded. */
const responseOf = (
  request: HttpRequest,
  status: number,
  headers: ReadonlyMap<string, string>,
  bytes: Uint8Array,
): HttpResponse => ({
  status,
  headers,
  text: decodeBody(request, { status, bytes, contentType: headers.get('content-type') }),
  bytes: request.readsBytes ? bytes : undefined,
  requestId: requestIdOf((name) => headers.get(name), request),
});

/** Never seen outside: what is thrown was decided before. */
const givenUp = new Error('given up');

/** Returns the headers, with those that the transport has to set. */
const requestHeaders = (
  { headers, method, json }: HttpRequest,
  host: string,
  body: string | undefined,
): Record<string, string> => {
  const sendable: Record<string, string> = { host, ...sendableHeaders(headers) };
  const names = new Set(Object.keys(sendable).map((name) => name.toLowerCase()));
  if (!names.has('accept-encoding')) sendable['accept-encoding'] = acceptedEncodings;
  if (json !== undefined && !names.has('content-type')) sendable['content-type'] = 'application/json';
  if (body !== undefined || method !== 'GET') sendable['content-length'] = String(Buffer.byteLength(body ?? ''));
  return sendable;
};

const headersOf = (raw: Readonly<Record<string, string | string[] | undefined>>): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>();
  for (const name of Object.keys(raw)) {
    const value = raw[name];
    if (value !== undefined) headers.set(name, typeof value === 'string' ? value : value.join(', '));
  }
  return headers;
};

/** The codings that `decompress` knows. */
const acceptedEncodings = 'gzip, deflate, br';

/**
 * Undoes the codings that `Content-Encoding` names as the bytes arrive, the last one first (RFC 9110, section 8.4). Leaves
 * an unknown one as it is. Calls `failed` for a body that can't be unpacked, such as one that is cut off.
 */
const decompress = (body: Readable, encoding: string, failed: (error: unknown) => void): Readable => {
  const names = encoding.toLowerCase().split(',', mostEncodings + 1);
  if (names.length > mostEncodings) {
    failed(Object.assign(new Error('too many codings'), { code: 'TOO_MANY_ENCODINGS' }));
    return body;
  }
  const decoders = names.toReversed().flatMap((name) => createDecoder.get(name.trim())?.() ?? []);
  const last = decoders.at(-1);
  if (!last) return body;
  for (const decoder of decoders) decoder.on('error', failed);
  pipeline([body, ...decoders], (error) => error && failed(error));
  return last;
};

/** The most codings of one body: one more is an attack, not a compression. */
const mostEncodings = 5;

/** Half of the servers that say deflate leave out the zlib header, whose first byte ends in 8 (RFC 1950). */
const createEitherInflate = (): Transform => {
  let inflate: Transform | undefined;
  const start = (firstByte: number | undefined): Transform =>
    ((firstByte ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
  const either = new Transform({
    transform: (chunk: Buffer, _encoding, next) => {
      inflate ??= start(chunk[0])
        .on('data', (data) => either.push(data))
        .on('error', (error) => either.destroy(error));
      inflate.write(chunk, next);
    },
    flush: (done) => void (inflate ? inflate.once('end', done).end() : done()),
    destroy: (error, done) => {
      inflate?.destroy();
      done(error);
    },
  });
  return either;
};

const createDecoder: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createEitherInflate],
  ['br', createBrotliDecompress],
]);

/**
 * The error of a request whose connection couldn't be made or broke. `isOpen`: there was one, TLS included. The foreign
 * error may hold addresses and certificates, so only its code is kept.
 */
const connectionFailed = (
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
const connectionTookTooLong = ({ operation }: HttpRequest, connectTimeoutMs: number): AttemptFailedError =>
  new AttemptFailedError(`${operation}: no connection could be made within ${connectTimeoutMs} ms (ETIMEDOUT)`, {
    operation,
    reason: 'network',
    networkCode: 'ETIMEDOUT',
    outcome: 'not_sent',
  });

/** The error of a request whose answer came and can't be unpacked. */
const cannotDecompress = ({ operation }: HttpRequest, error: unknown): AttemptFailedError => {
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
