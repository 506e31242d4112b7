import { expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { mcp } from '../../../src/tools/providers/mcp.ts';
import { createPaymentTools } from '../../support/payment-tools.ts';

test('version 1.29 and older of the MCP package finds the method in the value of a schema', () => {
  const methods: unknown[] = [];
  const server = {
    registerCapabilities: () => {},
    setRequestHandler: (schema: { readonly shape: { readonly method: { readonly value: unknown } } }) => {
      methods.push(schema.shape.method.value);
    },
    getClientCapabilities: () => undefined,
    elicitInput: () => Promise.reject(new Error('This host can’t ask.')),
  };

  mcp.serve(server as never, createPaymentTools().toolbox);

  expect(methods).toEqual(['tools/list', 'tools/call']);
});

test.each([
  { summary: 'Your claim.', reason: 'not_approved' },
  { summary: 'Your booking.', error: 'confirmation_required' },
])('what a tool gives is no question, whatever its fields (%o)', async (result) => {
  let runs = 0;
  const toolbox = createToolbox({
    context: { callId: 'CA1' },
    tools: [
      defineTool({
        name: 'file_claim',
        description: 'Files a claim.',
        parameters: z.object({}),
        effect: 'write',
        run: () => {
          runs += 1;
          return result;
        },
      }),
    ],
  });
  const handlers: ((request: object, extra: object) => Promise<object>)[] = [];
  let asked = 0;
  const server = {
    registerCapabilities: () => {},
    setRequestHandler: (_method: unknown, handler: (typeof handlers)[number]) => handlers.push(handler),
    getClientCapabilities: () => ({ elicitation: {} }),
    elicitInput: async () => {
      asked += 1;
      return { action: 'accept' };
    },
  };
  mcp.serve(server as never, toolbox);
  await handlers[1]?.({ params: { name: 'file_claim', arguments: {} } }, {});

  expect([runs, asked]).toEqual([1, 0]);
});
