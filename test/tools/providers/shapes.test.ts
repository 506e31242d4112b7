import { expect, test } from 'vitest';
import { bedrock } from '../../../src/tools/providers/bedrock.ts';
import { novaSonic } from '../../../src/tools/providers/nova-sonic.ts';
import { createPaymentTools } from '../../support/payment-tools.ts';

const told = { name: 'find_invoice', description: 'Finds the open invoice of a customer.' };
const schema = {
  type: 'object',
  properties: { email: { type: 'string', format: 'email', description: 'Of the customer' } },
  required: [],
};
const text = '{"invoice_id":"inv_1","amount":49.9}';

test('Bedrock Converse: definitions, and all results of one turn in one message', async () => {
  const { toolbox } = createPaymentTools();
  const content = [
    { text: 'One moment.' },
    { toolUse: { toolUseId: 'tool_1', name: 'find_invoice', input: {} } },
    { toolUse: { toolUseId: 'tool_2', name: 'add_note', input: { body: 'Rang.' } } },
  ];

  expect(bedrock.tools(toolbox).tools[0]).toEqual({ toolSpec: { ...told, inputSchema: { json: schema } } });
  expect(bedrock.tools(toolbox, { strict: true }).tools[0]).toEqual({
    toolSpec: { ...told, inputSchema: { json: { ...schema, additionalProperties: false } }, strict: true },
  });
  expect(await bedrock.runAll(toolbox, { content })).toEqual({
    role: 'user',
    content: [
      { toolResult: { toolUseId: 'tool_1', content: [{ text }] } },
      { toolResult: { toolUseId: 'tool_2', content: [{ text: '{"error":"internal_error"}' }], status: 'error' } },
    ],
  });
});

test('Nova Sonic: schemas as text, and three events per result', async () => {
  const { toolbox } = createPaymentTools();
  const call = { promptName: 'prompt_1', toolUseId: 'tool_1', toolName: 'find_invoice', content: '{}' };
  const place = { promptName: 'prompt_1', contentName: 'result-tool_1' };

  const spec = novaSonic.tools(toolbox).tools[0]?.toolSpec;

  expect(spec).toEqual({ ...told, inputSchema: { json: expect.any(String) } });
  expect(JSON.parse(spec?.inputSchema.json ?? '')).toEqual(schema);
  expect(await novaSonic.run(toolbox, call)).toEqual([
    {
      event: {
        contentStart: {
          ...place,
          interactive: false,
          type: 'TOOL',
          role: 'TOOL',
          toolResultInputConfiguration: {
            toolUseId: 'tool_1',
            type: 'TEXT',
            textInputConfiguration: { mediaType: 'text/plain' },
          },
        },
      },
    },
    { event: { toolResult: { ...place, content: text } } },
    { event: { contentEnd: place } },
  ]);
});
