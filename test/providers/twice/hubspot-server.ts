/** HubSpot's own MCP server as a process, in front of the shop. */
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Deployment, type Host, nothingRead } from './host.ts';
import type { Shop } from './shop.ts';

const server = fileURLToPath(new URL('../node_modules/@hubspot/mcp-server/dist/index.js', import.meta.url));

/** A client of a server of its own. */
export const connectHubSpot = async ({ origin }: Shop): Promise<Client> => {
  const client = new Client({ name: 'desk', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [server],
      env: { BASE_URL_OVERRIDE: origin, PRIVATE_APP_ACCESS_TOKEN: 'test' },
      stderr: 'ignore',
    }),
  );
  return client;
};

export const createDeal = {
  name: 'hubspot-batch-create-objects',
  arguments: { objectType: 'deals', inputs: [{ properties: { dealname: 'Repair', amount: '40' } }] },
};

const findDeal = {
  name: 'hubspot-search-objects',
  arguments: {
    objectType: 'deals',
    filterGroups: [{ filters: [{ propertyName: 'dealname', operator: 'EQ', value: 'Repair' }] }],
  },
};

/** The server's tool as it is; with `searchFirst`, the deal is looked for before it's written. */
export const hubSpotServer =
  ({ searchFirst = false } = {}) =>
  async (shop: Shop): Promise<Deployment> => {
    const clients: Client[] = [];
    return {
      process: async () => {
        const client = await connectHubSpot(shop);
        clients.push(client);
        return hostOf(client, searchFirst);
      },
      [Symbol.asyncDispose]: async () => void (await Promise.all(clients.map((client) => client.close()))),
    };
  };

const hostOf = (client: Client, searchFirst: boolean): Host => ({
  run: async ({ steps, signal, modelFails = false }) => {
    const read: string[] = [];
    const call = async (params: { name: string; arguments: Record<string, unknown> }) =>
      textOf((await client.callTool(params, { ...(signal && { signal }) })).content);
    const write = async () => {
      if (!searchFirst) return call(createDeal);
      const found = await call(findDeal);
      return /"results": \[\]/.test(found) ? call(createDeal) : found;
    };
    for (const calls of steps) {
      read.push(...(await Promise.all(calls.map(() => write().catch((error: unknown) => String(error))))));
    }
    return modelFails || signal?.aborted ? [nothingRead] : read;
  },
});

const textOf = (content: unknown): string => (content as { text?: string }[]).map(({ text = '' }) => text).join(' ');
