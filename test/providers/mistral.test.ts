import { Mistral } from '@mistralai/mistralai';
import type { AssistantMessage, ChatCompletionRequestMessage } from '@mistralai/mistralai/models/components';
import { chat } from '../../src/tools/providers/openai.ts';
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

/** The package reads snake case into camel case, and arguments may be an object. */
const callsIn = (message: AssistantMessage | undefined) =>
  (message?.toolCalls ?? []).map(({ id = '', function: { name, arguments: args } }) => ({
    id,
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));

describeTarget({
  name: 'Chat Completions, with the package of Mistral',
  flagsErrors: false,
  sendsText: true,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, completion);
    const client = new Mistral({ apiKey: 'test', serverURL: server.baseUrl });
    const messages: ChatCompletionRequestMessage[] = [{ role: 'user', content: 'Pay my invoice.' }];
    for (;;) {
      const tools = chat.tools(toolbox, { strict: false });
      const { choices } = await client.chat.complete({ model: 'scripted', messages, tools });
      const { finishReason, message } = choices[0]!;
      messages.push({ ...message, role: 'assistant' });
      const results = await chat.runAll(toolbox, {
        finish_reason: finishReason,
        message: { role: 'assistant', tool_calls: callsIn(message) },
      });
      if (results.length === 0) return { sent: server.sent(), results: resultsIn(server.requests.at(-1)?.body) };
      messages.push(...results.map(({ role, tool_call_id, content }) => ({ role, toolCallId: tool_call_id, content })));
    }
  },
});
