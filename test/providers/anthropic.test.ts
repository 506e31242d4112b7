import Anthropic from '@anthropic-ai/sdk';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import { anthropic } from '../../src/tools/providers/anthropic.ts';
import { startScriptedServer } from './scripted-server.ts';
import { type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

const message = (calls: readonly ModelCall[], index: number) => ({
  id: `msg_${index}`,
  type: 'message',
  role: 'assistant',
  model: 'scripted',
  stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
  content:
    calls.length > 0
      ? calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
      : [{ type: 'text', text: 'Done.' }],
});

const clientOf = (baseURL: string) => new Anthropic({ baseURL, apiKey: 'test', maxRetries: 0 });

const ask = { model: 'scripted', max_tokens: 100 } as const;

/** The results of one turn stand in one message. The runner sends each message once, the plain API all of them. */
const resultsIn = (messages: readonly Anthropic.MessageParam[]): ModelResult[] =>
  messages.flatMap(({ role, content }) =>
    role !== 'user' || typeof content === 'string'
      ? []
      : content
          .filter((block) => block.type === 'tool_result')
          .map((block) => ({
            id: block.tool_use_id,
            text: String(block.content),
            isError: block.is_error ?? false,
          })),
  );

const messagesOf = (body: unknown) => (body as { messages: Anthropic.MessageParam[] }).messages;

describeTarget({
  name: 'Anthropic Messages',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, message);
    const client = clientOf(server.baseUrl);
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Pay my invoice.' }];
    for (;;) {
      const answer = await client.messages.create({ ...ask, messages, tools: anthropic.tools(toolbox) });
      messages.push({ role: 'assistant', content: answer.content });
      const results = await anthropic.runAll(toolbox, answer);
      if (!results) return { sent: server.sent(), results: resultsIn(messagesOf(server.requests.at(-1)?.body)) };
      messages.push(results);
    }
  },
});

describeTarget({
  name: 'Anthropic Messages, the tool runner',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, message);
    const runner = clientOf(server.baseUrl).beta.messages.toolRunner({
      ...ask,
      messages: [{ role: 'user', content: 'Pay my invoice.' }],
      tools: anthropic.runnable(toolbox, { ToolError }),
    });
    await runner.runUntilDone();
    const bodies = server.requests.map(({ body }) => messagesOf(body));
    return { sent: server.sent(), results: resultsIn(bodies.flatMap((messages) => messages.slice(-1))) };
  },
});
