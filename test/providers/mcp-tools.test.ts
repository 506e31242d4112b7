import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client as NewClient } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, type ExistingToolOptions, type ToolEffect } from '../../src/tools/index.ts';
import { type McpClient, toolsFromMcp } from '../../src/tools/providers/mcp.ts';
import { chat } from '../../src/tools/providers/openai.ts';
import { until } from '../support/until.ts';
import { serveHttp } from './http-mcp-server.ts';
import { connectHttp, connectPair, type Generation, generations, startProcess } from './mcp-clients.ts';

type ToolMap = Readonly<Record<string, ToolEffect | ExistingToolOptions>>;

const toolboxOf = async (client: McpClient, map: ToolMap) =>
  createToolbox({
    tools: await toolsFromMcp(client, map),
    context: { callId: 'CA1' },
    deadline: 20_000,
    onError: () => {},
  });

const packageFile = (path: string) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

/** All tools of a server, by the hints that it gives. */
const mapOfAll = async (client: McpClient): Promise<ToolMap> => {
  const { tools } = (await client.listTools()) as {
    tools: { name: string; annotations?: { readOnlyHint?: boolean } }[];
  };
  return Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint ? 'read' : 'write']));
};

describe.each(generations)('%s', (generation) => {
  test('waits as long as the tool call lasts, and cancels a look-up at the server', async () => {
    let isCancelled = false;
    await using pair = await connectPair(generation, (server) => {
      server.registerTool('wait', { inputSchema: {} }, (_args, extra) => {
        const { signal } = 'mcpReq' in extra ? (extra.mcpReq as { signal: AbortSignal }) : extra;
        signal.addEventListener('abort', () => (isCancelled = true));
        return new Promise<never>(() => {});
      });
    });
    const toolbox = await toolboxOf(pair.client, { wait: 'read' });

    const result = await toolbox.run('wait', {}, { deadline: 100 });
    await until(() => isCancelled);

    expect(result.status).toBe('failed');
  });

  test('the wait of a write is the client’s own limit', async () => {
    const given: unknown[] = [];
    await using pair = await connectPair(generation, (server) => {
      server.registerTool('note', { inputSchema: {} }, () => ({ content: [] }));
    });
    const { client } = pair;
    const toolbox = await toolboxOf(client, { note: 'write' });
    const { request } = client as unknown as { request: (...args: unknown[]) => Promise<unknown> };
    Object.assign(client, {
      request: (...args: unknown[]) => {
        given.push(args.map((arg) => Object(arg).timeout as unknown));
        return request.apply(client, args);
      },
    });

    const { status } = await toolbox.run('note', {});

    expect(status).toBe('done');
    expect(given).toEqual([generation === 'the older package' ? [undefined, undefined, 60_000] : [undefined, 60_000]]);
  });

  test('a list without an end is refused', async () => {
    let pages = 0;
    await using pair = await connectPair(generation, (server) => {
      server.registerTool('note', { inputSchema: {} }, () => ({ content: [] }));
      const { server: part } = server as unknown as { server: { _requestHandlers: Map<string, unknown> } };
      part._requestHandlers.set('tools/list', () => {
        pages += 1;
        const tools = [{ name: `tool_${pages}`, inputSchema: { type: 'object', properties: {} } }];
        return Promise.resolve({ tools, nextCursor: String(pages), resultType: 'complete' });
      });
    });

    await expect(toolsFromMcp(pair.client, { note: 'write' })).rejects.toThrow('did not list its tools');
    expect(pages).toBeLessThan(100);
  });

  test('an answer that breaks its schema comes after the work', async () => {
    let runs = 0;
    await using pair = await connectPair(generation, (server) => {
      server.registerTool('cancel', { inputSchema: {}, outputSchema: { total: z.number() } }, () => {
        runs += 1;
        return { content: [], structuredContent: { total: 'much' } };
      });
    });

    const result = await (await toolboxOf(pair.client, { cancel: 'write' })).run('cancel', {});

    expect([result.status, runs]).toEqual(['unknown', 1]);
    expect(result.text).toContain('It is not known whether this was done');
  });

  /** A server whose tool lists this schema of its answers, and gives this answer. */
  const answering = (outputSchema: object, structuredContent: object | undefined) =>
    connectPair(generation, (server) => {
      server.registerTool('cancel', { inputSchema: {} }, () => ({ content: [], structuredContent }) as never);
      const { server: part } = server as unknown as { server: { _requestHandlers: Map<string, unknown> } };
      const tool = { name: 'cancel', inputSchema: { type: 'object', properties: {} }, outputSchema };
      part._requestHandlers.set('tools/list', () => Promise.resolve({ tools: [tool], resultType: 'complete' }));
    });

  test('a pattern for answers that backtracks for hours does not run, also if you have listed the tools', async () => {
    const outputSchema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a|a)*$' } } };
    await using pair = await answering(outputSchema, { text: `${'a'.repeat(40)}!` });
    await pair.client.listTools();

    const toolbox = await toolboxOf(pair.client, { cancel: 'write' });

    // With the pattern, the process would stay here.
    expect(await toolbox.run('cancel', {})).toMatchObject({ status: 'done' });
  });

  test('a schema for answers that is none leaves the tool usable', async () => {
    await using pair = await answering(
      { type: 'object', properties: { text: { type: 'string', pattern: '(' } } },
      { text: 'x' },
    );

    expect(await (await toolboxOf(pair.client, { cancel: 'write' })).run('cancel', {})).toMatchObject({
      status: 'done',
    });
  });

  const order = {
    type: 'object',
    properties: {
      id: { type: ['integer', 'null'] },
      state: { enum: ['open', 'done'] },
      items: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'object', required: ['sku'] }] } },
    },
    required: ['id'],
  };

  test.each<[what: string, answer: object | undefined, expected: string]>([
    ['fits', { id: 5, state: 'open', items: ['a', { sku: 'b' }], more: 1 }, 'done'],
    ['fits with null', { id: null }, 'done'],
    ['is absent', undefined, 'unknown'],
    ['lacks a field', { state: 'open' }, 'unknown'],
    ['has another kind', { id: 'five' }, 'unknown'],
    ['has another word', { id: 5, state: 'lost' }, 'unknown'],
    ['has another kind within a list', { id: 5, items: [{ name: 'b' }] }, 'unknown'],
  ])('an answer that %s', async (_what, answer, expected) => {
    await using pair = await answering(order, answer);

    expect((await (await toolboxOf(pair.client, { cancel: 'write' })).run('cancel', {})).status).toBe(expected);
  });

  test('arguments that the server’s package refuses were not sent to the tool', async () => {
    let runs = 0;
    await using pair = await connectPair(generation, (server) => {
      server.registerTool('cancel', { inputSchema: { order: z.string().refine((id) => id.startsWith('o')) } }, () => {
        runs += 1;
        return { content: [] };
      });
    });

    const result = await (await toolboxOf(pair.client, { cancel: 'write' })).run('cancel', { order: 'x' });

    expect([result.status, runs]).toEqual(['refused', 0]);
  });

  test('a server that dies in the middle leaves a write unknown; later calls were not sent', async () => {
    await using odd = await startProcess(generation, [fileURLToPath(new URL('odd-mcp-server.ts', import.meta.url))]);
    const toolbox = await toolboxOf(odd.client, { hang: 'read', die: 'write' });

    expect(await toolbox.run('die', {})).toMatchObject({ status: 'unknown' });
    expect(await toolbox.run('die', {})).toMatchObject({ status: 'unknown', value: { error: 'status_unknown' } });
    expect(await toolbox.run('hang', {})).toMatchObject({
      status: 'failed',
      value: { error: 'temporarily_unavailable' },
    });
  });

  test('a look-up that hangs ends with the tool call', async () => {
    await using odd = await startProcess(generation, [fileURLToPath(new URL('odd-mcp-server.ts', import.meta.url))]);
    const toolbox = await toolboxOf(odd.client, { hang: 'read', flood: 'write' });

    expect(await toolbox.run('hang', {}, { deadline: 200 })).toMatchObject({ status: 'failed' });
    const { status, text } = await toolbox.run('flood', {});

    // Above 10 MB, the packages end the connection.
    expect(status).toBe('unknown');
    expect(text).toContain('It is not known whether this was done');
  });
});

describe.each(generations)('over HTTP, %s', (generation) => {
  test('a cut answer of a write is not known, and the next call goes through', async () => {
    let runs = 0;
    await using shop = await serveHttp((server) => {
      server.registerTool('note', { inputSchema: z.object({ text: z.string() }) }, () => {
        runs += 1;
        return { content: [{ type: 'text', text: 'Noted.' }] };
      });
    });
    await using http = await connectHttp(generation, shop.url);
    const toolbox = await toolboxOf(http.client, { note: 'write' });

    shop.state.isCut = true;
    const cut = await toolbox.run('note', { text: 'a' });
    shop.state.isCut = false;
    const same = await toolbox.run('note', { text: 'a' });
    const next = await toolbox.run('note', { text: 'b' });

    expect([cut.status, same.status, next.status, runs]).toEqual(['unknown', 'unknown', 'done', 2]);
  });

  test('a server that is gone was not asked', async () => {
    const shop = await serveHttp((server) => {
      server.registerTool('note', { inputSchema: z.object({}) }, () => ({ content: [] }));
    });
    await using http = await connectHttp(generation, shop.url);
    const toolbox = await toolboxOf(http.client, { note: 'write' });

    await shop[Symbol.asyncDispose]();

    expect(await toolbox.run('note', {})).toMatchObject({
      status: 'failed',
      value: { error: 'temporarily_unavailable' },
    });
  });

  test('40 MB are a line of 600 characters', async () => {
    await using shop = await serveHttp((server) => {
      server.registerTool('list', { inputSchema: z.object({}) }, () => ({
        content: [{ type: 'text', text: JSON.stringify(Array.from({ length: 40 }, () => 'x'.repeat(1_000_000))) }],
      }));
    });
    await using http = await connectHttp(generation, shop.url);

    const { status, text } = await (await toolboxOf(http.client, { list: 'read' })).run('list', {});

    expect([status, text.length <= 600]).toEqual(['done', true]);
  });
});

test('the older server’s question to a client that can not answer leaves a write unknown', async () => {
  await using pair = await connectPair('the older package', (server) => {
    server.registerTool('refund', { inputSchema: {} }, async () => {
      const { server: part } = server as McpServer;
      await part.elicitInput({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } });
      return { content: [] };
    });
  });

  expect(await (await toolboxOf(pair.client, { refund: 'write' })).run('refund', {})).toMatchObject({
    status: 'unknown',
  });
});

test('a question of the server is answered by the client that can; without it nothing hangs', async () => {
  let runs = 0;
  await using shop = await serveHttp((server) => {
    server.registerTool('refund', { inputSchema: z.object({ order: z.string() }) }, (_args, context) => {
      if (!acceptedContent(context.mcpReq.inputResponses, 'sure'))
        return inputRequired({
          inputRequests: {
            sure: inputRequired.elicit({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }),
          },
        });
      runs += 1;
      return { content: [{ type: 'text', text: 'Refunded.' }] };
    });
  });
  const refund = async (elicitation: { form: Record<string, never> } | undefined) => {
    await using http = await connectHttp('the newer package', shop.url, elicitation && { elicitation });
    const { client } = http;
    if (elicitation && client instanceof NewClient)
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }));
    const { status } = await (await toolboxOf(client, { refund: 'write' })).run('refund', { order: '1' });
    return status;
  };

  expect(await refund(undefined)).toBe('failed');
  expect(runs).toBe(0);
  expect(await refund({ form: {} })).toBe('done');
  expect(runs).toBe(1);
});

describe('servers from npm', () => {
  /** HubSpot's API, as far as its server asks here. It may cut the answer after the work. */
  const fakeHubSpot = async () => {
    const contacts: { id: string; properties: Record<string, string> }[] = [];
    const state = { isCut: false };
    const http = createServer(async (request, response) => {
      const { inputs } = (await json(request)) as { inputs: { id?: string; properties: Record<string, string> }[] };
      const results = inputs.map(({ id, properties }) => {
        const known = contacts.find((contact) => contact.id === id);
        if (known) return Object.assign(known, { properties: { ...known.properties, ...properties } });
        const made = { id: String(512 + contacts.length), properties };
        contacts.push(made);
        return made;
      });
      if (state.isCut) return void request.socket.destroy();
      response
        .writeHead(201, { 'content-type': 'application/json' })
        .end(JSON.stringify({ status: 'COMPLETE', results }));
    });
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
    return {
      contacts,
      state,
      url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
      [Symbol.asyncDispose]: async () => {
        http.closeAllConnections();
        await new Promise((resolve) => void http.close(resolve));
      },
    };
  };

  const startHubSpot = (generation: Generation, url: string) =>
    startProcess(generation, [packageFile('@hubspot/mcp-server/dist/index.js')], {
      BASE_URL_OVERRIDE: url,
      PRIVATE_APP_ACCESS_TOKEN: 'pat-1',
    });

  test.each(generations)('HubSpot’s own gives 21 of 21 tools to %s', async (generation) => {
    await using hubspot = await startHubSpot(generation, 'http://127.0.0.1:9');

    const toolbox = await toolboxOf(hubspot.client, await mapOfAll(hubspot.client));

    expect(chat.tools(toolbox).length).toBe(21);
    expect(toolbox.tools().every(({ name }) => /^[a-z][a-z0-9_]{0,39}$/.test(name))).toBe(true);
  });

  test('HubSpot’s own: a record is JSON text, ids chain, and a cut answer is not known', async () => {
    await using fake = await fakeHubSpot();
    await using hubspot = await startHubSpot('the newer package', fake.url);
    const toolbox = await toolboxOf(hubspot.client, {
      'hubspot-batch-create-objects': 'write',
      'hubspot-batch-update-objects': 'write',
    });
    const create = (firstname: string) =>
      toolbox.run('hubspot_batch_create_objects', {
        objectType: 'contacts',
        inputs: [{ properties: JSON.stringify({ firstname, email: 'ada@example.com' }) }],
      });

    const made = await create('Ada');
    await toolbox.run('hubspot_batch_update_objects', {
      objectType: 'contacts',
      inputs: [{ id: '512', properties: '{"city":"Bonn"}' }],
    });
    fake.state.isCut = true;
    const cut = await create('Bob');
    fake.state.isCut = false;
    const later = [await create('Bob'), await create('Bob'), await create('Ada')];

    expect(later.map(({ status, replayed }) => [status, replayed])).toEqual([
      ['unknown', false],
      ['unknown', false],
      ['done', true],
    ]);
    expect(made.value).toEqual({ status: 'COMPLETE', results: [{ id: '512', firstname: 'Ada' }] });
    expect(fake.contacts[0]).toEqual({
      id: '512',
      properties: { firstname: 'Ada', email: 'ada@example.com', city: 'Bonn' },
    });
    expect([cut.status, fake.contacts.length]).toEqual(['unknown', 2]);
    expect(cut.text).toContain('It is not known whether this was done');
  });

  test('the reference server for files gives 14 of 14 tools, and paths chain', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-files-'));
    try {
      await writeFile(join(folder, 'hours.txt'), 'Open from 9 to 5.');
      await using files = await startProcess('the older package', [
        packageFile('@modelcontextprotocol/server-filesystem/dist/index.js'),
        folder,
      ]);
      const toolbox = await toolboxOf(files.client, await mapOfAll(files.client));

      const path = join(folder, 'note.txt');
      expect(toolbox.tools().length).toBe(14);
      expect(await toolbox.run('write_file', { path, content: 'Call back.' })).toMatchObject({ status: 'done' });
      expect(await readFile(path, 'utf8')).toBe('Call back.');
      expect((await toolbox.run('read_text_file', { path: join(folder, 'hours.txt') })).text).toContain(
        'Open from 9 to 5.',
      );
      expect((await toolbox.run('search_files', { path: folder, pattern: '**/*.txt' })).text).toContain(path);
      expect(await toolbox.run('read_text_file', { path: '/etc/hostname' })).toMatchObject({ status: 'refused' });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('the reference server for memory gives 9 of 9 tools', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-memory-'));
    try {
      await using memory = await startProcess(
        'the newer package',
        [packageFile('@modelcontextprotocol/server-memory/dist/index.js')],
        { MEMORY_FILE_PATH: join(folder, 'memory.json') },
      );
      const toolbox = await toolboxOf(memory.client, await mapOfAll(memory.client));
      const entities = [{ name: 'Ada', entityType: 'caller', observations: ['likes tea'] }];

      expect(toolbox.tools().length).toBe(9);
      expect(await toolbox.run('create_entities', { entities })).toMatchObject({ status: 'done' });
      expect((await toolbox.run('search_nodes', { query: 'Ada' })).text).toContain('likes tea');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each(generations)('the reference server for everything, over HTTP, with %s', async (generation) => {
    const port = await freePort();
    const server = spawn(
      process.execPath,
      [packageFile('@modelcontextprotocol/server-everything/dist/index.js'), 'streamableHttp'],
      {
        env: { ...process.env, PORT: String(port) },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    try {
      await new Promise<void>((resolve) => {
        server.stderr.on('data', (chunk) => String(chunk).includes('listening') && resolve());
      });
      await using http = await connectHttp(generation, new URL(`http://127.0.0.1:${port}/mcp`));
      const { 'simulate-research-query': _onlyAsTask, ...map } = await mapOfAll(http.client);
      const toolbox = await toolboxOf(http.client, map);

      expect(toolbox.tools().length).toBeGreaterThanOrEqual(12);
      expect((await toolbox.run('get_sum', { a: 2, b: 3 })).text).toContain('5');
      expect(await toolbox.run('get_structured_content', { location: 'Chicago' })).toMatchObject({
        status: 'done',
        value: { conditions: expect.any(String) },
      });
      expect(await toolbox.run('get_tiny_image', {})).toMatchObject({ value: { not_shown: ['image'] } });
      expect((await toolbox.run('get_resource_links', { count: 1 })).status).toBe('done');
    } finally {
      server.kill();
    }
  });
});

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => void server.close(resolve));
  return port;
};
