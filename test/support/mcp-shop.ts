import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** A tool of a fake server, as it lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
  readonly outputSchema?: object;
  readonly annotations?: object;
  readonly execution?: object;
}

export interface ShopCall {
  readonly name: string;
  readonly args: { readonly [name: string]: unknown };
  readonly signal: AbortSignal;
}

export interface ShopOptions {
  readonly tools: readonly ListedTool[];
  /** The answer of a call. Text and objects are wrapped as the protocol wants them; `{ raw }` isn't. */
  readonly answer?: (call: ShopCall) => unknown;
  /** The pages of the list, by their cursor. */
  readonly pages?: (cursor: string | undefined) => {
    readonly tools: readonly ListedTool[];
    readonly nextCursor?: string;
  };
}

/** A real client and a real server of `@modelcontextprotocol/sdk`, whose tools a test decides on. */
export const connectShop = async ({ tools, answer = () => ({ ok: true }), pages }: ShopOptions) => {
  const calls: ShopCall[] = [];
  const server = new Server({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  const withSchema = (tool: ListedTool) => ({ inputSchema: { type: 'object', properties: {} }, ...tool });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const { tools: listed, nextCursor } = pages?.(params?.cursor) ?? { tools };
    return { tools: listed.map(withSchema), nextCursor } as never;
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const call = { name: params.name, args: params.arguments ?? {}, signal };
    calls.push(call);
    const value = await answer(call);
    if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
    const { raw }: { readonly raw?: object } = Object(value);
    return (raw ?? { content: [], structuredContent: value }) as never;
  });
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return {
    client,
    server,
    calls,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server.close();
    },
  };
};
