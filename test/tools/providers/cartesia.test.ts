import { expect, test } from 'vitest';
import { cartesia } from '../../../src/tools/providers/http.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

const headers = { authorization: 'Bearer token_1' };
const path = '/tools?tool=pay';

test('a tool is what Cartesia takes at POST /v1/agents/tools', () => {
  const { toolbox } = createPlatformTools();

  const [who, pay] = cartesia.tools(toolbox, { url: 'https://voice.test/tools', token: 'token_1' });

  expect(who?.pre_tool_speech).toBe('force');
  expect(pay).toEqual({
    type: 'webhook',
    name: 'pay',
    description: 'Pays an invoice.',
    pre_tool_speech: 'auto',
    execution_mode: 'immediate',
    response_timeout_secs: 15,
    api_schema: {
      url: 'https://voice.test/tools?tool=pay',
      method: 'POST',
      authentication: { mode: 'bearer', token: { type: 'secret', secret_value: 'token_1' } },
      request_body_schema: {
        type: 'object',
        properties: {
          amount: { type: 'number', description: expect.stringContaining('In dollars') },
          method: { type: 'string', enum: ['card', 'bank'], description: expect.any(String) },
          x_call_id: { type: 'string', dynamic_variable: 'call_id' },
          x_caller: { type: 'string', dynamic_variable: 'system__caller_id' },
          x_called: { type: 'string', dynamic_variable: 'system__called_number' },
          x_direction: { type: 'string', dynamic_variable: 'system__call_direction' },
        },
        required: ['amount'],
      },
    },
  });
});

test('the phone call and the caller are those of the body', async () => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(cartesia.handler({ toolbox, secret: () => 'token_1' }));

  const call = { x_call_id: 'call_1', x_caller: '+14155550100' };
  const who = await server.post(call, { path: '/tools?tool=who_is_calling', headers });
  const paid = await server.post({ ...call, amount: 20, method: 'card' }, { path, headers });

  expect([who, paid]).toEqual([
    { status: 200, body: { callId: 'call_1', phone: '+14155550100', verified: 'caller-id' } },
    { status: 200, body: { success: true, confirmation_number: 'C-1' } },
  ]);
});

test('a caller without a number is none', async () => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(cartesia.handler({ toolbox, secret: () => 'token_1' }));

  const body = { x_call_id: 'call_1', x_caller: '' };
  const who = await server.post(body, { path: '/tools?tool=who_is_calling', headers });

  expect(who).toEqual({ status: 200, body: { callId: 'call_1', verified: 'no' } });
});

test.each([
  ['the token', {}, { x_call_id: 'call_1', amount: 20 }, 401],
  ['a phone call', headers, { amount: 20 }, 400],
])('a request without %s runs nothing', async (_what, sent, body, expected) => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serve(cartesia.handler({ toolbox, secret: () => 'token_1' }));

  const { status } = await server.post(body, { path, headers: sent });

  expect({ status, charges }).toEqual({ status: expected, charges: [] });
});

test.each([
  ['inbound', '+14155550100'],
  ['', '+14155550100'],
  ['outbound', '+14155550199'],
  ['OUTBOUND', '+14155550199'],
  ['{{system__call_direction}}', undefined],
])('with the direction %j the person is the other party', async (x_direction, phone) => {
  await using server = await serve(
    cartesia.handler({ toolbox: createPlatformTools().toolbox, secret: () => 'cartesia-secret' }),
  );
  const numbers = { x_call_id: 'call_1', x_caller: '+14155550100', x_called: '+14155550199', x_direction };

  const { body } = await server.post(numbers, {
    path: '/?tool=who_is_calling',
    headers: { authorization: 'Bearer cartesia-secret' },
  });

  expect((body as { phone?: string }).phone).toBe(phone);
});
