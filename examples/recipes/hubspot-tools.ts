/** A tool of HubSpot's own MCP server: a deal, and nothing else. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { toolsFromMcp } from 'voice-agent-integrations/tools/mcp';

const client = new Client({ name: 'desk', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: 'npx',
    args: ['-y', '@hubspot/mcp-server'],
    env: { PRIVATE_APP_ACCESS_TOKEN: process.env['HUBSPOT_KEY'] ?? '' },
  }),
);

export const tools = await toolsFromMcp(client, {
  'hubspot-batch-create-objects': {
    effect: 'write',
    name: 'create_deal',
    bind: { objectType: 'deals' }, // and nothing else of HubSpot
  },
});
