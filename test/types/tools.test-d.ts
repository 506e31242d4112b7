import type { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { expectTypeOf, test } from 'vitest';
import {
  type Approval,
  type Approve,
  createToolbox,
  defineTool,
  type OriginalPayment,
  type Tool,
  type ToolInfo,
  type ToolQuestion,
  type ToolStatus,
  toolFrom,
} from 'voice-agent-integrations/tools';
import { aiSdk } from 'voice-agent-integrations/tools/ai-sdk';
import { type McpClient, toolsFromMcp } from 'voice-agent-integrations/tools/mcp';
import * as z from 'zod';

const options = {
  name: 'refund',
  description: 'Gives money back.',
  parameters: z.object({ amount: z.number() }),
  effect: 'payment' as const,
  confirm: false as const,
  run: () => ({ success: true }),
};

test('a tool names who agrees, and a toolbox who approves', () => {
  const tools: Tool[] = [defineTool({ ...options, confirm: 'both' })];
  createToolbox({
    tools,
    approve: (summary, { tool, caller }) => summary.includes(tool) && caller.verified === 'strong',
  });
  createToolbox({ tools, approve: async () => ({ approved: true }) });
  createToolbox({ tools, approve: 'framework' });

  // @ts-expect-error no such way to agree
  defineTool({ ...options, confirm: 'three-step' });
  // @ts-expect-error no such answer
  const late: Approval = 'later';
  createToolbox({ tools, approve: () => late });

  expectTypeOf<Approve>().returns.toEqualTypeOf<Approval | Promise<Approval>>();
  expectTypeOf<ToolInfo['needsApproval']>().toEqualTypeOf<boolean>();
  expectTypeOf<'waiting'>().toExtend<ToolStatus>();
});

test('a refund names the payment that it gives back', () => {
  const refund = { ...options, effect: 'payment' } as const;
  defineTool({ ...refund, refundOf: async () => ({ id: 'P1', amount: '120.50', refunded: null }) });
  defineTool({ ...refund, refundOf: () => undefined });
  // @ts-expect-error without its amount
  defineTool({ ...refund, refundOf: () => ({ id: 'P1' }) });
  expectTypeOf<OriginalPayment['amount']>().toEqualTypeOf<number | string>();
});

test('a run says what the caller said last', () => {
  const toolbox = createToolbox({ tools: [] });
  toolbox.run('refund', {}, { turn: 3, confirmed: true, approved: true });
  toolbox.bind(() => ({ turn: 'item_7' }));
  // @ts-expect-error not a turn
  toolbox.run('refund', {}, { turn: {} });

  expectTypeOf(aiSdk.toolApproval(toolbox)).toExtend<Record<string, unknown>>();
});

test('a tool that exists needs an effect; its arguments are of any kind', () => {
  const weather = {
    description: 'The weather.',
    inputSchema: z.object({ town: z.string() }),
    execute: async ({ town }: { town: string }) => town,
  };
  expectTypeOf(toolFrom(weather, { name: 'weather', effect: 'read' })).toEqualTypeOf<Tool>();
  toolFrom(weather, { name: 'weather', effect: ({ town }) => (town === 'Bonn' ? 'read' : 'write') });
  toolFrom(weather, { name: 'weather', effect: 'payment', key: 'key', amount: ({ cents }) => Number(cents) / 100 });

  // @ts-expect-error: the effect must be said
  toolFrom(weather, { name: 'weather' });
  // @ts-expect-error: no such effect
  toolFrom(weather, { name: 'weather', effect: 'reads' });
  // @ts-expect-error: a text is no tool
  toolFrom('weather', { name: 'weather', effect: 'read' });
});

test('a write is idempotent, or done once', () => {
  const options = {
    name: 'order',
    description: 'Orders.',
    parameters: z.object({}),
    effect: 'write',
    run: () => ({}),
  } as const;
  defineTool({ ...options, idempotent: 'once' });
  defineTool({ ...options, idempotent: true });
  // @ts-expect-error: no such word
  defineTool({ ...options, idempotent: 'twice' });
});

test('the tools of an MCP server are named, each with its effect', async () => {
  const older = {} as OlderClient;
  const client: McpClient = older;
  const made = toolsFromMcp(client, {
    find: 'read',
    cancel: { effect: 'write', bind: { phone: ({ caller }) => caller.phone } },
    request: { effect: ({ method }) => (method === 'list' ? 'read' : 'payment'), amount: () => 5, key: 'request.key' },
  });
  expectTypeOf(made).toEqualTypeOf<Promise<readonly Tool[]>>();

  // @ts-expect-error: no such effect
  toolsFromMcp(client, { find: 'look' });
  // @ts-expect-error: the effect must be said
  toolsFromMcp(client, { find: { confirm: 'two-step' } });
  // @ts-expect-error: no client
  toolsFromMcp({ listTools: async () => ({}) }, { find: 'read' });
});

test('a target that asks a person gets a question, and answers with its state', async () => {
  const toolbox = createToolbox({ tools: [] });
  const { question } = await toolbox.run('refund', {}, { consent: 'ask' });
  if (question) await toolbox.run('refund', {}, { consent: { state: question.state, agreed: true } });
  // @ts-expect-error an answer without the question's state
  await toolbox.run('refund', {}, { consent: { agreed: true } });

  expectTypeOf(question).toEqualTypeOf<ToolQuestion | undefined>();
});
