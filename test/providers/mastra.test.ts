import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { MockLanguageModelV3 } from 'ai-6/test';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Toolbox, ToolResult } from '../../src/tools/index.ts';
import { mastra } from '../../src/tools/providers/mastra.ts';
import { createApprovedTools } from '../support/payment-tools.ts';
import { asText, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const generates = (turns: readonly (readonly ModelCall[])[]) =>
  new MockLanguageModelV3({
    doGenerate: [...turns, []].map((calls) => ({
      content:
        calls.length > 0
          ? calls.map((call) => ({
              type: 'tool-call' as const,
              toolCallId: call.id,
              toolName: call.name,
              input: asText(call),
            }))
          : [{ type: 'text' as const, text: 'Done.' }],
      finishReason: { unified: calls.length > 0 ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
      usage,
      warnings: [],
    })),
  });

/** An agent as Mastra's README makes one, with a store where an approval waits. */
const agentOf = (toolbox: Toolbox, model: MockLanguageModelV3) => {
  const tools = mastra.tools(toolbox, { createTool });
  const agent = new Agent({ id: 'a', name: 'A', instructions: 'Help.', model, tools });
  new Mastra({ agents: { agent }, storage: new InMemoryStore(), logger: false });
  return agent;
};

const resultsIn = (model: MockLanguageModelV3): ModelResult[] =>
  (model.doGenerateCalls.at(-1)?.prompt ?? [])
    .filter((message) => message.role === 'tool')
    .flatMap(({ content }) => content)
    .filter((part) => part.type === 'tool-result')
    .map(({ toolCallId, output }) => ({
      id: toolCallId,
      text: 'value' in output ? String(output.value) : output.type,
      isError: output.type === 'error-text',
    }));

describeTarget({
  name: 'Mastra',
  flagsErrors: true,
  // Mastra itself answers arguments that are no JSON.
  sendsText: false,
  // It keeps one result for an id.
  refusesRepeatedIds: true,
  drive: async (toolbox, turns) => {
    const model = generates(turns);
    await agentOf(toolbox, model).generate('Pay my invoice.', { maxSteps: 10 });
    return { sent: JSON.stringify(model.doGenerateCalls), results: resultsIn(model) };
  },
});

const refund: ModelCall = { id: 'call_1', name: 'refund', args: { amount: 5 } };

test.each([true, false])('Mastra: a person is asked before the tool runs, and says %s', async (approved) => {
  const tools = createApprovedTools('approve');
  const agent = agentOf(tools.toolbox, generates([[refund]]));

  const first = await agent.generate('Give me my money back.', { maxSteps: 10 });
  expect(first.finishReason).toBe('suspended');
  expect(tools.refunds).toEqual([]);

  const pending = { runId: first.runId ?? '', toolCallId: 'call_1' };
  if (approved) await agent.approveToolCallGenerate(pending);
  else await agent.declineToolCallGenerate(pending);
  expect(tools.refunds).toEqual(approved ? [5] : []);
});

test.each(['no', 'false', 1, { approved: true }])(
  'Mastra: a run resumed with approved: %j runs no tool',
  async (approved) => {
    const tools = createApprovedTools('approve');
    const agent = agentOf(tools.toolbox, generates([[refund]]));
    const first = await agent.generate('Give me my money back.', { maxSteps: 10 });
    await agent.resumeGenerate({ approved }, { runId: first.runId ?? '', toolCallId: 'call_1' });

    expect(tools.refunds).toEqual([]);
  },
);

test('Mastra: a model that confirms in the same answer is refused', async () => {
  const tools = createApprovedTools('two-step');
  const made = mastra.tools(tools.toolbox, { createTool })['refund']!;
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const said = [{ role: 'user', content: 'Give me my money back.' }];
  const call = async (toolCallId: string, messages: typeof said, confirmation_token?: string) => {
    vi.setSystemTime(Date.now() + 10_000);
    const agent = { agentId: 'a', toolCallId, messages, suspend: async () => undefined };
    return (await made.execute?.({ amount: 5, confirmation_token }, { agent } as never)) as ToolResult;
  };
  const tokenIn = ({ value }: ToolResult) => (value as { confirmation_token?: string }).confirmation_token;

  const first = await call('call_1', said);
  const second = await call('call_2', said, tokenIn(first));
  const third = await call('call_3', [...said, { role: 'user', content: 'Yes.' }], tokenIn(second));

  expect([second, third].map(({ status }) => status)).toEqual(['refused', 'done']);
  expect(tools.refunds).toEqual([5]);
});
