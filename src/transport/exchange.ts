import type { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../clock.ts';
import { answerTooLarge } from '../http/answer-too-large.ts';
import { createBodyBuffer } from '../http/body-buffer.ts';
import { follow, unfollow } from '../http/own-signal.ts';
import { tellWhetherSent } from '../http/progress.ts';
import type { HttpRequest } from '../http/request.ts';
import { http, https } from '../node-http.ts';
import type { Origin } from './address.ts';
import type { Answer } from './answer.ts';
import { cannotDecompress, connectionFailed, connectionTookTooLong } from './connection-failure.ts';
import { decompress } from './decompress.ts';

export interface ExchangeOptions {
  readonly origin: Origin;
  /** With the query. */
  readonly path: string;
  readonly agent: Agent;
  /** By name, or name, value, name, value. */
  readonly headers: Readonly<Record<string, string>> | readonly string[];
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  /** Of the body, decompressed. */
  readonly maximumBytes: number;
}

/**
 * One request and its whole answer over `node:http`. Until the connection stands, TLS included, a failure has sent
 * nothing; from then on a byte may have left. Answers that nobody asked for (100, 102, 103) are passed over.
 */
export const exchange = (
  request: HttpRequest,
  { origin, path, agent, headers, connectTimeoutMs, clock, maximumBytes }: ExchangeOptions,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { signal, body } = request;
    const outgoing = (origin.protocol === 'https:' ? https : http).request({
      agent,
      host: origin.hostname,
      port: origin.port,
      path,
      method: request.method,
      headers,
    });
    // A connection that was kept is given out at once.
    let isOpen = outgoing.reusedSocket;
    let isNew = false;
    let isAnswered = false;
    let isSettled = false;

    const settle = () => {
      isSettled = true;
      stopConnecting();
      unfollow(signal, giveUp);
    };
    const fail = (error: unknown) => {
      if (isSettled) return;
      settle();
      reject(error);
      outgoing.destroy();
    };
    const giveUp = () => fail(signal.reason);
    const tooLarge = (status: number, received: Answer['headers']) =>
      answerTooLarge(request, { status, header: (name) => received.get(name), maximumBodyBytes: maximumBytes });
    const failed = (error: unknown) => fail(connectionFailed(request, error, { isOpen, isNew }));

    const opened = () => {
      if (isSettled) return;
      isOpen = true;
      tellWhetherSent(request, true);
      stopConnecting();
    };
    const stopConnecting = isOpen
      ? () => {}
      : clock.setTimer(() => fail(connectionTookTooLong(request, connectTimeoutMs)), connectTimeoutMs);

    if (!isOpen) tellWhetherSent(request, false);
    follow(signal, giveUp);
    outgoing.on('error', failed);
    // Such as a change of protocol, which Node ends without an error.
    outgoing.on('close', () => isAnswered || failed(undefined));
    if (!isOpen) {
      outgoing.on('socket', (socket) => {
        isNew = isOpening(socket);
        if (isNew) socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', opened);
        else opened();
      });
    }
    outgoing.on('response', (incoming) => {
      isAnswered = true;
      const status = incoming.statusCode ?? 0;
      const received = headersOf(incoming.rawHeaders);
      const content = createBodyBuffer();
      // A body that ends too early.
      incoming.on('error', failed);
      const encoding = received.get('content-encoding');
      const end = () => {
        if (isSettled) return;
        settle();
        resolve({ status, headers: received, body: content.bytes() });
      };
      // No body is not a packed one, whatever the headers say of it, as with a 204.
      const cannot = (error: unknown) =>
        incoming.complete && !incoming.readableDidRead ? end() : fail(cannotDecompress(request, error));
      const source = encoding === undefined ? incoming : decompress(incoming, encoding, cannot);
      source.on('data', (chunk: Buffer) => {
        if (content.length + chunk.length > maximumBytes) return fail(tooLarge(status, received));
        content.append(chunk);
      });
      source.on('end', end);
    });
    outgoing.end(body);
  });

/** Node sets `secureConnecting` on a TLS socket until the handshake is over; its types do not know it. */
const isOpening = (socket: Socket & { readonly secureConnecting?: boolean }): boolean =>
  socket.connecting || socket.secureConnecting === true;

const headersOf = (rawHeaders: readonly string[]): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
};
