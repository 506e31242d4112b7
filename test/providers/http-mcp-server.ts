import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

/** An MCP server on loopback, which can cut the answer of a tool call once its work is done. */
export interface HttpMcpServer extends AsyncDisposable {
  readonly url: URL;
  readonly state: { isCut: boolean };
  /** The headers of the last request, and its path. */
  readonly last: { headers: IncomingHttpHeaders; path: string };
}

/** Serves over streamable HTTP, for clients of both packages. */
export const serveHttp = async (register: (server: McpServer) => void): Promise<HttpMcpServer> => {
  const state = { isCut: false };
  const last: HttpMcpServer['last'] = { headers: {}, path: '' };
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'shop', version: '1.0.0' });
    register(server);
    return server;
  });
  const http = createServer(async (incoming, outgoing) => {
    const { method = 'GET', headers, url = '' } = incoming;
    Object.assign(last, { headers, path: url });
    const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const body = method === 'POST' ? await textOf(incoming) : null;
    const response = await handler.fetch(new Request(`http://${headers.host}${url}`, { method, headers: sent, body }));
    const answer = new Uint8Array(await response.arrayBuffer());
    if (state.isCut && body?.includes('tools/call')) return void incoming.socket.destroy();
    // A connection that is kept would be cut when the server goes.
    outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), connection: 'close' }).end(answer);
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  return {
    state,
    last,
    // A server that listens on a port has an address of this kind.
    url: new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`),
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => void http.close(resolve));
    },
  };
};
