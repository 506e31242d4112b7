import { fileURLToPath } from 'node:url';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport as NewTransport, Server as NewServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { createToolbox, defineTool, type Toolbox } from '../../src/tools/index.ts';
import { mcp } from '../../src/tools/providers/mcp.ts';
import * as z from 'zod';
import { createPaymentTools } from '../support/payment-tools.ts';
import { type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

/** A real client and a real server of `@modelcontextprotocol/sdk`, with the toolbox behind them. */
const connect = async (toolbox: Toolbox) => {
  const { listTools, callTool } = mcp.requestHandlers(toolbox);
  const server = new Server({ name: 'payments', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, listTools);
  server.setRequestHandler(CallToolRequestSchema, callTool);
  const client = new Client({ name: 'host', version: '1.0.0' });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, [Symbol.asyncDispose]: () => client.close() };
};

/** The same with the packages that follow it. */
const connectNew = async (toolbox: Toolbox) => {
  const { listTools, callTool } = mcp.requestHandlers(toolbox);
  const server = new NewServer({ name: 'payments', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', listTools);
  server.setRequestHandler('tools/call', callTool);
  const client = new NewClient({ name: 'host', version: '1.0.0' });
  const [clientSide, serverSide] = NewTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, [Symbol.asyncDispose]: () => client.close() };
};

const textOf = (content: unknown) => (content as { text: string }[]).map(({ text }) => text).join();

const call = async (client: Client | NewClient, { id, name, args }: ModelCall): Promise<ModelResult> => {
  const { content, isError } = await client.callTool({ name, arguments: args as Record<string, unknown> });
  return { id, text: textOf(content), isError: isError === true };
};

const connections = { 'MCP server': connect, 'MCP server of the newer packages': connectNew };
for (const [name, connectPair] of Object.entries(connections)) {
  describeTarget({
    name,
    flagsErrors: true,
    sendsText: false,
    drive: async (toolbox, turns): Promise<Driven> => {
      await using connection = await connectPair(toolbox);
      const { client } = connection;
      const { tools } = await client.listTools();
      const results: ModelResult[] = [];
      for (const calls of turns) results.push(...(await Promise.all(calls.map((one) => call(client, one)))));
      return { sent: JSON.stringify([tools, results]), results };
    },
  });
}

test('a host sees what a tool may do before it asks its user', async () => {
  await using connection = await connect(createPaymentTools().toolbox);

  const { tools } = await connection.client.listTools();

  const openWorldHint = true;
  expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
    ['find_invoice', { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint }],
    ['pay_invoice', { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint }],
    ['add_note', { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint }],
  ]);
});

/** A tool that runs until the test lets it go, or it is cancelled. */
const createSlowToolbox = () => {
  const started = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const toolbox = createToolbox({
    context: { callId: 'CA1' },
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Takes its time.',
        parameters: z.object({}),
        effect: 'read',
        expectedMs: 0,
        slowMessage: 'One moment, please.',
        run: async (_, { signal }) => {
          signal.addEventListener('abort', () => aborted.resolve());
          started.resolve();
          await Promise.race([letGo.promise, aborted.promise]);
          return { found: true };
        },
      }),
    ],
  });
  return { toolbox, started: started.promise, aborted: aborted.promise, letGo: letGo.resolve };
};

test('a client that asks for progress gets the slow message', async () => {
  const { toolbox, letGo } = createSlowToolbox();
  await using connection = await connect(toolbox);
  const heard: unknown[] = [];

  const { content } = await connection.client.callTool({ name: 'look_up', arguments: {} }, undefined, {
    onprogress: (progress) => {
      heard.push(progress);
      letGo();
    },
  });

  expect(heard).toEqual([{ progress: 0, message: 'One moment, please.' }]);
  expect(textOf(content)).toBe('{"found":true}');
});

test('a request that the client cancels ends the tool', async () => {
  const { toolbox, started, aborted } = createSlowToolbox();
  await using connection = await connect(toolbox);
  const cancelling = new AbortController();

  const asked = connection.client.callTool({ name: 'look_up' }, undefined, { signal: cancelling.signal });
  await started;
  cancelling.abort('hung up');

  await expect(asked).rejects.toThrow('hung up');
  await aborted;
});

test('with the newer packages a client gets the slow message and can cancel too', async () => {
  const slow = createSlowToolbox();
  await using connection = await connectNew(slow.toolbox);
  const cancelling = new AbortController();
  const heard: unknown[] = [];

  const asked = connection.client.callTool(
    { name: 'look_up' },
    {
      signal: cancelling.signal,
      onprogress: (progress) => {
        heard.push(progress);
        cancelling.abort('hung up');
      },
    },
  );

  await expect(asked).rejects.toThrow('hung up');
  await slow.aborted;
  expect(heard).toEqual([{ progress: 0, message: 'One moment, please.' }]);
});

test('a host that starts the server looks an invoice up and pays it once', async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const client = new Client({ name: 'host', version: '1.0.0' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', './scripts/from-source.js', 'examples/tools/mcp-server.ts', 'serve'],
    cwd: root,
    env: { CALL_ID: 'CA1', CALLER_PHONE: '+14155550100' },
  });
  await client.connect(transport);

  const { tools } = await client.listTools();
  const pay = { id: 'pay', name: 'create_payment', args: { invoice_id: 'inv_1', amount: 120.5 } };
  const results = [
    await call(client, { id: 'find', name: 'lookup_customer_invoices', args: {} }),
    ...(await Promise.all([call(client, pay), call(client, pay)])),
    await call(client, { ...pay, id: 'too_much', args: { invoice_id: 'inv_1', amount: 5000 } }),
  ];
  await client.close();

  expect(tools.map(({ name }) => name)).toEqual(['lookup_customer_invoices', 'create_payment']);
  const paid = { id: 'pay', text: '{"success":true,"confirmation_number":"CONF-1"}', isError: false };
  const repeated = {
    ...paid,
    text: '{"success":true,"confirmation_number":"CONF-1","already_paid":true,"message":"Nothing was charged now: this payment was made before. Tell the caller so."}',
  };
  expect(results).toEqual([
    {
      id: 'find',
      text: '{"customer_name":"Ann Lee","invoice_count":1,"total_outstanding":120.5,"invoices":[{"id":"inv_1","amount":120.5,"due_date":"2026-11-30"}]}',
      isError: false,
    },
    paid,
    repeated,
    {
      id: 'too_much',
      text: '{"success":false,"error":"invalid_arguments","fields":[{"field":"amount","problem":"must be below 5000"}]}',
      isError: true,
    },
  ]);
});
