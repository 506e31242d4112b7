/** Tools of Nango's MCP server: your actions of one connection. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { toolsFromMcp } from 'voice-agent-integrations/tools/mcp';

const headers = {
  authorization: `Bearer ${process.env['NANGO_SECRET_KEY']}`,
  'connection-id': 'acme',
  'provider-config-key': 'google-calendar',
};
const client = new Client({ name: 'desk', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL('https://api.nango.dev/mcp'), { requestInit: { headers } }),
);

export const tools = await toolsFromMcp(client, { 'list-events': 'read', 'create-event': 'write' });
