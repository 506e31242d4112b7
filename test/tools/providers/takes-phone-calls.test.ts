import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { InvalidArgumentError } from '../../../src/core/errors.ts';
import { createIntegration, type Integration } from '../../../src/integration.ts';
import { aiSdk } from '../../../src/tools/providers/ai-sdk.ts';
import { anthropic } from '../../../src/tools/providers/anthropic.ts';
import { bedrock } from '../../../src/tools/providers/bedrock.ts';
import { generateContent, live } from '../../../src/tools/providers/google.ts';
import { httpTools } from '../../../src/tools/providers/http.ts';
import { mcp } from '../../../src/tools/providers/mcp.ts';
import { chat, realtime, responses } from '../../../src/tools/providers/openai.ts';
import { vapi } from '../../../src/tools/providers/vapi.ts';
import type { WithTools } from '../../../src/tools/with-tools.ts';
import { connectPlatform } from '../../support/connected-platform.ts';

const definitions: Readonly<Record<string, (from: WithTools) => unknown>> = {
  'chat.tools': chat.tools,
  'chat.runnable': chat.runnable,
  'responses.tools': responses.tools,
  'realtime.tools': realtime.tools,
  'anthropic.tools': anthropic.tools,
  'bedrock.tools': bedrock.tools,
  'generateContent.tools': generateContent.tools,
  'live.tools': (from) => live.tools(from),
  'aiSdk.tools': aiSdk.tools,
  'mcp.tools': mcp.tools,
  'httpTools.tools': httpTools.tools,
  'vapi.tools': vapi.tools,
};

let integration: Integration;
let stop: () => Promise<void>;
beforeAll(async () => {
  const { clientOptions, ...connected } = await connectPlatform();
  integration = createIntegration({ crm: clientOptions.crm, billing: clientOptions.billing });
  stop = () => connected[Symbol.asyncDispose]();
});
afterAll(async () => {
  await integration.close();
  await stop();
});

const namesIn = (made: unknown): string => JSON.stringify(made);
const ringing = { callId: 'CA1', phone: '+14155550100' };

describe.each(Object.entries(definitions))('%s', (name, tools) => {
  test('takes a phone call, a turn, a live call or a toolbox', async () => {
    const phoneCall = integration.startPhoneCall(ringing);
    await using calls = integration.liveCalls({ atClose: 'leave' });
    const expected = namesIn(tools(phoneCall.tools));

    expect(expected).toContain(['aiSdk.tools'].includes(name) ? 'log_call' : 'lookup_customer_invoices');
    expect(namesIn(tools(phoneCall))).toBe(expected);
    expect(namesIn(tools(phoneCall.turn()))).toBe(expected);
    expect(namesIn(tools(calls.of(ringing)))).toBe(expected);
  });

  test.each([
    ['nothing', undefined],
    ['an integration', { startPhoneCall: () => {} }],
    ['a list of tools', { tools: [] }],
    ['the function itself', { tools: () => [] }],
    ['a text', 'phoneCall'],
    ['null', null],
  ])('refuses %s', (_what, wrong) => {
    expect(() => tools(wrong as never)).toThrow(InvalidArgumentError);
    expect(() => tools(wrong as never)).toThrow(`${name} takes a phone call, a turn, a live call or a toolbox`);
  });
});

test('a run of a target takes a phone call too', async () => {
  const phoneCall = integration.startPhoneCall(ringing);

  const [answer] = await chat.runAll(phoneCall, {
    role: 'assistant',
    tool_calls: [{ id: 'c1', function: { name: 'get_case_status', arguments: '{}' } }],
  });

  expect(answer).toMatchObject({ role: 'tool', tool_call_id: 'c1' });
});

test('a handler takes the live call of each request', async () => {
  await using calls = integration.liveCalls({ atClose: 'leave' });
  const handle = vapi.handler({ toolbox: calls.of, secret: () => 'secret_1' });
  const message = {
    type: 'tool-calls',
    call: { id: 'CA7', customer: { number: '+14155550100' } },
    toolCallList: [{ id: 't1', name: 'lookup_customer_invoices', arguments: {} }],
  };

  const response = await handle(
    new Request('https://agent.example/tools', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-vapi-secret': 'secret_1' },
      body: JSON.stringify({ message }),
    }),
  );

  expect(await response.json()).toMatchObject({ results: [{ toolCallId: 't1' }] });
  expect(calls.size).toBe(1);
});
