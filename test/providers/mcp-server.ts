/**
 * An MCP server over stdin and stdout for one phone call, as a host starts it:
 * `CALL_ID=CA1 CALLER_PHONE=+14155550100 node --import ./scripts/from-source.js test/providers/mcp-server.ts`.
 */
import { env } from 'node:process';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import * as mcp from 'voice-agent-integrations/tools/mcp';
import { startBillingToolbox } from '../../examples/tools/billing-toolbox.ts';

const billing = await startBillingToolbox();
const toolbox = billing.toolbox.bind({
  callId: env['CALL_ID'],
  caller: { phone: env['CALLER_PHONE'], verified: 'caller-id' },
});

const server = new Server({ name: 'billing', version: '1.0.0' }, { capabilities: { tools: {} } });
const { listTools, callTool } = mcp.requestHandlers(toolbox);
server.setRequestHandler(ListToolsRequestSchema, listTools);
server.setRequestHandler(CallToolRequestSchema, callTool);
server.onclose = () => void billing[Symbol.asyncDispose]();
await server.connect(new StdioServerTransport());
