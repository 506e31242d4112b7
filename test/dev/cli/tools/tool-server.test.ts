import { expect, onTestFinished, test } from 'vitest';
import { apiKey } from '../../../../src/auth/index.ts';
import { openToolServer } from '../../../../src/dev/cli/tools/tool-server.ts';
import { createFakePlatform, testCredentials } from '../../../../src/dev/testing/index.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

/** A request of MCP 2026-07-28, which needs nothing before it. */
const look = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'lookup_customer_invoices',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'desk', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

test('hosts without sessions share a phone call and its limits, until they pause for half an hour', async () => {
  const clock = createVirtualClock();
  const { billing, listen, close } = createFakePlatform({});
  onTestFinished(close);
  billing.addCustomer({ id: 'cus_1', name: 'Ada Park', phone: '+14155550100' });
  const baseUrl = (await listen()).billing;
  const authenticate = apiKey('X-Api-Key', () => testCredentials.billing);
  await using server = await openToolServer(
    {
      billing: { baseUrl, authenticate, version: { path: 'v1' } },
      payments: { below: 500, confirm: false },
      phoneCalls: { tools: { limits: { toolCalls: 2 } } },
    },
    { callId: undefined, phone: '+14155550100', email: undefined },
  );
  const { url, token } = await server.listen(0);
  const lookUp = async (): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': look.method,
        'mcp-name': look.params.name,
      },
      body: JSON.stringify(look),
    });
    const { result } = (await response.json()) as { result?: { structuredContent?: unknown } };
    return result?.structuredContent;
  };
  const found = { customer_name: 'Ada Park' };

  expect(await lookUp()).toMatchObject(found);
  await clock.advance(29 * 60_000);
  expect(await lookUp()).toMatchObject(found);
  await clock.advance(29 * 60_000);
  expect(await lookUp()).toMatchObject({ reason: 'too_many_tool_calls' });
  await clock.advance(31 * 60_000);
  expect(await lookUp()).toMatchObject(found);
});
