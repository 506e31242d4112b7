import OpenAI from 'openai';
import { ResponsesToolRunner } from 'openai/helpers/responses-tool-runner';
import type { ChatCompletionMessageParam, ChatCompletionToolMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { expect, test } from 'vitest';
import { chat, responses } from '../../src/tools/providers/openai.ts';
import { createPaymentTools } from '../support/payment-tools.ts';
import { type ScriptedServer, startScriptedServer } from './scripted-server.ts';
import { asText, type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

const completion = (calls: readonly ModelCall[]) => ({
  id: 'chatcmpl_1',
  object: 'chat.completion',
  created: 1,
  model: 'scripted',
  choices: [
    {
      index: 0,
      finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      message: {
        role: 'assistant',
        content: calls.length > 0 ? null : 'Done.',
        ...(calls.length > 0 && {
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: asText(call) },
          })),
        }),
      },
    },
  ],
});

const clientOf = ({ baseUrl }: ScriptedServer) => new OpenAI({ baseURL: baseUrl, apiKey: 'test', maxRetries: 0 });

const chatResults = (server: ScriptedServer): ModelResult[] => {
  const { messages } = server.requests.at(-1)?.body as { messages: ChatCompletionMessageParam[] };
  return messages
    .filter((message): message is ChatCompletionToolMessageParam => message.role === 'tool')
    .map(({ tool_call_id, content }) => ({ id: tool_call_id, text: String(content) }));
};

describeTarget({
  name: 'OpenAI Chat Completions',
  flagsErrors: false,
  sendsText: true,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, completion);
    const client = clientOf(server);
    const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Pay my invoice.' }];
    for (;;) {
      const answer = await client.chat.completions.create({ model: 'scripted', messages, tools: chat.tools(toolbox) });
      const message = answer.choices[0]!.message;
      messages.push(message);
      const results = await chat.runAll(toolbox, answer.choices[0]!);
      if (results.length === 0) return { sent: server.sent(), results: chatResults(server) };
      messages.push(...results);
    }
  },
});

describeTarget({
  name: 'OpenAI Chat Completions, runTools',
  flagsErrors: false,
  sendsText: true,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, completion);
    const client = clientOf(server);
    const runner = client.chat.completions.runTools({
      model: 'scripted',
      messages: [{ role: 'user', content: 'Pay my invoice.' }],
      tools: chat.runnable(toolbox),
    });
    await runner.finalContent();
    return { sent: server.sent(), results: chatResults(server) };
  },
});

const response = (calls: readonly ModelCall[], index: number) => ({
  id: `resp_${index}`,
  object: 'response',
  created_at: 1,
  model: 'scripted',
  status: 'completed',
  error: null,
  incomplete_details: null,
  parallel_tool_calls: true,
  output:
    calls.length > 0
      ? calls.map((call, place) => ({
          type: 'function_call',
          id: `fc_${index}_${place}`,
          call_id: call.id,
          name: call.name,
          arguments: asText(call),
          status: 'completed',
        }))
      : [
          {
            type: 'message',
            id: `msg_${index}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
          },
        ],
});

const responsesResults = (server: ScriptedServer): ModelResult[] => {
  const { input } = server.requests.at(-1)?.body as { input: ResponseInputItem[] };
  return input
    .filter((item): item is ResponseInputItem.FunctionCallOutput => item.type === 'function_call_output')
    .map(({ call_id, output }) => ({ id: call_id ?? '', text: String(output) }));
};

describeTarget({
  name: 'OpenAI Responses',
  flagsErrors: false,
  sendsText: true,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, response);
    const client = clientOf(server);
    const input: ResponseInputItem[] = [{ role: 'user', content: 'Pay my invoice.' }];
    for (;;) {
      const answer = await client.responses.create({ model: 'scripted', input, tools: responses.tools(toolbox) });
      input.push(...(answer.output as ResponseInputItem[]));
      const results = await responses.runAll(toolbox, answer);
      if (results.length === 0) return { sent: server.sent(), results: responsesResults(server) };
      input.push(...results);
    }
  },
});

describeTarget({
  name: 'OpenAI Responses, the runner of the package',
  flagsErrors: false,
  // It ends the run for arguments that are no JSON before a tool is asked.
  sendsText: false,
  refusesRepeatedIds: true,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, response);
    const client = clientOf(server);
    const runner = new ResponsesToolRunner({
      functions: responses.runnable(toolbox),
      earlyExecution: responses.early(toolbox),
    });
    await runner.run(client, { model: 'scripted', input: 'Pay my invoice.' });
    return { sent: server.sent(), results: responsesResults(server) };
  },
});

const payment: ModelCall = { id: 'call_1', name: 'pay_invoice', args: { invoice_id: 'inv_1', amount: 12 } };

test('OpenAI Chat Completions: a payment of a message that the token limit cut isn’t made', async () => {
  const { toolbox, charges } = createPaymentTools();
  await using server = await startScriptedServer([[payment], [payment]], (calls) => {
    const whole = completion(calls);
    return { ...whole, choices: whole.choices.map((choice) => ({ ...choice, finish_reason: 'length' })) };
  });
  const client = clientOf(server);
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Pay my invoice.' }];

  const { choices } = await client.chat.completions.create({ model: 'scripted', messages });
  const results = await chat.runAll(toolbox, choices[0]!);
  // The package itself ends a run whose message was cut.
  const run = client.chat.completions.runTools({ model: 'scripted', messages, tools: chat.runnable(toolbox) });
  await expect(run.finalContent()).rejects.toThrow('length limit');

  expect(charges).toEqual([]);
  expect(results).toMatchObject([{ tool_call_id: 'call_1', content: expect.stringContaining('cut_off') }]);
});

test('OpenAI Responses: a payment of a response that the token limit cut isn’t made', async () => {
  const { toolbox, charges } = createPaymentTools();
  await using server = await startScriptedServer([[payment]], (calls, index) => ({
    ...response(calls, index),
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  }));

  const answer = await clientOf(server).responses.create({ model: 'scripted', input: 'Pay my invoice.' });
  const results = await responses.runAll(toolbox, answer);

  expect(charges).toEqual([]);
  expect(results).toMatchObject([{ call_id: 'call_1', output: expect.stringContaining('cut_off') }]);
});
