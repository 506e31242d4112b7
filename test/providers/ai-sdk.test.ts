import type {
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider';
import { generateText, isStepCount, type ModelMessage, streamText } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { expect, onTestFinished, test, vi } from 'vitest';
import { aiSdk } from '../../src/tools/providers/ai-sdk.ts';
import { createApprovedTools, createPaymentTools } from '../support/payment-tools.ts';
import { asText, type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const contentOf = (calls: readonly ModelCall[]): (LanguageModelV4ToolCall | LanguageModelV4Text)[] =>
  calls.length > 0
    ? calls.map((call) => ({
        type: 'tool-call' as const,
        toolCallId: call.id,
        toolName: call.name,
        input: asText(call),
      }))
    : [{ type: 'text' as const, text: 'Done.' }];

const finishReason = (calls: readonly ModelCall[]) =>
  calls.length > 0
    ? ({ unified: 'tool-calls', raw: undefined } as const)
    : ({ unified: 'stop', raw: undefined } as const);

const generates = (turns: readonly (readonly ModelCall[])[]) =>
  new MockLanguageModelV4({
    doGenerate: [...turns, []].map((calls) => ({
      content: contentOf(calls),
      finishReason: finishReason(calls),
      usage,
      warnings: [],
    })),
  });

const toStreamParts = (part: LanguageModelV4ToolCall | LanguageModelV4Text): LanguageModelV4StreamPart[] =>
  part.type === 'tool-call'
    ? [part]
    : [
        { type: 'text-start', id: 'text' },
        { type: 'text-delta', id: 'text', delta: part.text },
        { type: 'text-end', id: 'text' },
      ];

const streams = (turns: readonly (readonly ModelCall[])[]) =>
  new MockLanguageModelV4({
    doStream: [...turns, []].map((calls) => ({
      stream: convertArrayToReadableStream<LanguageModelV4StreamPart>([
        { type: 'stream-start' as const, warnings: [] },
        ...contentOf(calls).flatMap(toStreamParts),
        { type: 'finish' as const, finishReason: finishReason(calls), usage },
      ]),
    })),
  });

const resultsIn = (prompt: LanguageModelV4Prompt): ModelResult[] =>
  prompt
    .filter((message) => message.role === 'tool')
    .flatMap(({ content }) => content)
    .filter((part) => part.type === 'tool-result')
    .map(({ toolCallId, output }) => ({
      id: toolCallId,
      text: 'value' in output ? String(output.value) : output.type,
      isError: output.type === 'error-text',
    }));

const seenBy = (calls: readonly { readonly prompt: LanguageModelV4Prompt }[]): Driven => ({
  sent: JSON.stringify(calls),
  results: resultsIn(calls.at(-1)?.prompt ?? []),
});

const ask = { prompt: 'Pay my invoice.', stopWhen: isStepCount(10) };

describeTarget({
  name: 'Vercel AI SDK, generateText',
  flagsErrors: true,
  // The SDK itself answers arguments that are no JSON.
  sendsText: false,
  drive: async (toolbox, turns) => {
    const model = generates(turns);
    await generateText({ ...ask, model, tools: aiSdk.tools(toolbox) });
    return seenBy(model.doGenerateCalls);
  },
});

describeTarget({
  name: 'Vercel AI SDK, streamText',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns) => {
    const model = streams(turns);
    await streamText({ ...ask, model, tools: aiSdk.tools(toolbox, { strict: true }) }).consumeStream();
    return seenBy(model.doStreamCalls);
  },
});

describeTarget({
  name: 'Vercel AI SDK, a loop of your own',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns) => {
    const model = generates(turns);
    const withoutExecute = Object.fromEntries(
      Object.entries(aiSdk.tools(toolbox)).map(([name, { execute: _, toModelOutput: __, ...tool }]) => [name, tool]),
    );
    const messages: ModelMessage[] = [{ role: 'user', content: 'Pay my invoice.' }];
    for (;;) {
      const answer = await generateText({ model, messages, tools: withoutExecute });
      messages.push(...answer.response.messages);
      if (answer.toolCalls.length === 0) return seenBy(model.doGenerateCalls);
      messages.push({
        role: 'tool',
        content: await Promise.all(answer.toolCalls.map((call) => aiSdk.run(toolbox, call))),
      });
    }
  },
});

test('Vercel AI SDK: the application gets the whole result, the model its text', async () => {
  const { toolbox } = createPaymentTools();
  const model = generates([[{ id: 'call_1', name: 'find_invoice', args: {} }]]);

  const { steps } = await generateText({ ...ask, model, tools: aiSdk.tools(toolbox) });

  expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual([
    {
      status: 'done',
      value: { invoice_id: 'inv_1', amount: 49.9 },
      text: '{"invoice_id":"inv_1","amount":49.9}',
      replayed: false,
    },
  ]);
});

const request = (id: string, args: object): ModelCall => ({ id, name: 'refund', args });

/** Runs until the model is done or a person is asked, who then says yes or no. */
const runWithApproval = async (
  { toolbox }: Pick<ReturnType<typeof createApprovedTools>, 'toolbox'>,
  turns: readonly (readonly ModelCall[])[],
  approved: boolean,
  toolApproval: ReturnType<typeof aiSdk.toolApproval> = {},
) => {
  const model = generates(turns);
  const messages: ModelMessage[] = [{ role: 'user', content: 'Give me my money back.' }];
  const tools = aiSdk.tools(toolbox);
  const first = await generateText({ model, messages, tools, stopWhen: isStepCount(10), toolApproval });
  const asked = first.content.filter((part) => part.type === 'tool-approval-request');
  messages.push(...first.response.messages, {
    role: 'tool',
    content: asked.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved })),
  });
  if (asked.length > 0) await generateText({ model, messages, tools, stopWhen: isStepCount(10), toolApproval });
  return { asked: asked.map(({ toolCall }) => toolCall.input), prompt: model.doGenerateCalls.at(-1)?.prompt ?? [] };
};

test.each([
  ['needsApproval of the tool', true, false],
  ['toolApproval', true, true],
  ['toolApproval, refused', false, true],
])('Vercel AI SDK: a person is asked before the tool runs: %s', async (_what, approved, isGiven) => {
  const tools = createApprovedTools('approve');
  const toolApproval = isGiven ? aiSdk.toolApproval(tools.toolbox) : {};
  const { asked } = await runWithApproval(tools, [[request('call_1', { amount: 5 })]], approved, toolApproval);

  expect(asked).toEqual([{ amount: 5 }]);
  expect(tools.refunds).toEqual(approved ? [5] : []);
});

test('Vercel AI SDK: with both kinds the caller agrees first, and the person isn’t asked before', async () => {
  const tools = createApprovedTools('both');
  const { asked, prompt } = await runWithApproval(tools, [[request('call_1', { amount: 5 })]], true);

  expect(asked).toEqual([]);
  expect(resultsIn(prompt)[0]?.text).toContain('confirmation_required');
});

test('Vercel AI SDK: a model that confirms in the same answer is refused, after the next words it isn’t', async () => {
  const tools = createApprovedTools('two-step');
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { execute } = aiSdk.tools(tools.toolbox)['refund']!;
  const said = [{ role: 'user', content: 'Give me my money back.' }];
  const call = async (toolCallId: string, messages: typeof said, confirmation_token?: unknown) => {
    vi.setSystemTime(Date.now() + 10_000);
    return execute({ amount: 5, confirmation_token }, { toolCallId, messages });
  };
  const first = await call('call_1', said);
  const second = await call('call_2', said, tokenIn(first));
  const third = await call('call_3', [...said, { role: 'user', content: 'Yes.' }], tokenIn(second));

  expect([second, third].map(({ status }) => status)).toEqual(['refused', 'done']);
  expect(tools.refunds).toEqual([5]);
});

const tokenIn = ({ value }: { readonly value: unknown }) =>
  (value as { confirmation_token?: string }).confirmation_token;
