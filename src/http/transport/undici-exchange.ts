import { PassThrough } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { attemptLog } from '../call-log.ts';
import { decodeBody } from '../decode-body.ts';
import { answerTooLarge, createBodyBuffer, requestIdOf } from '../read-answer.ts';
import { bodyOf, type HttpRequest, sendableHeaders } from '../request.ts';
import type { HttpResponse } from '../response.ts';
import { cannotDecompress, connectionFailed, connectionTookTooLong } from './connection-failure.ts';
import { acceptedEncodings, decompress } from './decompress.ts';
import type { RequestControl, UndiciConnections } from './undici-connections.ts';

export interface UndiciExchangeOptions {
  readonly url: URL;
  readonly connections: Pick<UndiciConnections, 'dispatch' | 'takePlace'>;
  readonly context: SecureContext | undefined;
  readonly connectTimeoutMs: number;
  /** Of the body, decompressed. */
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
    const bytes = content.bytes();
    let text: string;
    try {
      text = decodeBody(request, { status, bytes, contentType: received.get('content-type') });
    } catch (error) {
      return fail(error);
    }
    settle();
    const response = {
      status,
      headers: received,
      text,
      bytes: request.readsBytes ? bytes : undefined,
      requestId: requestIdOf((name) => received.get(name), request),
    };
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

/** Never seen outside: what is thrown was decided before. */
const givenUp = new Error('given up');

/** With those that the transport has to set. */
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
