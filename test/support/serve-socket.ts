import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** The other end of a WebSocket that was opened. */
export interface ServedSocket {
  readonly send: (message: object) => void;
  readonly close: () => void;
}

export interface SocketScript {
  /** The kind of message. @defaultValue text */
  readonly frames?: 'text' | 'binary';
  readonly onOpen?: (socket: ServedSocket) => void;
  /** Gets each text, as JSON. */
  readonly onMessage: (message: Readonly<Record<string, unknown>>, socket: ServedSocket) => void;
  /** For requests that open no WebSocket: the body, and the address of this server with `ws:`. */
  readonly answer?: (body: string, url: string) => object;
}

/** A server for WebSockets on loopback, as far as short texts need it: RFC 6455. */
export const serveSocket = async ({ frames = 'text', onOpen, onMessage, answer }: SocketScript) => {
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    response.end(JSON.stringify(answer?.(body, address().replace('http:', 'ws:')) ?? {}));
  });
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('upgrade', ({ headers }: IncomingMessage, connection: Duplex) => {
    const accepted = createHash('sha1').update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
    const protocol = headers['sec-websocket-protocol']?.split(',')[0];
    connection.write(
      [
        'HTTP/1.1 101 Switching Protocols',
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Accept: ${accepted.digest('base64')}`,
        ...(protocol ? [`Sec-WebSocket-Protocol: ${protocol}`] : []),
        '\r\n',
      ].join('\r\n'),
    );
    const socket: ServedSocket = {
      send: (message) => connection.write(frameOf(frames === 'text' ? 1 : 2, Buffer.from(JSON.stringify(message)))),
      close: () => connection.end(frameOf(8, Buffer.alloc(0))),
    };
    let unread = Buffer.alloc(0);
    connection.on('data', (bytes: Buffer) => {
      unread = Buffer.concat([unread, bytes]);
      for (let frame = readFrame(unread); frame; frame = readFrame(unread)) {
        unread = unread.subarray(frame.length);
        if (frame.code === 1) onMessage(JSON.parse(frame.payload.toString()), socket);
      }
    });
    connection.on('error', () => connection.destroy());
    onOpen?.(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: address(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const frameOf = (code: number, payload: Buffer): Buffer => {
  const head = payload.length < 126 ? Buffer.alloc(2) : Buffer.alloc(4);
  head[0] = 0x80 | code;
  head[1] = Math.min(payload.length, 126);
  if (head.length === 4) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
};

/** A client masks what it sends. `undefined`: it hasn't arrived whole. */
const readFrame = (bytes: Buffer) => {
  if (bytes.length < 6) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const start = short === 126 ? 8 : 6;
  const size = short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < start + size) return undefined;
  const mask = bytes.subarray(start - 4, start);
  const payload = bytes.subarray(start, start + size).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return { code: (bytes[0] ?? 0) & 0x0f, payload: Buffer.from(payload), length: start + size };
};
