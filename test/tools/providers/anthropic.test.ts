import { expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool, type ToolEffect } from '../../../src/tools/index.ts';
import { anthropic } from '../../../src/tools/providers/anthropic.ts';
import { createPaymentTools } from '../../support/payment-tools.ts';

const found = '{"invoice_id":"inv_1","amount":49.9}';

test('describes each tool to the model; payments are held to their schema', () => {
  const { toolbox } = createPaymentTools();
  const [find, pay] = anthropic.tools(toolbox);

  expect(find).toEqual({
    name: 'find_invoice',
    description: 'Finds the open invoice of a customer.',
    input_schema: {
      type: 'object',
      properties: { email: { type: 'string', format: 'email', description: 'Of the customer' } },
      required: [],
    },
    strict: false,
  });
  expect(pay).toEqual({
    name: 'pay_invoice',
    description: 'Pays an invoice with the card on file.',
    input_schema: {
      type: 'object',
      properties: {
        invoice_id: { type: 'string', description: 'At most 40 characters.' },
        amount: { type: 'number', description: 'Greater than 0, below 5000.' },
        reference: { type: 'string', description: 'At most 40 characters.' },
      },
      required: ['invoice_id', 'amount'],
      additionalProperties: false,
    },
    strict: true,
  });
});

const tool = (name: string, effect: ToolEffect, fields: number, field: z.ZodType = z.string().optional()) =>
  defineTool({
    name,
    description: 'A tool.',
    parameters: z.object(Object.fromEntries(Array.from({ length: fields }, (_, index) => [`p${index}`, field]))),
    effect,
    confirm: false,
    run: () => ({}),
  });

test('as many tools are strict as one request allows: payments first, then writes', () => {
  const choice = z.union([z.string(), z.number()]);
  const toolbox = createToolbox({
    tools: [
      tool('read_a', 'read', 10),
      tool('write_a', 'write', 10),
      tool('read_b', 'read', 4),
      tool('pay_a', 'payment', 10),
      tool('read_c', 'read', 16, choice),
      tool('read_d', 'read', 1, choice),
    ],
  });
  const strictOnes = (strict: boolean) =>
    anthropic.tools(toolbox, { strict }).flatMap(({ name, strict: isStrict }) => (isStrict ? [name] : []));

  expect(strictOnes(true)).toEqual(['write_a', 'read_b', 'pay_a', 'read_c']);
  expect(strictOnes(false)).toEqual([]);
});

test('all results of one turn stand in one message', async () => {
  const { toolbox } = createPaymentTools();
  const content = [
    { type: 'text' },
    { type: 'tool_use', id: 'toolu_1', name: 'find_invoice', input: {} },
    { type: 'tool_use', id: 'toolu_2', name: 'add_note', input: { body: 'Rang.' } },
  ];

  expect(await anthropic.runAll(toolbox, { content })).toEqual({
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: found, is_error: false },
      { type: 'tool_result', tool_use_id: 'toolu_2', content: '{"error":"internal_error"}', is_error: true },
    ],
  });
  expect(await anthropic.runAll(toolbox, { content: [{ type: 'text' }] })).toBeUndefined();
});

test('a payment whose end is unknown is not flagged as an error', async () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    parameters: z.object({ amount: z.number() }),
    effect: 'payment',
    confirm: false,
    run: () => ({ status: 'pending' }),
    outcome: () => 'unknown',
  });
  const toolbox = createToolbox({ tools: [pay], context: { callId: 'CA1' } });

  const result = await anthropic.run(toolbox, { id: 'toolu_1', name: 'pay', input: { amount: 5 } });

  expect(result.is_error).toBe(false);
  expect(result.content).toContain('"outcome":"unknown"');
});

test('the runner gets failures as errors of its own class, or as text', async () => {
  const { toolbox } = createPaymentTools();
  class ToolError extends Error {}
  const running = { toolUse: { id: 'toolu_1' }, signal: null };

  await expect(anthropic.runnable(toolbox, { ToolError })[2]?.run({ body: 'Rang.' }, running)).rejects.toEqual(
    new ToolError('{"error":"internal_error"}'),
  );
  expect(await anthropic.runnable(toolbox)[2]?.run({ body: 'Rang.' })).toBe('{"error":"internal_error"}');
});
