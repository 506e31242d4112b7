import { expect, test } from 'vitest';
import { telnyx } from '../../../src/tools/providers/http.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

const headers = { authorization: 'Bearer token_1', 'x-call-id': 'call_1', 'x-caller': '+14155550100' };

test('a tool is a webhook with an address of its own', () => {
  const { toolbox } = createPlatformTools();

  const [, , note] = telnyx.tools(toolbox, { url: 'https://voice.test/tools', secretName: 'tools-token' });

  expect(note).toEqual({
    type: 'webhook',
    timeout_ms: 10_000,
    webhook: {
      name: 'add_note',
      description: 'Adds an internal note.',
      url: 'https://voice.test/tools?tool=add_note',
      method: 'POST',
      async: false,
      headers: [
        { name: 'authorization', value: 'Bearer {{#integration_secret}}tools-token{{/integration_secret}}' },
        { name: 'x-call-id', value: '{{call_control_id}}' },
        { name: 'x-caller', value: '{{telnyx_end_user_target}}' },
      ],
      body_parameters: { type: 'object', properties: { body: { type: 'string' } }, required: ['body'] },
      messages: [],
    },
  });
});

test('the time-out is where Telnyx reads it, and a slow message is said while the tool runs', () => {
  const { toolbox } = createPlatformTools();
  const slow = telnyx
    .tools(toolbox, { url: 'https://voice.test/tools', secretName: 'tools-token', timeoutSeconds: 12 })
    .map(({ timeout_ms, webhook }) => [timeout_ms, 'timeout_ms' in webhook, webhook.messages]);
  expect(slow).toContainEqual([
    12_000,
    false,
    [{ type: 'request_response_delayed', timing_ms: 800, content: 'One moment, please.' }],
  ]);
});

test('a request with the token is answered with what the model may read', async () => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serve(telnyx.handler({ toolbox, secret: () => 'token_1' }));

  const answers = [
    await server.post({}, { path: '/tools?tool=who_is_calling', headers }),
    await server.post({ amount: 20 }, { path: '/tools?tool=pay', headers }),
  ];

  expect(answers).toEqual([
    { status: 200, body: { callId: 'call_1', phone: '+14155550100', verified: 'caller-id' } },
    { status: 200, body: { success: true, confirmation_number: 'C-1' } },
  ]);
  expect(charges).toEqual([20]);
});

test.each<[string, object, number]>([
  ['without the token', { authorization: 'Bearer other' }, 401],
  ['whose variable for the phone call was never set', { 'x-call-id': '{{call_control_id}}' }, 400],
])('a request %s runs nothing', async (_what, changed, status) => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serve(telnyx.handler({ toolbox, secret: () => 'token_1' }));

  const answer = await server.post({ amount: 20 }, { path: '/tools?tool=pay', headers: { ...headers, ...changed } });

  expect({ status: answer.status, charges }).toEqual({ status, charges: [] });
});

test('a body with a byte order mark is read, and one that is no UTF-8 runs nothing', async () => {
  const { toolbox, charges } = createPlatformTools();
  const handle = telnyx.handler({ toolbox, secret: () => 'token_1' });
  const pay = (body: Uint8Array<ArrayBuffer>) =>
    handle(
      new Request('https://voice.test/tools?tool=pay', {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      }),
    );
  expect((await pay(new TextEncoder().encode('\ufeff{"amount":20}'))).status).toBe(200);
  expect((await pay(Uint8Array.from(Buffer.from('{"amount":30,"note":"\xff"}', 'latin1')))).status).toBe(400);
  expect(charges).toEqual([20]);
});
