import { expect, test } from 'vitest';
import { aiSdk } from '../../../src/tools/providers/ai-sdk.ts';
import { openaiAgents } from '../../../src/tools/providers/openai-agents.ts';
import { createPaymentTools } from '../../support/payment-tools.ts';

const text = '{"invoice_id":"inv_1","amount":49.9}';
const value = { invoice_id: 'inv_1', amount: 49.9 };

test('AI SDK: the application gets the result, the model its text, flagged when it is an error', async () => {
  const { toolbox } = createPaymentTools();
  const { find_invoice: find, add_note: note } = aiSdk.tools(toolbox);
  const found = await find!.execute({}, { toolCallId: 'call_1' });
  const failed = await note!.execute({ body: 'Rang.' }, { toolCallId: 'call_2' });

  expect(found).toEqual({ status: 'done', value, text, replayed: false });
  expect(find!.toModelOutput({ output: found })).toEqual({ type: 'text', value: text });
  expect(note!.toModelOutput({ output: failed })).toEqual({ type: 'error-text', value: '{"error":"internal_error"}' });
});

test('AI SDK: version 5, which passes the result itself, is named as too old', () => {
  const { toolbox } = createPaymentTools();
  const { find_invoice: find } = aiSdk.tools(toolbox);
  const asVersion5 = find!.toModelOutput as (output: object) => unknown;

  expect(() => asVersion5({ status: 'done', value, text, replayed: false })).toThrow(
    'aiSdk.tools: ai is too old. Install 6.0.0 or later',
  );
});

test('AI SDK: the schema describes itself and lets everything pass, so that the toolbox refuses', async () => {
  const { toolbox } = createPaymentTools();
  const schema = aiSdk.tools(toolbox)['find_invoice']!.inputSchema['~standard'];

  expect(schema.validate({ email: 5 })).toEqual({ value: { email: 5 } });
  expect(schema.jsonSchema.input()).toEqual({
    type: 'object',
    properties: { email: { type: 'string', format: 'email', description: 'Of the customer' } },
    required: [],
  });
});

test('AI SDK: the signal of the SDK cancels a tool call', async () => {
  const { toolbox } = createPaymentTools();
  const options = { toolCallId: 'call_1', abortSignal: AbortSignal.abort() };

  expect(await aiSdk.tools(toolbox)['find_invoice']!.execute({}, options)).toEqual({
    status: 'cancelled',
    value: { error: 'cancelled' },
    text: '{"error":"cancelled"}',
    replayed: false,
  });
});

test('AI SDK: a loop of your own gets one part per call', async () => {
  const { toolbox } = createPaymentTools();

  expect(await aiSdk.run(toolbox, { toolCallId: 'call_1', toolName: 'find_invoice', input: {} })).toEqual({
    type: 'tool-result',
    toolCallId: 'call_1',
    toolName: 'find_invoice',
    output: { type: 'text', value: text },
  });
});

test('OpenAI Agents: each tool is made by the function of the SDK', async () => {
  const { toolbox } = createPaymentTools();
  const [find] = openaiAgents.tools(toolbox, { tool: (definition) => definition });

  expect({ ...find, execute: undefined }).toEqual({
    name: 'find_invoice',
    needsApproval: false,
    description: 'Finds the open invoice of a customer.',
    parameters: {
      type: 'object',
      properties: { email: { type: ['string', 'null'], format: 'email', description: 'Of the customer' } },
      required: ['email'],
      additionalProperties: false,
    },
    strict: true,
    execute: undefined,
  });
  expect(await find?.execute({ email: null }, {}, { toolCall: { callId: 'call_1' } })).toBe(text);
});
