import { expect, test } from 'vitest';
import { generateContent, live } from '../../../src/tools/providers/google.ts';
import { createPaymentTools } from '../../support/payment-tools.ts';

const found = { invoice_id: 'inv_1', amount: 49.9 };

test('tells the model of each tool in the subset of OpenAPI', () => {
  expect(generateContent.tools(createPaymentTools().toolbox)[0]?.functionDeclarations[0]).toEqual({
    name: 'find_invoice',
    description: 'Finds the open invoice of a customer.',
    parameters: {
      type: 'OBJECT',
      properties: { email: { type: 'STRING', description: 'Of the customer. Format email.' } },
    },
  });
});

test('all results of one turn stand in one content, failures under "error", with the id where there is one', async () => {
  const { toolbox } = createPaymentTools();
  const functionCalls = [
    { id: 'call_1', name: 'find_invoice', args: {} },
    { name: 'add_note', args: { body: 'Rang.' } },
  ];

  expect(await generateContent.runAll(toolbox, { functionCalls })).toEqual({
    role: 'user',
    parts: [
      { functionResponse: { id: 'call_1', name: 'find_invoice', response: { output: found } } },
      { functionResponse: { name: 'add_note', response: { error: { error: 'internal_error' } } } },
    ],
  });
  expect(await generateContent.runAll(toolbox, {})).toBeUndefined();
});

test('Live: results of one message are sent together, a repeated call is answered once', async () => {
  const { toolbox } = createPaymentTools();
  const sent: object[] = [];
  const handle = live.createHandler(toolbox, (responses) => sent.push(responses));
  const message = { toolCall: { functionCalls: [{ id: 'call_1', name: 'find_invoice', args: {} }] } };

  await Promise.all([handle(message), handle(message), handle({})]);

  expect(sent).toEqual([{ functionResponses: [{ id: 'call_1', name: 'find_invoice', response: { output: found } }] }]);
});

test('Live: a session that is closed when the result comes ends nothing else', async () => {
  const { toolbox } = createPaymentTools();
  const handle = live.createHandler(toolbox, () => {
    throw new Error('WebSocket is not open');
  });

  await expect(
    handle({ toolCall: { functionCalls: [{ id: 'call_1', name: 'find_invoice', args: {} }] } }),
  ).resolves.toBeUndefined();
});
