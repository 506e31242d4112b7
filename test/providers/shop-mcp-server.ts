/** A shop's MCP server over standard input and output, which knows nothing of phone calls. `log` is what it has done. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';

const done: string[] = [];
const answer = (value: object) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool('find_orders', { description: 'Finds orders.', inputSchema: { item: z.string() } }, ({ item }) => {
  const order = { item, state: 'sent', email: 'ada@example.com', secret_token: 'tok_1' };
  return answer({ orders: [order] });
});
server.registerTool('add_note', { description: 'Adds a note.', inputSchema: { text: z.string() } }, ({ text }) => {
  done.push(`note ${text}`);
  return answer({ noted: true });
});
server.registerTool(
  'refund_order',
  { description: 'Refunds an order.', inputSchema: { order: z.string(), amount: z.number() } },
  ({ order, amount }) => {
    done.push(`refund ${order} ${amount}`);
    return answer({ id: `r${done.length}`, status: 'succeeded' });
  },
);
server.registerTool('log', { inputSchema: {} }, () => answer(done));
await server.connect(new StdioServerTransport());
