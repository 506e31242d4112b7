import { PassThrough } from 'node:stream';
import type { SecureContext } from 'node:tls';
import type { Clock } from '../clock.ts';
import { answerTooLarge } from '../http/answer-too-large.ts';
import { createBodyBuffer } from '../http/body-buffer.ts';
import { follow, unfollow } from '../http/own-signal.ts';
import { tellWhetherSent } from '../http/progress.ts';
import type { HttpRequest } from '../http/request.ts';
import type { Answer } from './answer.ts';
import { cannotDecompress, connectionFailed, connectionTookTooLong } from './connection-failure.ts';
import { decompress } from './decompress.ts';
import type { RequestControl, UndiciConnections } from './undici-connections.ts';

export interface UndiciExchangeOptions {
  readonly url: URL;
  readonly connections: Pick<UndiciConnections, 'dispatch'>;
  readonly context: SecureContext | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  /** Of the body, decompressed. */
  readonly maximumBytes: number;
}

/**
 * One request and its whole answer by undici. Until it has a connection, TLS included, a failure has sent nothing; from
 * then on a byte may have left. Answers that nobody asked for (102, 103) are passed over.
 */
export const undiciExchange = (
  request: HttpRequest,
  { url, connections, context, headers, connectTimeoutMs, clock, maximumBytes }: UndiciExchangeOptions,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { signal, body } = request;
    let control: RequestControl | undefined;
    let isSettled = false;
    let status = 0;
    let received: ReadonlyMap<string, string> = new Map();
    let encoding: string | undefined;
    let unpacking: PassThrough | undefined;
    const content = createBodyBuffer();

    const settle = () => {
      isSettled = true;
      stopConnecting();
      unfollow(signal, giveUp);
    };
    const fail = (error: unknown) => {
      if (isSettled) return;
      settle();
      reject(error);
      control?.abort(givenUp);
      unpacking?.destroy();
    };
    const giveUp = () => fail(signal.reason);
    // Whether its connection is new, undici does not say.
    const failed = (error: unknown) =>
      fail(connectionFailed(request, error, { isOpen: control !== undefined, isNew: false }));
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
      settle();
      const answer = { status, headers: received, body: content.bytes() };
      // undici gives the connection out again in the next turn, which it asks for after this: a request that follows at
      // once is to find it there.
      queueMicrotask(() => setImmediate(resolve, answer));
    };

    let stopConnecting = () => {};
    tellWhetherSent(request, false);
    follow(signal, giveUp);
    connections.dispatch(
      context,
      { origin: url.origin, path: url.pathname + url.search, method: request.method, headers, body: body ?? null },
      {
        onRequestStart: (controller) => {
          // Nobody waits for it any more: it is taken back before a byte leaves. Told to abort, undici would close the
          // connection, which the next one in line waits for.
          if (isSettled) throw givenUp;
          control = controller;
          tellWhetherSent(request, true);
          stopConnecting();
        },
        onResponseStart: (controller, statusCode, raw) => {
          if (statusCode < 200) return;
          status = statusCode;
          received = headersOf(raw);
          encoding = received.get('content-encoding');
        },
        onResponseData: (controller, chunk) => {
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
    if (!control && !isSettled)
      stopConnecting = clock.setTimer(() => fail(connectionTookTooLong(request, connectTimeoutMs)), connectTimeoutMs);
  });

/** Never seen outside: what is thrown was decided before. */
const givenUp = new Error('given up');

const headersOf = (raw: Readonly<Record<string, string | string[] | undefined>>): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>();
  for (const name of Object.keys(raw)) {
    const value = raw[name];
    if (value !== undefined) headers.set(name, typeof value === 'string' ? value : value.join(', '));
  }
  return headers;
};
