import { expect, test } from 'vitest';
import { bland } from '../../../src/tools/providers/http.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

const headers = { authorization: 'Bearer token_1', 'x-call-id': 'call_1', 'x-caller': '+14155550100' };

test('a tool is what Bland takes at POST /v1/tools', () => {
  const { toolbox } = createPlatformTools();

  const [who, pay] = bland.tools(toolbox, { url: 'https://voice.test/tools', token: 'token_1' });

  expect(who?.speech).toBe('One moment, please.');
  expect(pay).toEqual({
    name: 'pay',
    description: 'Pays an invoice.',
    speech: undefined,
    url: 'https://voice.test/tools?tool=pay',
    method: 'POST',
    headers: {
      authorization: 'Bearer token_1',
      'x-call-id': '{{call_id}}',
      'x-caller': '{{phone_number}}',
    },
    input_schema: expect.objectContaining({ type: 'object', required: ['amount'] }),
    body: { amount: '{{input.amount}}', method: '{{input.method}}' },
    timeout: 15_000,
  });
});

test.each<[string, object, object]>([
  ['numbers', { amount: 20, method: 'card' }, { success: true, confirmation_number: 'C-1' }],
  [
    'numbers as text, and a part of the template',
    { amount: '20', method: '{{input.method}}' },
    { success: true, confirmation_number: 'C-1' },
  ],
  [
    'a text that is no number',
    { amount: 'twenty' },
    { error: 'invalid_arguments', fields: [{ field: 'amount', problem: 'must be a number' }] },
  ],
])('takes %s', async (_what, body, expected) => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(bland.handler({ toolbox, secret: () => 'token_1' }));

  const answer = await server.post(body, { path: '/tools?tool=pay', headers });

  expect(answer).toEqual({ status: 200, body: expect.objectContaining(expected) });
});

test('a request without the token runs nothing', async () => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serve(bland.handler({ toolbox, secret: () => 'token_1' }));

  const { status } = await server.post({ amount: 20 }, { path: '/tools?tool=pay' });

  expect({ status, charges }).toEqual({ status: 401, charges: [] });
});
