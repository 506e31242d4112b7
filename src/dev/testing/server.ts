import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimer } from '../../core/timers.ts';
import type { FakeRequest, Handled } from './fake-request.ts';

/** A listening server. */
export interface FakeServer {
  /** Such as `http://127.0.0.1:41234`. */
  readonly url: string;
  /** Ends every connection at once, stalled ones included. */
  readonly close: () => Promise<void>;
}

/** Puts a handler on a port of the loopback interface: 0 is a free one. Rejects when the port is taken. */
export const serve = async (
  handle: (request: FakeRequest) => Handled | Promise<Handled>,
  { port: wanted }: { readonly port: number },
): Promise<FakeServer> => {
  const server = createServer((request, response) => {
    readBody(request).then(
      async (body) => respond(await handle(toFakeRequest(request, body)), response),
      // The caller is gone before its request was whole.
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', resolve);
  });
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const toFakeRequest = ({ method = 'GET', url = '/', headers }: IncomingMessage, body: string): FakeRequest => ({
  method,
  url,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  body,
});

const respond = (handled: Handled, response: ServerResponse): void => {
  if (handled.latencyMs <= 0) return deliver(handled, response);
  const cancel = setTimer(() => deliver(handled, response), handled.latencyMs);
  response.once('close', cancel);
};

const deliver = ({ status, headers, body, delivery }: Handled, response: ServerResponse): void => {
  const { socket } = response;
  if (delivery === 'stall-headers') return;
  if (delivery === 'reset-before-headers') return void socket?.resetAndDestroy();

  const bytes = Buffer.from(body, 'utf8');
  if (delivery === 'bytes') {
    response.writeHead(status, headers);
    return void writeEachByte(bytes, response);
  }
  const length = bytes.length > 0 || status !== 204 ? { 'content-length': String(bytes.length) } : {};
  response.writeHead(status, { ...headers, ...length });
  if (delivery === 'whole') return void response.end(bytes);

  // The head promises the whole body; half of it goes out.
  response.flushHeaders();
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => {
    if (delivery === 'truncate') socket?.end();
    if (delivery === 'reset-after-headers') socket?.resetAndDestroy();
  });
};

/** Each byte is a chunk of its own, written when the one before it has left. */
const writeEachByte = async (bytes: Buffer, response: ServerResponse): Promise<void> => {
  for (const byte of bytes) {
    const problem = await new Promise((resolve) => void response.write(Buffer.of(byte), resolve));
    if (problem) return;
  }
  response.end();
};
