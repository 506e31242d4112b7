import { generateText, stepCountIs } from 'ai-6';
import { MockLanguageModelV3 } from 'ai-6/test';
import { aiSdk } from '../../src/tools/providers/ai-sdk.ts';
import { asText, describeTarget, type ModelResult } from './suite.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

describeTarget({
  name: 'Vercel AI SDK, the major before',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns) => {
    const model = new MockLanguageModelV3({
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
    await generateText({ model, prompt: 'Pay my invoice.', tools: aiSdk.tools(toolbox), stopWhen: stepCountIs(10) });
    const results = (model.doGenerateCalls.at(-1)?.prompt ?? [])
      .filter((message) => message.role === 'tool')
      .flatMap(({ content }) => content)
      .filter((part) => part.type === 'tool-result')
      .map(
        ({ toolCallId, output }): ModelResult => ({
          id: toolCallId,
          text: 'value' in output ? String(output.value) : output.type,
          isError: output.type === 'error-text',
        }),
      );
    return { sent: JSON.stringify(model.doGenerateCalls), results };
  },
});
