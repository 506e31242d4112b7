import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** What a client of the Realtime API sends, as far as the script needs it. */
interface ClientEvent {
  readonly type: string;
  readonly session?: { readonly tools: readonly { readonly name: string }[] };
  readonly item?: { readonly type: string; readonly output?: string };
}

export interface RealtimeServer extends AsyncDisposable {
  readonly url: string;
  /** The `Authorization` of each connection. */
  readonly authorizations: readonly (string | undefined)[];
}

/**
 * A WebSocket on loopback that speaks as OpenAI Realtime does: asked for an answer, the model calls the first tool of the
 * session; told its result, it says it.
 */
export const startRealtimeServer = async (): Promise<RealtimeServer> => {
  const authorizations: (string | undefined)[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer().on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    authorizations.push(request.headers.authorization);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    accept(request, socket);
    let [tool, output] = ['', ''];
    hearTexts(socket, (text) => {
      const event = JSON.parse(text) as ClientEvent;
      tool = event.session?.tools[0]?.name ?? tool;
      output = event.item?.output ?? output;
      if (event.type !== 'response.create') return;
      const item = output
        ? { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: output }] }
        : { type: 'function_call', status: 'completed', call_id: 'call_1', name: tool, arguments: '{}' };
      sendText(socket, JSON.stringify({ type: 'response.created' }));
      sendText(socket, JSON.stringify({ type: 'response.done', response: { status: 'completed', output: [item] } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A server that listens on a port has an address of this form.
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorizations,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};

/** RFC 6455, 4.2.2. */
const accept = ({ headers }: IncomingMessage, socket: Duplex): void => {
  const proof = createHash('sha1')
    .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${proof}\r\n\r\n`,
  );
};

/** RFC 6455, 5.2: texts of a client, which are masked; frames of this script are short and whole. */
const hearTexts = (socket: Duplex, hear: (text: string) => void): void => {
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const frame = readFrame(bytes);
      if (!frame) return;
      bytes = bytes.subarray(frame.end);
      if (frame.opcode === close) return void socket.end(Buffer.from([0x80 | close, 0]));
      if (frame.opcode === text) hear(frame.payload.toString('utf8'));
    }
  });
};

const [text, close] = [1, 8];

const readFrame = (bytes: Buffer) => {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const maskAt = short === 126 ? 4 : 2;
  if (bytes.length < maskAt + 4) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short;
  const end = maskAt + 4 + length;
  if (bytes.length < end) return undefined;
  const mask = bytes.subarray(maskAt, maskAt + 4);
  const payload = Buffer.from(bytes.subarray(maskAt + 4, end).map((byte, index) => byte ^ mask.readUInt8(index % 4)));
  return { opcode: bytes.readUInt8(0) & 0x0f, payload, end };
};

const sendText = (socket: Duplex, message: string): void => {
  const payload = Buffer.from(message);
  const head =
    payload.length < 126
      ? [0x80 | text, payload.length]
      : [0x80 | text, 126, payload.length >> 8, payload.length & 0xff];
  socket.write(Buffer.concat([Buffer.from(head), payload]));
};
