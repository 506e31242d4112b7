/**
 * An MCP server over stdin and stdout for one phone call: `npm run example tools/mcp-server` plays the host that starts
 * it. A host of yours runs `node mcp-server.ts serve` with `CALL_ID` and `CALLER_PHONE` in the environment.
 */
import { argv, env, execArgv, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { mcp } from 'voice-agent-integrations/tools/mcp';
import { startBillingToolbox } from './support/billing-toolbox.ts';

const serve = async (): Promise<void> => {
  const billing = await startBillingToolbox();
  const toolbox = billing.toolbox.bind({
    callId: env['CALL_ID'],
    caller: { phone: env['CALLER_PHONE'], verified: 'caller-id' },
  });
  const server = new McpServer({ name: 'billing', version: '1.0.0' });
  mcp.serve(server, toolbox);
  await server.connect(new StdioServerTransport());
  // The host closes our input when the phone call is over.
  process.stdin.once('end', () => void billing[Symbol.asyncDispose]());
};

const playHost = async (): Promise<void> => {
  const host = new Client({ name: 'host', version: '1.0.0' });
  await host.connect(
    new StdioClientTransport({
      command: execPath,
      args: [...execArgv, fileURLToPath(import.meta.url), 'serve'],
      env: { CALL_ID: 'CA1', CALLER_PHONE: '+14155550100' },
    }),
  );
  const { tools } = await host.listTools();
  console.log(`The server offers ${tools.map(({ name }) => name).join(' and ')}.`);
  const invoices = await host.callTool({ name: 'lookup_customer_invoices', arguments: {} });
  console.log(`lookup_customer_invoices: ${JSON.stringify(invoices.content)}`);
  await host.close();
};

await (argv.at(-1) === 'serve' ? serve() : playHost());
