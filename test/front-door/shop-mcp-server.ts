/** The `shop-mcp-server` of a program: a shop's tools, over standard input and output. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';

const server = new McpServer({ name: 'shop', version: '1.0.0' });
const answer = (structuredContent: Record<string, unknown>) => ({ content: [], structuredContent });
server.registerTool('find_orders', { inputSchema: { phone: z.string() } }, ({ phone }) => answer({ phone }));
server.registerTool('cancel_order', { inputSchema: { order: z.string() } }, ({ order }) => answer({ order }));
server.registerTool(
  'refund_order',
  { inputSchema: { order: z.string(), cents: z.int(), idempotency_key: z.string() } },
  ({ order }) => answer({ order }),
);
server.registerTool('delete_shop', { inputSchema: {} }, () => answer({}));
await server.connect(new StdioServerTransport());
