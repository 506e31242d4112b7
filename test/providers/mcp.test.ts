import { fileURLToPath } from 'node:url';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport as NewTransport, McpServer as NewMcpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { createToolbox, defineTool, type Toolbox } from '../../src/tools/index.ts';
import { mcp } from '../../src/tools/providers/mcp.ts';
import * as z from 'zod';
import { createApprovedTools, createPaymentTools } from '../support/payment-tools.ts';
import { type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

/** What the user of the host answers to a question. */
type Answer = (question: string) => 'accept' | 'decline';

/** A real client and a real server of `@modelcontextprotocol/sdk`, with the toolbox behind them. */
const connect = async (toolbox: Toolbox, answer?: Answer) => {
  const server = new McpServer({ name: 'payments', version: '1.0.0' });
  mcp.serve(server, toolbox);
  const client = new Client({ name: 'host', version: '1.0.0' }, { capabilities: answer ? { elicitation: {} } : {} });
  if (answer) client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ action: answer(params.message) }));
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, [Symbol.asyncDispose]: () => client.close() };
};

/** The same with the packages that follow it. */
const connectNew = async (toolbox: Toolbox, answer?: Answer) => {
  const server = new NewMcpServer({ name: 'payments', version: '1.0.0' });
  mcp.serve(server, toolbox);
  const client = new NewClient({ name: 'host', version: '1.0.0' }, { capabilities: answer ? { elicitation: {} } : {} });
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => ({ action: answer(params.message) }));
  const [clientSide, serverSide] = NewTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, [Symbol.asyncDispose]: () => client.close() };
};

/** The part of the older package that takes handlers alone. */
const connectPart = async (toolbox: Toolbox) => {
  const server = new Server({ name: 'payments', version: '1.0.0' });
  mcp.serve(server, toolbox);
  const client = new Client({ name: 'host', version: '1.0.0' });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, [Symbol.asyncDispose]: () => client.close() };
};

const textOf = (content: unknown) => (content as { text: string }[]).map(({ text }) => text).join();

const call = async (client: Client | NewClient, { id, name, args }: ModelCall): Promise<ModelResult> => {
  const { content, isError } = await client.callTool({ name, arguments: args as Record<string, unknown> });
  return { id, text: textOf(content), isError: isError === true };
};

const connections = {
  'MCP server': connect,
  'MCP server, its lower part': connectPart,
  'MCP server of the newer packages': connectNew,
};
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
    ['pay_invoice', { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint }],
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
  const received: unknown[] = [];

  const { content } = await connection.client.callTool({ name: 'look_up', arguments: {} }, undefined, {
    onprogress: (progress) => {
      received.push(progress);
      letGo();
    },
  });

  expect(received).toEqual([{ progress: 0, message: 'One moment, please.' }]);
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
  const received: unknown[] = [];

  const asked = connection.client.callTool(
    { name: 'look_up' },
    {
      signal: cancelling.signal,
      onprogress: (progress) => {
        received.push(progress);
        cancelling.abort('hung up');
      },
    },
  );

  await expect(asked).rejects.toThrow('hung up');
  await slow.aborted;
  expect(received).toEqual([{ progress: 0, message: 'One moment, please.' }]);
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
  const [found, ...paidOrRefused] = results;
  expect(JSON.parse(found?.text ?? '')).toMatchObject({
    customer_name: 'Ann Lee',
    total_outstanding: 120.5,
    today: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    invoices: [{ id: 'inv_1', amount: 120.5 }],
  });
  expect(paidOrRefused).toEqual([
    paid,
    repeated,
    {
      id: 'too_much',
      text: '{"success":false,"error":"invalid_arguments","fields":[{"field":"amount","problem":"must be below 5000"}]}',
      isError: true,
    },
  ]);
});

for (const [name, connectTo] of [
  ['1', connect],
  ['2', connectNew],
] as const) {
  test.each([
    ['two-step', 'accept', [5]],
    ['approve', 'accept', [5]],
    ['both', 'accept', [5]],
    ['two-step', 'decline', []],
    ['approve', 'decline', []],
  ] as const)(`version ${name}: a host asks its user (%s: %s)`, async (confirm, action, refunds) => {
    const tools = createApprovedTools(confirm);
    const asked: string[] = [];
    await using connection = await connectTo(tools.toolbox, (question) => {
      asked.push(question);
      return action;
    });
    const { isError, structuredContent } = await connection.client.callTool({
      name: 'refund',
      arguments: { amount: 5 },
    });

    expect([asked, tools.refunds]).toEqual([['Give back 5.'], refunds]);
    expect([isError, structuredContent]).toEqual(
      action === 'accept'
        ? [false, { refunded: 5 }]
        : [
            true,
            {
              error: 'not_allowed',
              reason: 'declined',
              message: 'They were asked and said no. Nothing was done: tell them so.',
            },
          ],
    );
  });

  test(`version ${name}: with a host that can’t ask, the model does, and an approval is refused`, async () => {
    const texts: string[] = [];
    for (const confirm of ['two-step', 'approve'] as const) {
      await using connection = await connectTo(createApprovedTools(confirm).toolbox);
      texts.push(textOf((await connection.client.callTool({ name: 'refund', arguments: { amount: 5 } })).content));
    }

    expect(texts).toEqual([
      expect.stringContaining('confirmation_required'),
      '{"error":"not_allowed","reason":"not_approved","summary":"Give back 5."}',
    ]);
  });

  test(`version ${name}: a tool has a title and says what it gives, and what it gives fits`, async () => {
    const toolbox = createToolbox({
      context: { callId: 'CA1' },
      tools: [
        defineTool({
          name: 'find_order',
          description: 'Finds an order.',
          parameters: z.object({}),
          output: z.object({ order_id: z.string(), lines: z.array(z.object({ sku: z.string() })) }),
          effect: 'read',
          run: () => ({ order_id: 70, lines: [{ sku: 'a' }], error: { code: 1 }, color: 'red' }),
          compact: (order) => order,
        }),
      ],
    });
    await using connection = await connectTo(toolbox);
    const { tools } = await connection.client.listTools();
    const { content, structuredContent } = await connection.client.callTool({ name: 'find_order' });

    expect(tools[0]?.title).toBe('Find order');
    expect(tools[0]?.outputSchema).toMatchObject({
      type: 'object',
      properties: {
        order_id: { type: 'string' },
        lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } },
        error: { type: 'string' },
      },
    });
    expect(structuredContent).toEqual({ lines: [{ sku: 'a' }], color: 'red' });
    expect(textOf(content)).toBe('{"order_id":70,"lines":[{"sku":"a"}],"error":{"code":1},"color":"red"}');
  });
}
