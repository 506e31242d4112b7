import { createHmac } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { retell } from '../../../src/tools/providers/retell.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

const now = 1_763_735_400_000;
vi.setSystemTime(now);
const apiKey = () => 'key_1';

/** As Retell documents it: HMAC-SHA256 with the API key over the body and the milliseconds. */
const signed = (text: string, { key = 'key_1', at = now } = {}) => ({
  headers: {
    'x-retell-signature': `v=${at},d=${createHmac('sha256', key)
      .update(text + at)
      .digest('hex')}`,
  },
});

const phoneCall = {
  call_type: 'phone_call',
  call_id: 'retell_1',
  direction: 'inbound',
  from_number: '+14155550100',
  to_number: '+14155550111',
};

const request = (name: string, args: object = {}, call: object = phoneCall) => JSON.stringify({ name, call, args });

test('a tool is a custom function that Retell never asks twice for', () => {
  const { toolbox } = createPlatformTools();

  const [first, , third] = retell.tools(toolbox, { url: 'https://voice.test/retell' });

  expect(first).toEqual({
    type: 'custom',
    name: 'who_is_calling',
    description: 'Says who is calling.',
    url: 'https://voice.test/retell',
    method: 'POST',
    args_at_root: false,
    parameters: { type: 'object', properties: {}, required: [] },
    timeout_ms: 15_000,
    max_retry: 0,
    speak_after_execution: true,
    speak_during_execution: true,
    execution_message_type: 'static_text',
    execution_message_description: 'One moment, please.',
  });
  expect(third).toEqual({
    type: 'custom',
    name: 'add_note',
    description: 'Adds an internal note.',
    url: 'https://voice.test/retell',
    method: 'POST',
    args_at_root: false,
    parameters: { type: 'object', properties: { body: { type: 'string' } }, required: ['body'] },
    timeout_ms: 15_000,
    max_retry: 0,
    speak_after_execution: true,
    speak_during_execution: false,
  });
});

test('a signed request is answered with what the model may read', async () => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serve(retell.handler({ toolbox, apiKey }));
  const post = (text: string) => server.post(text, signed(text));

  const answers = [
    await post(request('pay', { amount: 20 })),
    await post(request('pay', { amount: 0 })),
    await post(request('break_down')),
    await post(request('no_such_tool')),
  ];

  expect(answers).toEqual([
    { status: 200, body: { success: true, confirmation_number: 'C-1' } },
    {
      status: 200,
      body: {
        success: false,
        error: 'invalid_arguments',
        fields: [{ field: 'amount', problem: 'must be greater than 0' }],
      },
    },
    { status: 200, body: { error: 'internal_error' } },
    {
      status: 200,
      body: { error: 'invalid_arguments', fields: [{ field: 'name', problem: 'is not the name of a tool' }] },
    },
  ]);
  expect(charges).toEqual([20]);
});

const body = request('pay', { amount: 20 });
const fiveMinutes = 300_000;

test.each([
  ['without a signature', body, {}],
  ['with a signature that is none', body, { headers: { 'x-retell-signature': 'v=1' } }],
  ['signed with another key', body, signed(body, { key: 'key_2' })],
  ['whose body was changed', body.replace('20', '21'), signed(body)],
  ['that is older than five minutes', body, signed(body, { at: now - fiveMinutes - 1 })],
  ['that is newer than five minutes', body, signed(body, { at: now + fiveMinutes + 1 })],
  [
    'whose time was changed',
    body,
    {
      headers: {
        'x-retell-signature': signed(body, { at: now - 1 }).headers['x-retell-signature'].replace(/^v=\d+/, `v=${now}`),
      },
    },
  ],
])('a request %s is refused, and nothing runs', async (_, text, options) => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serve(retell.handler({ toolbox, apiKey }));

  expect(await server.post(text, options)).toEqual({ status: 401, body: { error: 'unauthorized' } });
  expect(charges).toEqual([]);
});

test.each([-fiveMinutes, fiveMinutes])('a signature that is %i ms off is taken', async (off) => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(retell.handler({ toolbox, apiKey }));

  expect((await server.post(body, signed(body, { at: now + off }))).status).toBe(200);
});

test('while an API key is being exchanged the old and the new one count', async () => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(retell.handler({ toolbox, apiKey: () => ['key_2', 'key_1'] }));

  expect((await server.post(body, signed(body))).status).toBe(200);
});

test('an empty API key lets no one in, and the application gets an error', async () => {
  const { toolbox } = createPlatformTools();
  const errors: unknown[] = [];
  await using server = await serve(
    retell.handler({ toolbox, apiKey: () => '', onError: (error) => errors.push(String(error)) }),
  );

  expect(await server.post(body, signed(body))).toEqual({ status: 500, body: { error: 'failed' } });
  expect(errors).toEqual([expect.stringContaining('gave no secret')]);
});

test('without ids of tool calls a repeated request pays once and notes once', async () => {
  const { toolbox, charges, notes } = createPlatformTools();
  await using server = await serve(retell.handler({ toolbox, apiKey }));
  const post = (text: string) => server.post(text, signed(text));
  const note = request('add_note', { body: 'Rang.' });

  await Promise.all([post(body), post(body), post(note), post(note)]);
  await Promise.all([post(body), post(note)]);

  expect(charges).toEqual([20]);
  expect(notes).toEqual(['Rang.']);
});

test('without ids of tool calls, A, B and A again are three notes', async () => {
  const { toolbox, notes } = createPlatformTools();
  await using server = await serve(retell.handler({ toolbox, apiKey }));
  for (const words of ['Billing', 'Support', 'Billing']) {
    const text = request('add_note', { body: words });
    await server.post(text, signed(text));
  }

  expect(notes).toEqual(['Billing', 'Support', 'Billing']);
});

test.each([
  ['who rang', phoneCall, { phone: '+14155550100', verified: 'caller-id' }],
  ['who was rung up', { ...phoneCall, direction: 'outbound' }, { phone: '+14155550111', verified: 'caller-id' }],
  ['unknown on the web', { ...phoneCall, call_type: 'web_call' }, { verified: 'no' }],
])('the person on the phone is %s', async (_, call, who) => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(retell.handler({ toolbox, apiKey }));
  const text = request('who_is_calling', {}, call);

  expect(await server.post(text, signed(text))).toEqual({ status: 200, body: { callId: 'retell_1', ...who } });
});

test('a signed request that names no phone call is not understood', async () => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(retell.handler({ toolbox, apiKey }));
  const text = JSON.stringify({ name: 'pay', args: { amount: 20 } });

  expect(await server.post(text, signed(text))).toEqual({ status: 400, body: { error: 'malformed_body' } });
});
