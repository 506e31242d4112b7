import { expect, test } from 'vitest';
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
