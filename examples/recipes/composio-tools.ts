/** Tools of Composio's MCP server: an e-mail that goes to the desk alone. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { toolsFromMcp } from 'voice-agent-integrations/tools/mcp';

const { COMPOSIO_SERVER, COMPOSIO_USER, COMPOSIO_API_KEY = '' } = process.env;
const url = new URL(`https://backend.composio.dev/v3/mcp/${COMPOSIO_SERVER}?user_id=${COMPOSIO_USER}`);
const client = new Client({ name: 'desk', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-api-key': COMPOSIO_API_KEY } } }),
);

export const tools = await toolsFromMcp(client, {
  GMAIL_SEND_EMAIL: {
    effect: 'write',
    name: 'email_the_desk',
    bind: { recipient_email: 'desk@acme.example' }, // the model writes to no one else
  },
});
