import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { expect, test } from 'vitest';
import { httpTools } from '../../../src/tools/providers/http.ts';
import { mcp } from '../../../src/tools/providers/mcp.ts';
import type { Toolbox } from '../../../src/tools/index.ts';
import { sharedSecret } from '../../../src/webhooks/index.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

const connect = async (toolbox: Toolbox) => {
  const server = new McpServer({ name: 'billing', version: '1.0.0' });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  mcp.serve(server, toolbox);
  await server.connect(transport);
  return transport;
};

const serveTools = async (toolbox: Toolbox) =>
  serve(
    httpTools.relay({
      toolbox,
      authentication: [sharedSecret({ header: 'authorization', secrets: () => 'token_1' })],
      read: ({ headers }) => ({ callId: headers.get('x-call-id'), phone: headers.get('x-caller') }),
      respond: async (tools, { request, json }) => (await connect(tools)).handleRequest(request, { parsedBody: json }),
    }),
  );

/** Connects as a platform does whose headers say the phone call. */
const connectAsPlatform = async (url: string, headers: Record<string, string>) => {
  const client = new Client({ name: 'engine', version: '1.0.0' });
  const requestInit = { headers: { authorization: 'Bearer token_1', 'x-call-id': 'call_1', ...headers } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  return client;
};

test('a platform that is an MCP client calls the tools of its phone call', async () => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serveTools(toolbox);
  const client = await connectAsPlatform(server.url, { 'x-caller': '+14155550100' });

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
  const client = await connectAsPlatform(server.url, {});

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
