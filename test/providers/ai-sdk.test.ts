import type {
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Text,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider';
import { generateText, isStepCount, type ModelMessage, streamText } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import { aiSdk } from '../../src/tools/providers/ai-sdk.ts';
import { createPaymentTools } from '../support/payment-tools.ts';
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
