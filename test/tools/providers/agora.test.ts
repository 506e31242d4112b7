import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { expect, test } from 'vitest';
import { agora } from '../../../src/tools/providers/http.ts';
import { mcp } from '../../../src/tools/providers/mcp.ts';
import type { Toolbox } from '../../../src/tools/index.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

const connect = async (toolbox: Toolbox) => {
  const server = new McpServer({ name: 'billing', version: '1.0.0' });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  mcp.serve(server, toolbox);
  await server.connect(transport);
  return transport;
};

const serveTools = async (toolbox: Toolbox) => serve(agora.handler({ toolbox, secret: () => 'token_1', connect }));

/** Connects as the engine does, by an entry of `mcp_servers`. */
const connectAsAgora = async ({ endpoint, headers }: ReturnType<typeof agora.mcpServers>[number]) => {
  const client = new Client({ name: 'engine', version: '1.0.0' });
  const sent = JSON.parse(JSON.stringify(headers)) as Record<string, string>;
  await client.connect(new StreamableHTTPClientTransport(new URL(endpoint), { requestInit: { headers: sent } }));
  return client;
};

test('an entry is what Agora takes in llm.mcp_servers', () => {
  const { toolbox } = createPlatformTools();

  const servers = agora.mcpServers(toolbox, {
    url: 'https://voice.test/mcp',
    token: 'token_1',
    callId: 'call_1',
    phone: '+14155550100',
  });

  expect(servers).toEqual([
    {
      name: 'tools',
      endpoint: 'https://voice.test/mcp',
      transport: 'streamable_http',
      headers: { authorization: 'Bearer token_1', 'x-call-id': 'call_1', 'x-caller': '+14155550100' },
      allowed_tools: ['who_is_calling', 'pay', 'add_note', 'break_down'],
      timeout_ms: 15_000,
    },
  ]);
});

test('an MCP client with that entry calls the tools of its phone call', async () => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serveTools(toolbox);
  const options = { url: `${server.url}/mcp`, token: 'token_1', callId: 'call_1', phone: '+14155550100' };
  const client = await connectAsAgora(agora.mcpServers(toolbox, options)[0]!);

  const { tools } = await client.listTools();
  const who = await client.callTool({ name: 'who_is_calling', arguments: {} });
  const paid = await client.callTool({ name: 'pay', arguments: { amount: 20 } });
  await client.close();

  expect(tools.map(({ name }) => name)).toEqual(['who_is_calling', 'pay', 'add_note', 'break_down']);
  expect([who.structuredContent, paid.structuredContent]).toEqual([
    { callId: 'call_1', phone: '+14155550100', verified: 'caller-id' },
    { success: true, confirmation_number: 'C-1' },
  ]);
  expect(charges).toEqual([20]);
});

test('an app user without a number is none', async () => {
  const { toolbox } = createPlatformTools();
  await using server = await serveTools(toolbox);
  const client = await connectAsAgora(
    agora.mcpServers(toolbox, { url: server.url, token: 'token_1', callId: 'call_1' })[0]!,
  );

  const who = await client.callTool({ name: 'who_is_calling', arguments: {} });
  await client.close();

  expect(who.structuredContent).toEqual({ callId: 'call_1', verified: 'no' });
});

test.each([
  ['the token', { 'x-call-id': 'call_1' }, 401],
  ['a phone call', { authorization: 'Bearer token_1' }, 400],
])('a request without %s runs nothing', async (_what, headers, expected) => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serveTools(toolbox);

  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pay', arguments: { amount: 20 } } };
  const { status } = await server.post(call, { headers });

  expect({ status, charges }).toEqual({ status: expected, charges: [] });
});

test('a batch, as protocol 2025-03-26 has it, is answered as one', async () => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serveTools(toolbox);
  const send = (body: unknown) =>
    fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer token_1',
        'x-call-id': 'call_1',
        'x-caller': '+14155550100',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
  const request = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params });

  const both = await send([
    request(1, 'tools/list'),
    request(2, 'tools/call', { name: 'pay', arguments: { amount: 20 } }),
  ]);
  expect(await both.json()).toMatchObject([
    { id: 1, result: { tools: expect.any(Array) } },
    { id: 2, result: { content: expect.any(Array) } },
  ]);
  expect(charges).toEqual([20]);
  for (const body of [[], [1], [request(3, 'tools/list'), null], 7, 'x', null, [[request(3, 'tools/list')]]])
    expect((await send(body)).status, JSON.stringify(body)).toBe(400);
});
