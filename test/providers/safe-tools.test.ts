/** The files that docs/safe-tools.md shows, run as they are: HubSpot's with its own server, the others' with their documented tools. */
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { McpServer } from '@modelcontextprotocol/server';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { hubspot } from '../../src/crm/hubspot/index.ts';
import { createIntegration } from '../../src/integration.ts';
import { createToolbox, type Tool } from '../../src/tools/index.ts';
import { toolsFromMcp } from '../../src/tools/providers/mcp.ts';
import { chat } from '../../src/tools/providers/openai.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type HttpMcpServer, serveHttp } from './http-mcp-server.ts';
import { generations, startProcess } from './mcp-clients.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

const caller = { phone: '+14155550100', verified: 'caller-id' } as const;

const toolboxOf = (tools: readonly Tool[]) =>
  createToolbox({ tools, context: { callId: 'CA1', caller }, payments: { below: 200 }, onError: () => {} });

/** What the model may fill in, by tool. */
const seenBy = (tools: readonly Tool[]) =>
  Object.fromEntries(
    chat
      .tools(toolboxOf(tools))
      .map(({ function: { name, parameters } }) => [
        name,
        Object.keys(Object(parameters).properties).filter((field) => !['again', 'confirmation_token'].includes(field)),
      ]),
  );

/** Leads requests for this origin to loopback. Anything else fails. */
const leadFetch = (origin: string, to: URL) => {
  const real = fetch;
  vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) => {
    const url = new URL(input);
    if (url.origin !== origin) throw new TypeError(`${url.origin} is not expected`);
    return real(new URL(`${url.pathname}${url.search}`, to), init);
  });
};

/** A stand-in of a hosted server. */
const standIn = async (origin: string, register: (server: McpServer) => void): Promise<HttpMcpServer> => {
  const server = await serveHttp(register);
  onTestFinished(() => server[Symbol.asyncDispose]());
  leadFetch(origin, server.url);
  return server;
};

const said = (value: object) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });

test.each(generations)('three lines put the tools of a server behind every guard: %s', async (generation) => {
  const server = fileURLToPath(new URL('shop-mcp-server.ts', import.meta.url));
  await using shop = await startProcess(generation, [server]);
  const { client } = shop;
  const integration = createIntegration({
    crm: hubspot({ key: () => 'pat-1' }),
    payments: { below: 500 },
    store: 'memory',
  });

  const own = await toolsFromMcp(client, { find_orders: 'read', add_note: 'write', refund_order: 'payment' });
  const call = integration.startPhoneCall({ callId: 'CA1', phone: caller.phone, direction: 'inbound', tools: { own } });

  const run = async (name: string, args: object, confirmed = false) =>
    (await call.tools.run(name, args, { confirmed })).value;
  expect(await run('find_orders', { item: 'lamp' })).toEqual({ orders: [{ item: 'lamp', state: 'sent' }] });
  expect(await run('add_note', { text: 'Card 4242 4242 4242 4242' })).toMatchObject({ error: 'invalid_arguments' });
  expect(await run('refund_order', { order: 'o1', amount: 'much' })).toMatchObject({ error: 'invalid_arguments' });
  expect(await run('refund_order', { order: 'o1', amount: 40 })).toMatchObject({ error: 'confirmation_required' });
  expect(await run('refund_order', { order: 'o1', amount: 40 }, true)).toMatchObject({ status: 'succeeded' });
  expect(await run('refund_order', { order: 'o1', amount: 40 }, true)).toMatchObject({ already_paid: true });
  expect(await run('refund_order', { order: 'o2', amount: 500 }, true)).toMatchObject({ error: 'invalid_arguments' });
  expect(await run('log', {})).toMatchObject({ error: 'invalid_arguments' });
  expect(JSON.stringify(await client.callTool({ name: 'log' }))).toContain('[\\"refund o1 40\\"]');
});

test('Composio: an e-mail goes to the desk alone, and its cut answer is not sent again', async () => {
  const sent: object[] = [];
  const server = await standIn('https://backend.composio.dev', (mcp) => {
    const inputSchema = z.object({
      recipient_email: z.string(),
      subject: z.string().optional(),
      body: z.string().optional(),
    });
    mcp.registerTool('GMAIL_SEND_EMAIL', { description: 'Sends an e-mail.', inputSchema }, (args) => {
      sent.push(args);
      return said({ successful: true, data: { id: '18d4', threadId: '18d4' }, error: null });
    });
    mcp.registerTool('GMAIL_DELETE_MESSAGE', { description: 'Deletes.', inputSchema }, () => said({}));
  });
  vi.stubEnv('COMPOSIO_SERVER', 'srv_1');
  vi.stubEnv('COMPOSIO_USER', 'acme');
  vi.stubEnv('COMPOSIO_API_KEY', 'ak_test');

  const { tools } = await import('../../examples/recipes/composio-tools.ts');
  const toolbox = toolboxOf(tools);
  const mail = (toolCallId: string, subject: string) =>
    toolbox.run('email_the_desk', { recipient_email: 'eve@evil.example', subject, body: 'x' }, { toolCallId });
  const first = await mail('a', 'One');
  server.state.isCut = true;
  const cut = await mail('b', 'Two');
  server.state.isCut = false;
  const again = [await mail('c', 'Two'), await mail('d', 'One')];

  expect(server.last).toMatchObject({
    path: '/v3/mcp/srv_1?user_id=acme',
    headers: { 'x-api-key': 'ak_test' },
  });
  expect(seenBy(tools)).toEqual({ email_the_desk: ['subject', 'body'] });
  expect([first, cut, ...again].map(({ status }) => status)).toEqual(['done', 'unknown', 'unknown', 'done']);
  expect(sent).toEqual([
    { recipient_email: 'desk@acme.example', subject: 'One', body: 'x' },
    { recipient_email: 'desk@acme.example', subject: 'Two', body: 'x' },
  ]);
});

test('Composio: a failure that looks like an answer is none', async () => {
  const server = await standIn('https://backend.composio.dev', (mcp) => {
    const inputSchema = z.object({ recipient_email: z.string(), subject: z.string() });
    mcp.registerTool('GMAIL_SEND_EMAIL', { description: 'Sends an e-mail.', inputSchema }, () =>
      said({ successful: false, data: {}, error: 'Quota exceeded' }),
    );
  });
  vi.resetModules();

  const { tools } = await import('../../examples/recipes/composio-tools.ts');
  const { status } = await toolboxOf(tools).run('email_the_desk', { subject: 'One' });

  expect(server.last.path).toContain('/v3/mcp/');
  expect(status).toBe('unknown');
});

test('Nango: two of your actions, and an appointment is made once', async () => {
  const events: object[] = [];
  const server = await standIn('https://api.nango.dev', (mcp) => {
    const inputSchema = z.object({ summary: z.string(), start: z.string() });
    mcp.registerTool('create-event', { description: 'Creates an event.', inputSchema }, (args) => {
      events.push(args);
      return said({ id: `e${events.length}` });
    });
    mcp.registerTool('list-events', { description: 'Lists events.' }, () => said({ events }));
    mcp.registerTool('delete-event', { description: 'Deletes.', inputSchema }, () => said({}));
  });
  vi.stubEnv('NANGO_SECRET_KEY', 'secret');

  const { tools } = await import('../../examples/recipes/nango-tools.ts');
  const toolbox = toolboxOf(tools);
  const visit = { summary: 'Visit', start: '2026-12-01T10:00:00Z' };
  const made = [
    await toolbox.run('create_event', visit, { toolCallId: 'a' }),
    await toolbox.run('create_event', visit, { toolCallId: 'b' }),
  ];

  expect(server.last.headers).toMatchObject({
    authorization: 'Bearer secret',
    'connection-id': 'acme',
    'provider-config-key': 'google-calendar',
  });
  expect(Object.keys(seenBy(tools))).toEqual(['list_events', 'create_event']);
  expect(made.map(({ replayed }) => replayed)).toEqual([false, true]);
  expect(events).toEqual([visit]);
  expect((await toolbox.run('list_events', {})).status).toBe('done');
});

test('Stripe: the caller’s own charges, and one of them is refunded once, after a yes', async () => {
  const asked: object[] = [];
  const refunds: object[] = [];
  const server = await standIn('https://mcp.stripe.com', (mcp) => {
    const inputSchema = z.object({
      stripe_api_operation_id: z.string(),
      parameters: z.record(z.string(), z.unknown()),
    });
    mcp.registerTool('stripe_api_read', { description: 'Reads.', inputSchema }, (args) => {
      asked.push(args);
      const charge = {
        id: 'ch_1',
        object: 'charge',
        amount: 4000,
        payment_intent: 'pi_1',
        receipt_email: 'a@b.example',
      };
      return said({ object: 'list', data: [charge], has_more: false });
    });
    mcp.registerTool('stripe_api_write', { description: 'Writes.', inputSchema }, () => said({}));
    mcp.registerTool(
      'create_refund',
      {
        description: 'Refunds.',
        inputSchema: z.object({
          payment_intent: z.string(),
          amount: z.int().optional(),
          reason: z.string().optional(),
        }),
      },
      (args) => {
        refunds.push(args);
        return said({ id: 're_1', object: 'refund', amount: args.amount, status: 'succeeded' });
      },
    );
  });
  vi.stubEnv('STRIPE_KEY', 'rk_test');

  const { tools, customerOfCall } = await import('../../examples/recipes/stripe-tools.ts');
  customerOfCall.set('CA1', 'cus_1');
  const toolbox = toolboxOf(tools);
  const args = { payment_intent: 'pi_1', amount: 4000 };
  const stranger = await createToolbox({ tools, context: { callId: 'CA2' } }).run('list_charges', {});
  const read = await toolbox.run('list_charges', { parameters: '{"customer":"cus_2"}' });
  const question = await toolbox.run('create_refund', args);
  server.state.isCut = true;
  const cut = await toolbox.run('create_refund', args, { confirmed: true });
  server.state.isCut = false;
  const again = await toolbox.run('create_refund', args, { confirmed: true });
  const much = await toolbox.run('create_refund', { ...args, amount: 40_000 }, { confirmed: true });
  const all = await toolbox.run('create_refund', { payment_intent: 'pi_1' }, { confirmed: true });

  expect(server.last.headers.authorization).toBe('Bearer rk_test');
  expect(seenBy(tools)).toEqual({ list_charges: [], create_refund: ['payment_intent', 'amount', 'reason'] });
  expect(asked).toEqual([{ stripe_api_operation_id: 'GetCharges', parameters: { customer: 'cus_1', limit: 5 } }]);
  expect(stranger.status).not.toBe('done');
  expect(read.text).toContain('pi_1');
  expect(read.text).not.toContain('a@b.example');
  expect(question.value).toMatchObject({ error: 'confirmation_required' });
  expect([cut, again, much, all].map(({ status }) => status)).toEqual(['unknown', 'unknown', 'refused', 'refused']);
  expect(refunds).toEqual([args]);
});

test('Salesforce: the caller’s own cases, and a case is created once', async () => {
  const asked: object[] = [];
  const created: object[] = [];
  const server = await standIn('https://api.salesforce.com', (mcp) => {
    mcp.registerTool('soqlQuery', { description: 'Queries.', inputSchema: z.object({ query: z.string() }) }, (args) => {
      asked.push(args);
      return said({ totalSize: 1, done: true, records: [{ CaseNumber: '00001026', Subject: 'A lamp' }] });
    });
    mcp.registerTool(
      'createSobjectRecord',
      {
        description: 'Creates a record.',
        inputSchema: z.object({ 'sobject-name': z.string(), body: z.record(z.string(), z.unknown()) }),
      },
      (args) => {
        created.push(args);
        return said({ id: '500xx', success: true, errors: [] });
      },
    );
    mcp.registerTool('deleteSobjectRecord', { description: 'Deletes a record.' }, () => said({}));
  });
  vi.stubEnv('SALESFORCE_TOKEN', 'token');

  const { tools } = await import('../../examples/recipes/salesforce-tools.ts');
  const toolbox = toolboxOf(tools);
  const body = '{"Subject":"The lamp is broken"}';
  const cases = await toolbox.run('list_my_cases', { query: 'SELECT Id FROM User' });
  const withheld = await createToolbox({ tools, context: { callId: 'CA2' } }).run('list_my_cases', {});
  await toolbox.run('create_case', { body }, { toolCallId: 'a' });
  await toolbox.run('create_case', { body, sobject_name: 'User' }, { toolCallId: 'b' });

  expect(server.last).toMatchObject({
    path: '/platform/mcp/v1/platform/sobject-all',
    headers: { authorization: 'Bearer token' },
  });
  expect(seenBy(tools)).toEqual({ list_my_cases: [], create_case: ['body'] });
  expect(asked).toEqual([{ query: expect.stringMatching(/^SELECT CaseNumber, Subject .* = '\+14155550100'$/) }]);
  expect(cases.text).toContain('A lamp');
  expect(withheld.status).toBe('refused');
  expect(created).toEqual([{ 'sobject-name': 'Case', body: { Subject: 'The lamp is broken' } }]);
});

test('HubSpot: its own server writes a deal once, and a cut answer is not known', async () => {
  const deals: object[] = [];
  const state = { isCut: false };
  const http = createServer(async (request, response) => {
    const { inputs } = (await json(request)) as { inputs: object[] };
    deals.push(...inputs);
    if (state.isCut) return void request.socket.destroy();
    const results = inputs.map((input) => ({ id: `${deals.length}`, ...input }));
    response
      .writeHead(201, { 'content-type': 'application/json' })
      .end(JSON.stringify({ status: 'COMPLETE', results }));
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  await using folder = await makeScratchFolder();
  const server = fileURLToPath(new URL('node_modules/@hubspot/mcp-server/dist/index.js', import.meta.url));
  // The real package, without asking the registry for it, and without HubSpot.
  const { port } = http.address() as AddressInfo;
  const command = `test "$*" = "-y @hubspot/mcp-server" && BASE_URL_OVERRIDE=http://127.0.0.1:${port} exec "${process.execPath}" "${server}"`;
  await writeFile(folder.file('npx'), `#!/bin/sh\n${command}\n`);
  await chmod(folder.file('npx'), 0o755);
  vi.stubEnv('PATH', `${folder.path}:${process.env['PATH']}`);
  vi.stubEnv('HUBSPOT_KEY', 'pat-1');

  const { tools } = await import('../../examples/recipes/hubspot-tools.ts');
  const toolbox = toolboxOf(tools);
  const create = (dealname: string, toolCallId: string) =>
    toolbox.run('create_deal', { inputs: [{ properties: JSON.stringify({ dealname }) }] }, { toolCallId });
  const first = await create('Repair', 'a');
  state.isCut = true;
  const cut = await create('Roof', 'b');
  state.isCut = false;
  const again = [await create('Roof', 'c'), await create('Repair', 'd')];

  expect(seenBy(tools)).toEqual({ create_deal: ['inputs'] });
  expect([first, cut, ...again].map(({ status }) => status)).toEqual(['done', 'unknown', 'unknown', 'done']);
  expect(deals.length).toBe(2);
});

/** A shop whose next answer is cut after the work. */
const openShop = async () => {
  const orders: string[] = [];
  const state = { isCut: false };
  const http = createServer(async (request, response) => {
    orders.push(`${request.url} ${JSON.stringify(await json(request))}`);
    if (state.isCut) return void request.socket.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"o1","status":"succeeded"}');
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  leadFetch('https://shop.example', new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}`));
  return { orders, state };
};

test('a framework’s tool: an order is made once, and a cut answer is not known', async () => {
  const { orders, state } = await openShop();
  const { tools } = await import('./safe-tools/framework.ts');
  const toolbox = toolboxOf(tools);
  const order = (part: string, toolCallId: string) => toolbox.run('order_part', { part, quantity: 1 }, { toolCallId });

  const first = await order('lamp', 'a');
  state.isCut = true;
  const cut = await order('fuse', 'b');
  state.isCut = false;
  const again = [await order('fuse', 'c'), await order('lamp', 'd')];

  expect([first, cut, ...again].map(({ status }) => status)).toEqual(['done', 'unknown', 'unknown', 'done']);
  expect(orders).toEqual(['/orders {"part":"lamp","quantity":1}', '/orders {"part":"fuse","quantity":1}']);
});

test('your own function: a refund is made once, after a yes, and below the limit', async () => {
  const { orders } = await openShop();
  const { tools } = await import('./safe-tools/own-function.ts');
  const toolbox = toolboxOf(tools);
  const refund = (amount: number, confirmed: boolean) =>
    toolbox.run('refund_order', { order_id: 'o1', amount }, { confirmed });

  const ends = [await refund(40, false), await refund(40, true), await refund(40, true), await refund(400, true)];

  expect(ends.map(({ status }) => status)).toEqual(['refused', 'done', 'done', 'refused']);
  expect(ends[2]?.value).toMatchObject({ already_paid: true });
  expect(orders).toEqual(['/orders/o1/refund {"amount":40}']);
});
