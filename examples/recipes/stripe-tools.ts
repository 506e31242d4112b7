/** Tools of Stripe's MCP server: the caller's own charges, and a refund. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { toolsFromMcp } from 'voice-agent-integrations/tools/mcp';

const headers = { authorization: `Bearer ${process.env['STRIPE_KEY']}` }; // a restricted key
const client = new Client({ name: 'desk', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL('https://mcp.stripe.com'), { requestInit: { headers } }),
);

export const customerOfCall = new Map<string, string>(); // filled by your application

export const tools = await toolsFromMcp(client, {
  stripe_api_read: {
    effect: 'read',
    name: 'list_charges',
    description: 'Lists what the caller has paid.',
    bind: {
      stripe_api_operation_id: 'GetCharges', // of hundreds
      parameters: ({ callId }) => {
        const customer = customerOfCall.get(callId);
        return customer && { customer, limit: 5 }; // `undefined`: the call is refused
      },
    },
  },
  create_refund: { effect: 'payment', amount: ({ amount }) => Number(amount) / 100 }, // cents; a yen has none
});
