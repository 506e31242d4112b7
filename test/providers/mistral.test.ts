import { Mistral } from '@mistralai/mistralai';
import type { ChatCompletionRequestMessage } from '@mistralai/mistralai/models/components';
import { mistral } from '../../src/tools/providers/mistral.ts';
import { startScriptedServer } from './scripted-server.ts';
import { asText, type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

const completion = (calls: readonly ModelCall[]) => ({
  id: 'cmpl_1',
  object: 'chat.completion',
  model: 'scripted',
  created: 1,
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  choices: [
    {
      index: 0,
      finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      message: {
        role: 'assistant',
        content: calls.length > 0 ? '' : 'Done.',
        tool_calls: calls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: asText(call) },
        })),
      },
    },
  ],
});

const resultsIn = (body: unknown): ModelResult[] =>
  (body as { messages: { role: string; tool_call_id: string; content: string }[] }).messages
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id, content }) => ({ id: tool_call_id, text: content }));

describeTarget({
  name: 'Mistral',
  flagsErrors: false,
  sendsText: true,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, completion);
    const client = new Mistral({ apiKey: 'test', serverURL: server.baseUrl });
    const messages: ChatCompletionRequestMessage[] = [{ role: 'user', content: 'Pay my invoice.' }];
    for (;;) {
      const answer = await client.chat.complete({ model: 'scripted', messages, tools: mistral.tools(toolbox) });
      const message = answer.choices[0]!.message!;
      messages.push({ ...message, role: 'assistant' });
      const results = await mistral.runAll(toolbox, answer.choices[0]!);
      if (results.length === 0) return { sent: server.sent(), results: resultsIn(server.requests.at(-1)?.body) };
      messages.push(...results);
    }
  },
});
