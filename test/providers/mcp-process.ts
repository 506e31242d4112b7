/** Serves a refund over MCP on a port of its own, as one of several processes: a toolbox for each request. */
import { appendFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { sqlite } from '../../src/stores/sqlite/index.ts';
import { mcp } from '../../src/tools/providers/mcp.ts';
import { createRefundTool } from './refund-tool.ts';

const [storeFile = '', refundsFile = ''] = process.argv.slice(2);
const store = sqlite({ file: storeFile }).idempotencyStore();
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  mcp.serve(
    server,
    createRefundTool({ store, confirm: 'two-step', onRefund: (amount) => appendFile(refundsFile, `${amount}\n`) }),
  );
  return server;
});
const http = createServer(async (incoming, outgoing) => {
  const { method = 'GET', headers, url } = incoming;
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  const body = method === 'POST' ? await text(incoming) : null;
  const response = await handler.fetch(new Request(`http://${headers.host}${url}`, { method, headers: sent, body }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(new Uint8Array(await response.arrayBuffer()));
});
http.listen(0, '127.0.0.1', () => {
  // A server that listens on a port has an address of this kind.
  process.stdout.write(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`);
});
