import Anthropic from '@anthropic-ai/sdk';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import { anthropic } from '../../src/tools/providers/anthropic.ts';
import { startScriptedServer } from './scripted-server.ts';
import { expect, test } from 'vitest';
import { startRecordingServer } from '../support/recording-server.ts';
import { createPaymentTools } from '../support/payment-tools.ts';
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

test('Anthropic Messages, streamed: a payment that max_tokens cut isn’t made without the arguments that are missing', async () => {
  await using server = await startRecordingServer();
  const events = [
    { type: 'message_start', message: { ...message([], 0), content: [], stop_reason: null } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'call_1', name: 'pay_invoice', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"invoice_id":"inv_1","amount":12.5,"reference":"Only if' },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'max_tokens', stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];
  server.answer({
    json: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  });
  const { toolbox, charges } = createPaymentTools();

  const answer = await clientOf(server.baseUrl)
    .messages.stream({
      ...ask,
      messages: [{ role: 'user', content: 'Pay my invoice.' }],
      tools: anthropic.tools(toolbox),
    })
    .finalMessage();
  const results = await anthropic.runAll(toolbox, answer);

  // The package itself makes a whole call of it.
  expect(answer.content).toMatchObject([{ name: 'pay_invoice', input: { invoice_id: 'inv_1', amount: 12.5 } }]);
  expect(charges).toEqual([]);
  expect(JSON.stringify(results)).toContain('cut_off');
});
