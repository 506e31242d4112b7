/** What a server does while it is connected, with the real packages: its list changes, and it asks. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, type ToolEffect } from '../../src/tools/index.ts';
import { type McpClient, toolsFromMcp } from '../../src/tools/providers/mcp.ts';
import { type Answers, connectPair, generations } from './mcp-clients.ts';

const toolboxOf = async (client: McpClient, name: string, effect: ToolEffect) =>
  createToolbox({
    tools: await toolsFromMcp(client, { [name]: { effect, amount: () => 5, confirm: false } }),
    context: { callId: 'CA1' },
    payments: { below: 200 },
    onError: () => {},
  });

const done = { content: [{ type: 'text' as const, text: 'Refunded.' }] };

describe.each(generations)('a list that changes, %s', (generation) => {
  const open = async () => {
    const calls: unknown[] = [];
    let server: Pick<McpServer, 'registerTool' | 'server'> | undefined;
    let note: ReturnType<McpServer['registerTool']> | undefined;
    const pair = await connectPair(generation, (own) => {
      server = own;
      note = own.registerTool('note', { inputSchema: { text: z.string() } }, (args) => {
        calls.push(args);
        return done;
      });
    });
    return { ...pair, calls, server: server!, note: note! };
  };

  test('what is new stays out', async () => {
    await using shop = await open();
    const toolbox = await toolboxOf(shop.client, 'note', 'write');

    shop.server.registerTool('drop_table', { inputSchema: {} }, () => done);

    expect(toolbox.tools().map(({ name }) => name)).toEqual(['note']);
    expect(await toolbox.run('drop_table', {})).toMatchObject({ status: 'refused' });
    expect(await toolbox.run('note', { text: 'a' })).toMatchObject({ status: 'done' });
  });

  test('what is gone was not done, and is done once it is back', async () => {
    await using shop = await open();
    const toolbox = await toolboxOf(shop.client, 'note', 'write');

    shop.note.disable();
    const gone = await toolbox.run('note', { text: 'a' });
    shop.note.enable();
    const back = await toolbox.run('note', { text: 'a' });

    expect(['refused', 'failed']).toContain(gone.status);
    expect([back.status, shop.calls]).toEqual(['done', [{ text: 'a' }]]);
  });

  test('a tool that wants something else now did nothing', async () => {
    await using shop = await open();
    const toolbox = await toolboxOf(shop.client, 'note', 'write');

    const paramsSchema = { text: z.string(), author: z.string() };
    // The newer package takes a whole schema.
    shop.note.update({
      paramsSchema: generation === 'the older package' ? paramsSchema : (z.object(paramsSchema) as never),
    });

    expect((await toolbox.run('note', { text: 'a' })).status).toBe('refused');
    expect(shop.calls).toEqual([]);
  });
});

describe.each(generations)('a question of the server, %s', (generation) => {
  const ask = {
    elicitation: ({ server }: Pick<McpServer, 'server'>) =>
      server.elicitInput({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }),
    sampling: ({ server }: Pick<McpServer, 'server'>) =>
      server.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'Is it a refund?' } }],
        maxTokens: 5,
      }),
  };

  const open = async (kind: keyof typeof ask, answers: Answers) => {
    const state = { refunds: 0 };
    const pair = await connectPair(
      generation,
      (server) => {
        server.registerTool('refund', { inputSchema: {} }, async () => {
          const answer = await ask[kind](server);
          if ('action' in answer && answer.action !== 'accept') return { content: [], isError: true };
          state.refunds += 1;
          return done;
        });
      },
      answers,
    );
    return { ...pair, state };
  };

  const kinds = ['elicitation', 'sampling'] as const;
  const yes = async () => ({ action: 'accept', content: {} }) as const;

  test.each(kinds)('%s is answered by the client that can', async (kind) => {
    await using shop = await open(kind, { elicitation: yes, sampling: async () => 'Yes.' });

    expect((await (await toolboxOf(shop.client, 'refund', 'payment')).run('refund', {})).status).toBe('done');
    expect(shop.state.refunds).toBe(1);
  });

  test.each(kinds)('%s of a client that can’t leaves it unknown, and nothing hangs', async (kind) => {
    await using shop = await open(kind, {});
    const toolbox = await toolboxOf(shop.client, 'refund', 'payment');

    const ends = [await toolbox.run('refund', {}), await toolbox.run('refund', {})];

    expect(ends.map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    expect(shop.state.refunds).toBe(0);
  });

  test('no is no success', async () => {
    await using shop = await open('elicitation', { elicitation: async () => ({ action: 'decline' }) });

    expect((await (await toolboxOf(shop.client, 'refund', 'payment')).run('refund', {})).status).toBe('unknown');
    expect(shop.state.refunds).toBe(0);
  });

  test.each(['write', 'payment'] as const)('a %s whose person takes long is done once', async (effect) => {
    const answer = Promise.withResolvers<void>();
    await using shop = await open('elicitation', { elicitation: () => answer.promise.then(yes) });
    const toolbox = await toolboxOf(shop.client, 'refund', effect);

    const late = await toolbox.run('refund', {}, { deadline: 200 });
    const again = toolbox.run('refund', {}, { deadline: 10_000 });
    answer.resolve();

    expect([late.status, (await again).status]).toEqual(['unknown', 'done']);
    expect(shop.state.refunds).toBe(1);
  });
});
