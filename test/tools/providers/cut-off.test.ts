import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool, type Toolbox } from '../../../src/tools/index.ts';
import { aiSdk } from '../../../src/tools/providers/ai-sdk.ts';
import { anthropic } from '../../../src/tools/providers/anthropic.ts';
import { bedrock } from '../../../src/tools/providers/bedrock.ts';
import { generateContent } from '../../../src/tools/providers/google.ts';
import { langchain } from '../../../src/tools/providers/langchain.ts';
import { openaiAgents } from '../../../src/tools/providers/openai-agents.ts';
import { chat, realtime, responses } from '../../../src/tools/providers/openai.ts';

/** A payment, a message to a customer and a look-up, and which of them ran. */
const createTools = () => {
  const runs: string[] = [];
  const tool = (name: string, effect: 'read' | 'write' | 'payment') =>
    defineTool({
      name,
      description: 'Works at once.',
      parameters: z.object({ amount: z.number().optional(), text: z.string().optional() }),
      effect,
      confirm: false,
      run: () => {
        runs.push(name);
        return { success: true };
      },
    });
  const tools = [tool('pay', 'payment'), tool('reply', 'write'), tool('look_up', 'read')];
  return { toolbox: createToolbox({ tools, context: { callId: 'CA1' } }), runs };
};

const args = { amount: 12, text: 'We refund it, if you have not' };
const names = ['pay', 'reply', 'look_up'];
const asText = JSON.stringify(args);

class ToolMessage {
  readonly fields: object;

  constructor(fields: object) {
    this.fields = fields;
  }
}

const chatMessage = {
  role: 'assistant',
  tool_calls: names.map((name) => ({ id: name, type: 'function', function: { name, arguments: asText } })),
};
const functionCalls = (status: string) =>
  names.map((name) => ({ type: 'function_call', call_id: name, name, arguments: asText, status }));
const blocks = names.map((name) => ({ type: 'tool_use', id: name, name, input: args }));
const toolUses = names.map((name) => ({ toolUse: { toolUseId: name, name, input: args } }));
const toolCalls = names.map((name) => ({ id: name, name, args }));

const inState = (message: object) => async (toolbox: Toolbox) => {
  const made = langchain.tools(toolbox, {
    tool: (execute, { name }) => ({ name, execute }),
    ToolMessage,
  });
  const state = {
    messages: [
      { type: 'human', content: 'Pay.' },
      { type: 'ai', ...message },
    ],
  };
  return Promise.all(made.map(({ name, execute }) => execute(args, { toolCall: { id: name }, state })));
};

/** What each target does with a message, and how its provider says that it was cut. */
const targets: Readonly<Record<string, (toolbox: Toolbox) => Promise<unknown>>> = {
  'Chat Completions: length': (toolbox) => chat.runAll(toolbox, { finish_reason: 'length', message: chatMessage }),
  'Chat Completions: content_filter': (toolbox) =>
    chat.runAll(toolbox, { finish_reason: 'content_filter', message: chatMessage }),
  'Chat Completions: a message, and the reason apart': (toolbox) =>
    chat.runAll(toolbox, chatMessage, { finishReason: 'length' }),
  'Chat Completions: runTools': async (toolbox) => {
    const choices = [{ finish_reason: 'length', message: chatMessage }];
    const runner = { messages: [chatMessage], allChatCompletions: () => [{ choices: [] }, { choices }] };
    return Promise.all(chat.runnable(toolbox).map((tool) => tool.function.function(asText, runner)));
  },
  'Responses: the response is incomplete': (toolbox) =>
    responses.runAll(toolbox, { status: 'incomplete', output: functionCalls('completed') }),
  'Responses: the calls are incomplete': (toolbox) =>
    responses.runAll(toolbox, { output: functionCalls('incomplete') }),
  'Realtime: the response is incomplete': (toolbox) =>
    realtime.runAll(toolbox, { response: { status: 'incomplete', output: functionCalls('completed') } }),
  'Realtime: the calls are incomplete': (toolbox) =>
    realtime.runAll(toolbox, { response: { status: 'completed', output: functionCalls('incomplete') } }),
  'Realtime: the details alone say incomplete': (toolbox) =>
    realtime.runAll(toolbox, {
      response: { status_details: { type: 'incomplete' }, output: functionCalls('completed') },
    }),
  'Realtime: the details alone say why': (toolbox) =>
    realtime.runAll(toolbox, {
      response: { status_details: { reason: 'content_filter' }, output: functionCalls('completed') },
    }),
  'Realtime: the details hold an error': (toolbox) =>
    realtime.runAll(toolbox, {
      response: { status_details: { error: { code: 'server_error' } }, output: functionCalls('completed') },
    }),
  'OpenAI Agents: the call is incomplete': async (toolbox) =>
    Promise.all(
      openaiAgents
        .tools(toolbox, { tool: (definition) => definition })
        .map(({ name, execute }) => execute(args, undefined, { toolCall: { callId: name, status: 'incomplete' } })),
    ),
  'Anthropic: max_tokens': (toolbox) => anthropic.runAll(toolbox, { stop_reason: 'max_tokens', content: blocks }),
  'Anthropic: model_context_window_exceeded': (toolbox) =>
    anthropic.runAll(toolbox, { stop_reason: 'model_context_window_exceeded', content: blocks }),
  'Anthropic: refusal': (toolbox) => anthropic.runAll(toolbox, { stop_reason: 'refusal', content: blocks }),
  'Gemini: MAX_TOKENS': (toolbox) =>
    generateContent.runAll(toolbox, { functionCalls: toolCalls, candidates: [{ finishReason: 'MAX_TOKENS' }] }),
  'Gemini: MALFORMED_FUNCTION_CALL': (toolbox) =>
    generateContent.runAll(toolbox, {
      functionCalls: toolCalls,
      candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }],
    }),
  'Bedrock: max_tokens': (toolbox) =>
    bedrock.runAll(toolbox, { stopReason: 'max_tokens', output: { message: { content: toolUses } } }),
  'Bedrock: guardrail_intervened': (toolbox) =>
    bedrock.runAll(toolbox, { stopReason: 'guardrail_intervened', output: { message: { content: toolUses } } }),
  'Chat Completions of Mistral: model_length': (toolbox) =>
    chat.runAll(toolbox, { finish_reason: 'model_length', message: chatMessage }),
  'Chat Completions of Mistral: error': (toolbox) =>
    chat.runAll(toolbox, { finish_reason: 'error', message: chatMessage }),
  'AI SDK, a loop of one’s own': async (toolbox) =>
    Promise.all(
      names.map((name) =>
        aiSdk.run(toolbox, { toolCallId: name, toolName: name, input: args }, { finishReason: 'length' }),
      ),
    ),
  'LangChain, a loop of one’s own': (toolbox) =>
    langchain.runAll(toolbox, { tool_calls: toolCalls, response_metadata: { finish_reason: 'length' } }),
  'LangChain on OpenAI': inState({ response_metadata: { finish_reason: 'length' } }),
  'LangChain on OpenAI Responses': inState({ response_metadata: { status: 'incomplete' } }),
  'LangChain on OpenAI Responses, in detail': inState({
    response_metadata: { incomplete_details: { reason: 'max_output_tokens' } },
  }),
  'LangChain on Anthropic': inState({ response_metadata: { stop_reason: 'max_tokens' } }),
  'LangChain on Anthropic, at its other place': inState({ additional_kwargs: { stop_reason: 'max_tokens' } }),
  'LangChain on Gemini': inState({ response_metadata: { finishReason: 'MAX_TOKENS' } }),
  'LangChain on Bedrock': inState({ response_metadata: { stopReason: 'max_tokens' } }),
  'LangChain on Bedrock, streamed': inState({ response_metadata: { messageStop: { stopReason: 'max_tokens' } } }),
  'LangChain in a graph of messages': async (toolbox) => {
    const made = langchain.tools(toolbox, { tool: (execute, { name }) => ({ name, execute }), ToolMessage });
    const state = [{ type: 'ai', response_metadata: { finish_reason: 'length' } }];
    return Promise.all(made.map(({ name, execute }) => execute(args, { toolCall: { id: name }, state })));
  },
  'a toolbox without a target': async (toolbox) =>
    Promise.all(names.map(async (name) => (await toolbox.run(name, asText, { finishReason: 'max_tokens' })).text)),
};

describe.each(Object.entries(targets))('%s', (_, runAll) => {
  test('no call of a message that was cut runs, and the model makes each again', async () => {
    const { toolbox, runs } = createTools();

    const told = JSON.stringify(await runAll(toolbox));

    expect(runs).toEqual([]);
    expect(told.match(/cut_off/g)).toHaveLength(3);
    expect(told).toContain('Make this call again, shorter.');
  });
});

/** The same messages when they are whole. */
const whole: Readonly<Record<string, (toolbox: Toolbox) => Promise<unknown>>> = {
  'Chat Completions': (toolbox) => chat.runAll(toolbox, { finish_reason: 'tool_calls', message: chatMessage }),
  'Chat Completions, a server that says nothing': (toolbox) =>
    chat.runAll(toolbox, { finish_reason: null, message: chatMessage }),
  'Chat Completions, the message alone': (toolbox) => chat.runAll(toolbox, chatMessage),
  Responses: (toolbox) => responses.runAll(toolbox, { status: 'completed', output: functionCalls('completed') }),
  Realtime: (toolbox) =>
    realtime.runAll(toolbox, { response: { status: 'completed', output: functionCalls('completed') } }),
  'Realtime, a server that says nothing': (toolbox) =>
    realtime.runAll(toolbox, { response: { status_details: null, output: functionCalls('completed') } }),
  Anthropic: (toolbox) => anthropic.runAll(toolbox, { stop_reason: 'tool_use', content: blocks }),
  Gemini: (toolbox) =>
    generateContent.runAll(toolbox, { functionCalls: toolCalls, candidates: [{ finishReason: 'STOP' }] }),
  Bedrock: (toolbox) => bedrock.runAll(toolbox, { stopReason: 'tool_use', output: { message: { content: toolUses } } }),
  'Bedrock, the message alone': (toolbox) => bedrock.runAll(toolbox, { content: toolUses }),
  LangChain: inState({ response_metadata: { finish_reason: 'tool_calls', status: 200 } }),
  'LangChain, an earlier message was cut': async (toolbox) => {
    const made = langchain.tools(toolbox, { tool: (execute, { name }) => ({ name, execute }), ToolMessage });
    const messages = [{ type: 'ai', response_metadata: { finish_reason: 'length' } }, { type: 'tool' }, { type: 'ai' }];
    return Promise.all(made.map(({ name, execute }) => execute(args, { toolCall: { id: name }, state: { messages } })));
  },
};

test.each(Object.entries(whole))('%s: calls of a whole message run', async (_, runAll) => {
  const { toolbox, runs } = createTools();

  await runAll(toolbox);

  expect(runs.toSorted()).toEqual(['look_up', 'pay', 'reply']);
});

test('a call that was cut counts towards the limit of the phone call, and is an event', async () => {
  const ended: unknown[] = [];
  const reply = defineTool({
    name: 'reply',
    description: 'Replies.',
    parameters: z.object({}),
    effect: 'write',
    run: () => ({}),
  });
  const toolbox = createToolbox({
    tools: [reply],
    context: { callId: 'CA1' },
    limits: { toolCalls: 1 },
    onEvent: (event) => ended.push('reason' in event && event.reason),
  });

  await toolbox.run('reply', '{}', { finishReason: 'length' });
  const { text } = await toolbox.run('reply', '{}', { finishReason: 'length' });

  expect(text).toContain('too_many_tool_calls');
  expect(ended).toEqual(['cut_off', 'not_allowed']);
});
