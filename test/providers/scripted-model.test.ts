import Anthropic from '@anthropic-ai/sdk';
import { BedrockRuntimeClient, ConverseCommand, type Message } from '@aws-sdk/client-bedrock-runtime';
import { type Content, GoogleGenAI } from '@google/genai';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { createScriptedModel, type ScriptedStep } from '../../src/dev/testing/index.ts';
import type { Toolbox } from '../../src/tools/index.ts';
import { anthropic } from '../../src/tools/providers/anthropic.ts';
import { generateContent } from '../../src/tools/providers/google.ts';
import { bedrock } from '../../src/tools/providers/bedrock.ts';
import { chat, responses } from '../../src/tools/providers/openai.ts';
import { createPaymentTools } from '../support/payment-tools.ts';

const payment = { invoice_id: 'inv_1', amount: 49.9 };

/** An agent as its vendor's README shows it, up to the words that it says. */
type Agent = (baseUrl: string, toolbox: Toolbox) => Promise<string | null | undefined>;

const chatAgent: Agent = async (baseUrl, toolbox) => {
  const openai = new OpenAI({ apiKey: 'test', baseURL: `${baseUrl}/v1` });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Pay inv_1.' }];
  for (;;) {
    const { choices } = await openai.chat.completions.create({ model: 'any', messages, tools: chat.tools(toolbox) });
    const message = choices[0]!.message;
    const results = await chat.runAll(toolbox, message);
    if (results.length === 0) return message.content;
    messages.push(message, ...results);
  }
};

const streamingAgent: Agent = async (baseUrl, toolbox) => {
  const openai = new OpenAI({ apiKey: 'test', baseURL: `${baseUrl}/v1` });
  const runner = openai.chat.completions.runTools({
    model: 'any',
    stream: true,
    messages: [{ role: 'user', content: 'Pay inv_1.' }],
    tools: chat.runnable(toolbox),
  });
  return runner.finalContent();
};

const responsesAgent: Agent = async (baseUrl, toolbox) => {
  const openai = new OpenAI({ apiKey: 'test', baseURL: `${baseUrl}/v1` });
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Pay inv_1.' }];
  for (;;) {
    const answer = await openai.responses.create({ model: 'any', input, tools: responses.tools(toolbox) });
    const results = await responses.runAll(toolbox, answer);
    if (results.length === 0) return answer.output_text;
    input.push(...(answer.output as OpenAI.Responses.ResponseInput), ...results);
  }
};

const anthropicAgent: Agent = async (baseURL, toolbox) => {
  const client = new Anthropic({ apiKey: 'test', baseURL });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Pay inv_1.' }];
  for (;;) {
    const tools = anthropic.tools(toolbox);
    const answer = await client.messages.create({ model: 'any', max_tokens: 100, messages, tools });
    const results = await anthropic.runAll(toolbox, answer);
    const [first] = answer.content;
    if (!results) return first?.type === 'text' ? first.text : undefined;
    messages.push({ role: 'assistant', content: answer.content }, results);
  }
};

const geminiAgent: Agent = async (baseUrl, toolbox) => {
  const client = new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl } });
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Pay inv_1.' }] }];
  for (;;) {
    const config = { tools: generateContent.tools(toolbox) };
    const answer = await client.models.generateContent({ model: 'any', contents, config });
    const results = await generateContent.runAll(toolbox, answer);
    if (!results) return answer.text;
    contents.push(answer.candidates![0]!.content!, results);
  }
};

const streamingResponsesAgent: Agent = async (baseUrl, toolbox) => {
  const openai = new OpenAI({ apiKey: 'test', baseURL: `${baseUrl}/v1` });
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Pay inv_1.' }];
  for (;;) {
    const stream = openai.responses.stream({ model: 'any', input, tools: responses.tools(toolbox) });
    const words: string[] = [];
    stream.on('response.output_text.delta', ({ delta }) => void words.push(delta));
    const answer = await stream.finalResponse();
    const results = await responses.runAll(toolbox, answer);
    if (results.length === 0) return words.join('');
    input.push(...(answer.output as OpenAI.Responses.ResponseInput), ...results);
  }
};

const streamingAnthropicAgent: Agent = async (baseURL, toolbox) => {
  const client = new Anthropic({ apiKey: 'test', baseURL });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Pay inv_1.' }];
  for (;;) {
    const tools = anthropic.tools(toolbox);
    const words: string[] = [];
    const stream = client.messages.stream({ model: 'any', max_tokens: 100, messages, tools });
    stream.on('text', (text) => void words.push(text));
    const answer = await stream.finalMessage();
    const results = await anthropic.runAll(toolbox, answer);
    if (!results) return words.join('');
    messages.push({ role: 'assistant', content: answer.content }, results);
  }
};

const streamingGeminiAgent: Agent = async (baseUrl, toolbox) => {
  const client = new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl } });
  const contents: Content[] = [{ role: 'user', parts: [{ text: 'Pay inv_1.' }] }];
  for (;;) {
    const config = { tools: generateContent.tools(toolbox) };
    const stream = await client.models.generateContentStream({ model: 'any', contents, config });
    for await (const answer of stream) {
      const results = await generateContent.runAll(toolbox, answer);
      if (!results) return answer.text;
      contents.push(answer.candidates![0]!.content!, results);
    }
  }
};

const bedrockAgent: Agent = async (endpoint, toolbox) => {
  const client = new BedrockRuntimeClient({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    // The default speaks HTTP/2.
    requestHandler: new NodeHttpHandler(),
  });
  const messages: Message[] = [{ role: 'user', content: [{ text: 'Pay inv_1.' }] }];
  for (;;) {
    const toolConfig = bedrock.tools(toolbox);
    const { output } = await client.send(new ConverseCommand({ modelId: 'any', messages, toolConfig }));
    const results = await bedrock.runAll(toolbox, output!.message!);
    if (!results) return output!.message!.content![0]!.text;
    messages.push(output!.message!, results);
  }
};

describe.each<[string, Agent]>([
  ['Chat Completions', chatAgent],
  ['Chat Completions as a stream', streamingAgent],
  ['Responses', responsesAgent],
  ['Anthropic Messages', anthropicAgent],
  ['Gemini generateContent', geminiAgent],
  ['Responses as a stream', streamingResponsesAgent],
  ['Anthropic Messages as a stream', streamingAnthropicAgent],
  ['Bedrock Converse', bedrockAgent],
  ['Gemini generateContent as a stream', streamingGeminiAgent],
])('%s', (_name, agent) => {
  test('calls a tool, reads its result and says the last words', async () => {
    const { toolbox } = createPaymentTools();
    await using model = createScriptedModel([
      ({ caller }): ScriptedStep => (caller === 'Pay inv_1.' ? { call: 'pay_invoice', args: payment } : 'Not asked.'),
      ({ results }) => `Paid: ${results.join()}`,
    ]);

    expect(await agent(await model.listen(), toolbox)).toMatch(/^Paid: .*C-1/);
    expect(model.stepsLeft).toBe(0);
    expect(model.requests).toHaveLength(2);
  });

  test('two calls at once', async () => {
    const { toolbox } = createPaymentTools();
    await using model = createScriptedModel([
      [{ call: 'find_invoice' }, { call: 'pay_invoice', args: payment }],
      ({ results }) => `${results.length} results`,
    ]);

    expect(await agent(await model.listen(), toolbox)).toBe('2 results');
  });

  test('a tool that is not offered, and a request too many, say so', async () => {
    const { toolbox } = createPaymentTools();
    await using model = createScriptedModel([{ call: 'fly_to_moon' }]);
    const baseUrl = await model.listen();

    await expect(agent(baseUrl, toolbox)).rejects.toThrow(/Step 1 calls fly_to_moon, and the request offers find_inv/);
    await expect(agent(baseUrl, toolbox)).rejects.toThrow(/The script has 1 steps, and this is request 2/);
  });
});

test('a model without a script fails on the first request', async () => {
  await using model = createScriptedModel([]);
  const response = await fetch(`${await model.listen()}/v1/chat/completions`, { method: 'POST', body: '{}' });

  expect(response.status).toBe(400);
  expect(await response.text()).toContain('The script is empty: expected no request.');
});
