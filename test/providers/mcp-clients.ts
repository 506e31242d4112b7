/** Clients of both packages, connected to servers in this process, in another one, and over HTTP. */
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport as NewTransport, McpServer as NewMcpServer } from '@modelcontextprotocol/server';
import type { McpClient } from '../../src/tools/providers/mcp.ts';

export type Generation = 'the older package' | 'the newer package';
export const generations: readonly Generation[] = ['the older package', 'the newer package'];

export interface Connected extends AsyncDisposable {
  readonly client: McpClient & { callTool(params: { readonly name: string }): Promise<unknown> };
}

const connected = (client: Client | NewClient): Connected => ({
  client: client as Connected['client'],
  [Symbol.asyncDispose]: () => client.close(),
});

/** A process of its own behind a client of each package. */
export const startProcess = async (
  generation: Generation,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) => {
  const options = {
    command: process.execPath,
    args: [...args],
    env: { ...(process.env as Record<string, string>), ...env },
    stderr: 'ignore' as const,
  };
  const info = { name: 'agent', version: '1.0.0' };
  if (generation === 'the older package') {
    const client = new Client(info);
    await client.connect(new StdioClientTransport(options));
    return connected(client);
  }
  const client = new NewClient(info);
  await client.connect(new NewStdio(options));
  return connected(client);
};

/** Answers what a server asks. A client without it can't be asked. */
export interface Answers {
  /** Of the person at the client. */
  readonly elicitation?: () => Promise<{ action: 'accept' | 'decline'; content?: Record<string, string> }>;
  /** Of the model at the client, as a text. */
  readonly sampling?: () => Promise<string>;
}

/** A server with the package's own `McpServer`, in this process. */
export const connectPair = async (
  generation: Generation,
  register: (server: Pick<McpServer, 'registerTool' | 'server'>) => void,
  { elicitation, sampling }: Answers = {},
) => {
  const info = { name: 'shop', version: '1.0.0' };
  const capabilities = { ...(elicitation && { elicitation: { form: {} } }), ...(sampling && { sampling: {} }) };
  const answerOf = async (text: string) =>
    ({ role: 'assistant', model: 'm', content: { type: 'text', text } }) as const;
  if (generation === 'the older package') {
    const server = new McpServer(info);
    register(server);
    const client = new Client(info, { capabilities });
    if (elicitation) client.setRequestHandler(ElicitRequestSchema, elicitation);
    if (sampling) client.setRequestHandler(CreateMessageRequestSchema, async () => answerOf(await sampling()));
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
    return connected(client);
  }
  const server = new NewMcpServer(info);
  // The tests use what both have in common.
  register(server as unknown as McpServer);
  const client = new NewClient(info, { capabilities });
  if (elicitation) client.setRequestHandler('elicitation/create', elicitation);
  if (sampling) client.setRequestHandler('sampling/createMessage', async () => answerOf(await sampling()));
  const [clientSide, serverSide] = NewTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return connected(client);
};

/** A client of a server over streamable HTTP. The newer package speaks 2026-07-28 where the server does. */
export const connectHttp = async (
  generation: Generation,
  url: URL,
  capabilities: { elicitation?: { form: Record<string, never> } } = {},
) => {
  const info = { name: 'agent', version: '1.0.0' };
  if (generation === 'the older package') {
    const client = new Client(info, { capabilities });
    await client.connect(new StreamableHTTPClientTransport(url) as never);
    return { client, [Symbol.asyncDispose]: () => client.close() };
  }
  const client = new NewClient(info, { versionNegotiation: { mode: 'auto' }, capabilities });
  await client.connect(new NewHttp(url));
  return { client, [Symbol.asyncDispose]: () => client.close() };
};
