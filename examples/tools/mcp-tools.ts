/**
 * Tools that you have: those of an MCP server, and one of the AI SDK's kind, with the guards of a toolbox.
 * `npm run example tools/mcp-tools` starts the server of a shop over stdin and stdout, and does what a model would ask.
 */
import { argv, execArgv, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createToolbox, toolFrom } from 'voice-agent-integrations/tools';
import { toolsFromMcp } from 'voice-agent-integrations/tools/mcp';
import * as z from 'zod';

/** The server that you have already. It knows nothing of phone calls. */
const serveShop = async (): Promise<void> => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  const answer = (value: object) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });
  server.registerTool(
    'find-orders',
    { description: 'Finds the orders of a customer.', inputSchema: { phone: z.string() } },
    ({ phone }) => answer({ orders: [{ order_id: 'o1', item: 'a lamp', phone, card_token: 'tok_1' }] }),
  );
  server.registerTool(
    'refund-order',
    {
      description: 'Gives back what an order has cost.',
      inputSchema: { order_id: z.string(), cents: z.int(), idempotency_key: z.string() },
    },
    ({ order_id, cents }) => answer({ refunded: cents, order_id }),
  );
  server.registerTool('drop-table', { description: 'Deletes all orders.' }, () => answer({ deleted: true }));
  await server.connect(new StdioServerTransport());
};

const playAgent = async (): Promise<void> => {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command: execPath, args: [...execArgv, fileURLToPath(import.meta.url), 'serve'] }),
  );
  const shop = await toolsFromMcp(client, {
    'find-orders': { effect: 'read', bind: { phone: ({ caller }) => caller.phone } },
    'refund-order': { effect: 'payment', key: 'idempotency_key', amount: ({ cents }) => Number(cents) / 100 },
  });
  const weather = {
    description: 'The weather in a town.',
    inputSchema: z.object({ town: z.string() }),
    execute: async ({ town }: { town: string }) => `It rains in ${town}.`,
  };
  const toolbox = createToolbox({
    tools: [...shop, toolFrom(weather, { name: 'weather', effect: 'read' })],
    payments: { below: 200 },
    context: { callId: 'CA1', caller: { phone: '+14155550100', verified: 'caller-id' } },
  });
  console.log(
    `The model sees ${toolbox
      .tools()
      .map(({ name, parameters }) => `${name}(${Object.keys(parameters.properties)})`)
      .join(', ')}.`,
  );

  const ask = async (name: string, args: object, confirmed = false) => {
    const { text } = await toolbox.run(name, args, { confirmed });
    console.log(`${name}: ${text}`);
  };
  await ask('find_orders', { phone: '+19995550100' });
  await ask('refund_order', { order_id: 'o1', cents: 4_900 });
  await ask('refund_order', { order_id: 'o1', cents: 4_900 }, true);
  await ask('refund_order', { order_id: 'o1', cents: 4_900 }, true);
  await ask('refund_order', { order_id: 'o2', cents: 990_000 }, true);
  await client.close();
};

await (argv.at(-1) === 'serve' ? serveShop() : playAgent());
