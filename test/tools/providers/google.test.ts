import { expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { generateContent, live } from '../../../src/tools/providers/google.ts';
import { createPaymentTools } from '../../support/payment-tools.ts';

const found = { invoice_id: 'inv_1', amount: 49.9 };

test('describes each tool to the model in the subset of OpenAPI', () => {
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
  const receive = live.connect(toolbox, { send: (responses) => sent.push(responses) });
  const message = { toolCall: { functionCalls: [{ id: 'call_1', name: 'find_invoice', args: {} }] } };

  await Promise.all([receive(message), receive(message), receive({})]);

  expect(sent).toEqual([{ functionResponses: [{ id: 'call_1', name: 'find_invoice', response: { output: found } }] }]);
});

test('Live: a session that is closed when the result comes ends nothing else', async () => {
  const { toolbox } = createPaymentTools();
  const receive = live.connect(toolbox, {
    send: () => {
      throw new Error('WebSocket is not open');
    },
  });

  await expect(
    receive({ toolCall: { functionCalls: [{ id: 'call_1', name: 'find_invoice', args: {} }] } }),
  ).resolves.toBeUndefined();
});

/** A handler over a tool that ends only when it is taken back, and what it sent. */
const handleWaiting = (context: { readonly signal?: AbortSignal } = {}) => {
  const started = Promise.withResolvers<void>();
  const tool = defineTool({
    name: 'look_up',
    description: 'Takes its time.',
    parameters: z.object({}),
    effect: 'read',
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        started.resolve();
      }),
  });
  const toolbox = createToolbox({ context: { callId: 'CA1' }, tools: [tool] });
  const sent: object[] = [];
  return {
    receive: live.connect(toolbox, { send: (each) => sent.push(each), context }),
    started: started.promise,
    sent,
  };
};

test('Live: a call that the API cancels is taken back and gets no response', async () => {
  const { receive, started, sent } = handleWaiting();

  const handled = receive({ toolCall: { functionCalls: [{ id: 'call_1', name: 'look_up', args: {} }] } });
  await started;
  await receive({ toolCallCancellation: { ids: ['call_2', 'call_1'] } });
  await handled;

  expect(sent).toEqual([]);
});

test('Live: a phone call that ends takes its calls back', async () => {
  const hungUp = new AbortController();
  const { receive, started, sent } = handleWaiting({ signal: hungUp.signal });

  const handled = receive({ toolCall: { functionCalls: [{ id: 'call_1', name: 'look_up', args: {} }] } });
  await started;
  hungUp.abort();
  await handled;

  expect(sent).toEqual([
    { functionResponses: [{ id: 'call_1', name: 'look_up', response: { error: { error: 'cancelled' } } }] },
  ]);
});

test('Live: calls without an id are calls of their own', async () => {
  const { toolbox } = createPaymentTools();
  const sent: object[] = [];
  const receive = live.connect(toolbox, { send: (responses) => sent.push(responses) });
  const call = { name: 'find_invoice', args: {} };

  await receive({ toolCall: { functionCalls: [call, call] } });

  const response = { name: 'find_invoice', response: { output: found } };
  expect(sent).toEqual([{ functionResponses: [response, response] }]);
});

test.each([['end_call'], ['transfer'], ['find_invoice_2'], ['constructor'], ['__proto__'], [''], [undefined]])(
  'Live: a function of the application (%s) is left to it',
  async (name) => {
    const { toolbox } = createPaymentTools();
    const sent: object[] = [];
    const receive = live.connect(toolbox, { send: (responses) => sent.push(responses) });

    await receive({
      toolCall: {
        functionCalls: [
          { id: 'call_1', ...(name !== undefined && { name }) },
          { id: 'call_2', name: 'find_invoice' },
        ],
      },
    });

    expect(sent).toEqual([
      { functionResponses: [{ id: 'call_2', name: 'find_invoice', response: { output: found } }] },
    ]);
  },
);
