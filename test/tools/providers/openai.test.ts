import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { chat, realtime, responses } from '../../../src/tools/providers/openai.ts';
import { createPaymentTools } from '../../support/payment-tools.ts';

const email = { type: 'string', format: 'email', description: 'Of the customer' };
const strict = {
  type: 'object',
  properties: { email: { ...email, type: ['string', 'null'] } },
  required: ['email'],
  additionalProperties: false,
};
const portable = { type: 'object', properties: { email }, required: [] };
const told = { name: 'find_invoice', description: 'Finds the open invoice of a customer.' };
const found = '{"invoice_id":"inv_1","amount":49.9}';

describe('Chat Completions', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'find_invoice', arguments: '{}' } } as const;

  test('describes each tool to the model, held to its schema unless the server cannot', () => {
    const { toolbox } = createPaymentTools();

    expect(chat.tools(toolbox)[0]).toEqual({
      type: 'function',
      function: { ...told, parameters: strict, strict: true },
    });
    expect(chat.tools(toolbox, { strict: false })[0]).toEqual({
      type: 'function',
      function: { ...told, parameters: portable, strict: false },
    });
  });

  test('answers a tool call with a message', async () => {
    const { toolbox } = createPaymentTools();

    expect(await chat.run(toolbox, call)).toEqual({ role: 'tool', tool_call_id: 'call_1', content: found });
  });

  test('leaves calls that are no function to the application', async () => {
    const { toolbox } = createPaymentTools();
    const message = { role: 'assistant', tool_calls: [{ id: 'custom_1', type: 'custom' }, call] };

    expect(await chat.runAll(toolbox, message)).toEqual([{ role: 'tool', tool_call_id: 'call_1', content: found }]);
    expect(await chat.runAll(toolbox, { role: 'assistant' })).toEqual([]);
  });

  test('runTools: finds the id of the tool call in the messages of the runner', async () => {
    const ids: (string | undefined)[] = [];
    const tag = defineTool({
      name: 'tag',
      description: 'Tags.',
      parameters: z.object({ word: z.string() }),
      effect: 'write',
      run: (_, { toolCallId }) => {
        ids.push(toolCallId);
      },
    });
    const [tool] = chat.runnable(createToolbox({ tools: [tag], context: { callId: 'CA1' } }));
    const tagWith = (word: string) => ({ name: 'tag', arguments: JSON.stringify({ word }) });
    const runner = {
      messages: [
        { role: 'assistant', tool_calls: [{ id: 'call_1', function: tagWith('late') }] },
        { role: 'tool' },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'call_2', function: tagWith('late') },
            { id: 'call_3', function: tagWith('vip') },
          ],
        },
      ],
    };

    await tool?.function.function(tagWith('vip').arguments, runner);
    await tool?.function.function(tagWith('late').arguments, runner);
    await tool?.function.function(tagWith('new').arguments, runner);

    expect(ids).toEqual(['call_3', 'call_2', undefined]);
  });
});

describe('Responses', () => {
  const item = { type: 'function_call', call_id: 'call_1', name: 'find_invoice', arguments: '{}' };

  test('describes each tool to the model', () => {
    expect(responses.tools(createPaymentTools().toolbox)[0]).toEqual({
      type: 'function',
      ...told,
      parameters: strict,
      strict: true,
    });
  });

  test('answers each function call of an answer with an input item', async () => {
    const { toolbox } = createPaymentTools();

    expect(await responses.runAll(toolbox, { output: [{ type: 'reasoning' }, item] })).toEqual([
      { type: 'function_call_output', call_id: 'call_1', output: found },
    ]);
  });

  test('only what reads may start before the model has finished', () => {
    expect(responses.early(createPaymentTools().toolbox)).toEqual({ functions: ['find_invoice'] });
  });
});

describe('Realtime', () => {
  const item = { type: 'function_call', call_id: 'call_1', name: 'find_invoice', arguments: '{}', status: 'completed' };
  const answer = {
    type: 'conversation.item.create',
    item: { type: 'function_call_output', call_id: 'call_1', output: found },
  };

  test('describes each tool to the model', () => {
    expect(realtime.tools(createPaymentTools().toolbox)[0]).toEqual({
      type: 'function',
      ...told,
      parameters: portable,
    });
  });

  test('answers the event of a finished call, or its item', async () => {
    const { toolbox } = createPaymentTools();
    const event = {
      type: 'response.function_call_arguments.done',
      call_id: 'call_1',
      name: 'find_invoice',
      arguments: '',
    };

    expect(await realtime.run(toolbox, event)).toEqual(answer);
    expect(await realtime.run(toolbox, item)).toEqual(answer);
  });

  test('a finished answer gets all results, and then the model goes on', async () => {
    const { toolbox } = createPaymentTools();
    const done = { response: { status: 'completed', output: [{ type: 'message' }, item] } };

    expect(await realtime.runAll(toolbox, done)).toEqual([answer, { type: 'response.create' }]);
  });

  test.each([
    { status: 'cancelled' },
    { status_details: { type: 'cancelled', reason: 'turn_detected' } },
    { status: 'Canceled' },
  ])('no call of an answer that the person interrupted (%j) runs, and no next answer is asked for', async (ended) => {
    const { toolbox, charges } = createPaymentTools();
    const args = '{"invoice_id":"inv_1","amount":5}';
    const cutOff = { ...item, call_id: 'call_2', name: 'pay_invoice', arguments: args, status: 'incomplete' };
    const whole = { ...cutOff, call_id: 'call_3', status: 'completed' };
    const done = { response: { ...ended, output: [item, cutOff, whole] } };

    expect(await realtime.runAll(toolbox, done)).toMatchObject([
      { item: { call_id: 'call_1', output: '{"error":"cancelled"}' } },
      { item: { call_id: 'call_3', output: '{"success":false,"error":"cancelled"}' } },
    ]);
    expect(charges).toEqual([]);
  });

  test('an answer without tool calls needs nothing', async () => {
    const { toolbox } = createPaymentTools();

    expect(
      await realtime.runAll(toolbox, { response: { status: 'completed', output: [{ type: 'message' }] } }),
    ).toEqual([]);
  });
});
