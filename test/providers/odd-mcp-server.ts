/** An MCP server over stdio with tools that end oddly: one never answers, one ends the process, one sends too much. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const inputSchema = { type: 'object' as const, properties: {} };
const server = new Server({ name: 'odd', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: ['hang', 'die', 'flood'].map((name) => ({ name, description: 'It is odd.', inputSchema })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params: { name } }) => {
  if (name === 'hang') return new Promise<never>(() => {});
  if (name === 'die') process.exit(1);
  return { content: [{ type: 'text', text: 'x'.repeat(11_000_000) }] };
});
await server.connect(new StdioServerTransport());
