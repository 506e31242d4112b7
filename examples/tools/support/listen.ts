import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

/** Puts a web-standard handler behind node:http, on any free port unless one is given. */
export const listen = async (handle: (request: Request) => Promise<Response>, port = 0) => {
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const response = await handle(toRequest(incoming));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(await response.text());
  };
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    // A server that listens on a port has an address of this form.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** The body stays unread: a signature covers its bytes. */
const toRequest = (incoming: IncomingMessage): Request => {
  const { method = 'GET', url = '/', headers } = incoming;
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    ...(method !== 'GET' && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  });
};
