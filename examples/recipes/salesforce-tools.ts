/** Tools of Salesforce's MCP server: the caller's own cases, and a new one. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { toolsFromMcp } from 'voice-agent-integrations/tools/mcp';

const headers = { authorization: `Bearer ${process.env['SALESFORCE_TOKEN']}` }; // of a user, by OAuth
const url = new URL('https://api.salesforce.com/platform/mcp/v1/platform/sobject-all');
const client = new Client({ name: 'desk', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));

export const tools = await toolsFromMcp(client, {
  soqlQuery: {
    effect: 'read',
    name: 'list_my_cases',
    description: 'Lists the caller’s open cases.',
    bind: {
      query: ({ caller: { phone } }) =>
        phone && `SELECT CaseNumber, Subject FROM Case WHERE IsClosed = false AND Contact.Phone = '${phone}'`,
    },
  },
  createSobjectRecord: { effect: 'write', name: 'create_case', bind: { 'sobject-name': 'Case' } },
});
