import { describe, expect, test } from 'vitest';
import { client, webhook } from '../../../src/tools/providers/elevenlabs.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

const fields = {
  type: 'object',
  properties: {
    amount: { type: 'number', description: 'In dollars. Greater than 0, below 5000.' },
    method: { type: 'string', description: 'method', enum: ['card', 'bank'] },
  },
  required: ['amount'],
};

describe('webhook tools', () => {
  const secret = () => 'eleven-secret';
  const headers = {
    'x-tools-secret': 'eleven-secret',
    'x-conversation-id': 'conv_1',
    'x-caller-id': '+14155550100',
  };

  test('a tool is posted to a path of its own, with fields and no JSON Schema', () => {
    const { toolbox } = createPlatformTools();

    const [first, second] = webhook.tools(toolbox, { url: 'https://voice.test/tools/', secretId: 'sec_1' });

    const request_headers = {
      'X-Tools-Secret': { secret_id: 'sec_1' },
      'X-Conversation-Id': { variable_name: 'system__conversation_id' },
      'X-Caller-Id': { variable_name: 'system__caller_id' },
    };
    expect(first).toEqual({
      type: 'webhook',
      name: 'who_is_calling',
      description: 'Says who is calling.',
      response_timeout_secs: 20,
      execution_mode: 'immediate',
      interruption_mode: 'allow',
      pre_tool_speech: 'force',
      tool_error_handling_mode: 'passthrough',
      api_schema: { url: 'https://voice.test/tools/who_is_calling', method: 'POST', request_headers },
    });
    expect(second).toEqual({
      type: 'webhook',
      name: 'pay',
      description: 'Pays an invoice.',
      response_timeout_secs: 20,
      execution_mode: 'post_tool_speech',
      interruption_mode: 'disable_during_tool',
      pre_tool_speech: 'auto',
      tool_error_handling_mode: 'passthrough',
      api_schema: {
        url: 'https://voice.test/tools/pay',
        method: 'POST',
        request_headers,
        request_body_schema: fields,
      },
    });
  });

  test('an outbound agent sends the number that it calls, never its own', async () => {
    const { toolbox } = createPlatformTools();
    const own = '+14155550100';
    const theirs = '+14155550199';
    /** What ElevenLabs fills in on an outbound call. */
    const values: Readonly<Record<string, string>> = {
      system__conversation_id: 'conv_1',
      system__caller_id: own,
      system__called_number: theirs,
      call_direction: 'outbound',
    };
    await using server = await serve(webhook.handler({ toolbox, secret }));

    for (const direction of ['outbound', { variable: 'call_direction' }] as const) {
      const [tool] = webhook.tools(toolbox, { url: 'https://voice.test', secretId: 'sec_1', direction });
      const sent = Object.entries(tool!.api_schema.request_headers).map(([name, value]) => [
        name,
        'secret_id' in value ? secret() : (values[value.variable_name] ?? ''),
      ]);
      const answer = await server.post('', { path: '/who_is_calling', headers: Object.fromEntries(sent) });
      expect(answer.body).toEqual({ callId: 'conv_1', phone: theirs, verified: 'caller-id' });
    }
  });

  test.each([
    ['inbound', '+14155550100'],
    ['outbound', '+14155550199'],
    ['{{call_direction}}', undefined],
    ['null', undefined],
  ])('with the direction %j the person is the other party', async (direction, phone) => {
    await using server = await serve(webhook.handler({ toolbox: createPlatformTools().toolbox, secret }));
    const both = { ...headers, 'x-called-number': '+14155550199', 'x-call-direction': direction };

    const { body } = await server.post('', { path: '/who_is_calling', headers: both });

    expect((body as { phone?: string }).phone).toBe(phone);
  });

  test('another direction is refused', () => {
    const { toolbox } = createPlatformTools();
    expect(() =>
      webhook.tools(toolbox, { url: 'https://voice.test', secretId: 'sec_1', direction: 'outbond' as 'outbound' }),
    ).toThrow("direction must be 'inbound', 'outbound' or { variable }: did you mean 'outbound'?");
  });

  test('an agent on the web asks for no number', () => {
    const { toolbox } = createPlatformTools();

    const [first] = webhook.tools(toolbox, { url: 'https://voice.test', secretId: 'sec_1', callerId: false });

    expect(Object.keys(first!.api_schema.request_headers)).toEqual(['X-Tools-Secret', 'X-Conversation-Id']);
  });

  test('the path names the tool, the headers the conversation and the person', async () => {
    const { toolbox, charges } = createPlatformTools();
    await using server = await serve(webhook.handler({ toolbox, secret }));

    const answers = [
      await server.post('', { path: '/tools/who_is_calling', headers }),
      await server.post({ amount: 20, method: 'card' }, { path: '/tools/pay', headers }),
      await server.post({ amount: '20' }, { path: '/tools/pay', headers }),
      await server.post({}, { path: '/tools/break_down', headers }),
    ];

    expect(answers).toEqual([
      { status: 200, body: { callId: 'conv_1', phone: '+14155550100', verified: 'caller-id' } },
      { status: 200, body: { success: true, confirmation_number: 'C-1' } },
      {
        status: 200,
        body: {
          success: false,
          error: 'invalid_arguments',
          fields: [{ field: 'amount', problem: 'must be a number' }],
        },
      },
      { status: 200, body: { error: 'internal_error' } },
    ]);
    expect(charges).toEqual([20]);
  });

  test.each([
    ['without a secret', { 'x-tools-secret': '' }, 401, 'unauthorized'],
    ['with a wrong secret', { 'x-tools-secret': 'guess' }, 401, 'unauthorized'],
    ['without a conversation', { 'x-conversation-id': '' }, 400, 'malformed_body'],
  ])('a request %s runs nothing', async (_, changed, status, error) => {
    const { toolbox, charges } = createPlatformTools();
    await using server = await serve(webhook.handler({ toolbox, secret }));

    const answered = await server.post({ amount: 20 }, { path: '/tools/pay', headers: { ...headers, ...changed } });

    expect(answered).toEqual({ status, body: { error } });
    expect(charges).toEqual([]);
  });

  test('without ids of tool calls a repeated request pays once and notes once', async () => {
    const { toolbox, charges, notes } = createPlatformTools();
    await using server = await serve(webhook.handler({ toolbox, secret }));
    const pay = () => server.post({ amount: 20 }, { path: '/tools/pay', headers });
    const note = () => server.post({ body: 'Rang.' }, { path: '/tools/add_note', headers });

    await Promise.all([pay(), pay(), note(), note()]);
    await Promise.all([pay(), note()]);

    expect(charges).toEqual([20]);
    expect(notes).toEqual(['Rang.']);
  });

  test('without ids of tool calls, A, B and A again are three notes', async () => {
    const { toolbox, notes } = createPlatformTools();
    await using server = await serve(webhook.handler({ toolbox, secret }));
    for (const body of ['Billing', 'Support', 'Billing'])
      await server.post({ body }, { path: '/tools/add_note', headers });

    expect(notes).toEqual(['Billing', 'Support', 'Billing']);
  });
});

describe('client tools', () => {
  const call = (tool_name: string, parameters: object, tool_call_id = 'call_1') => ({
    tool_name,
    tool_call_id,
    parameters,
  });

  test('a tool is one whose response is waited for', () => {
    const [first, second] = client.tools(createPlatformTools().toolbox, { timeoutSeconds: 30 });

    expect(first).toEqual({
      type: 'client',
      name: 'who_is_calling',
      description: 'Says who is calling.',
      response_timeout_secs: 30,
      execution_mode: 'immediate',
      interruption_mode: 'allow',
      pre_tool_speech: 'force',
      expects_response: true,
    });
    expect(second).toEqual({
      type: 'client',
      name: 'pay',
      description: 'Pays an invoice.',
      response_timeout_secs: 30,
      execution_mode: 'post_tool_speech',
      interruption_mode: 'disable_during_tool',
      pre_tool_speech: 'auto',
      expects_response: true,
      parameters: fields,
    });
  });

  test('a call is answered under its id, and says whether it went wrong', async () => {
    const toolbox = createPlatformTools().toolbox.bind({ callId: 'CA1' });

    const answers = [
      await client.run(toolbox, call('pay', { amount: 20 })),
      await client.run(toolbox, call('break_down', {}, 'call_2')),
    ];

    expect(answers).toEqual([
      {
        type: 'client_tool_result',
        tool_call_id: 'call_1',
        result: '{"success":true,"confirmation_number":"C-1"}',
        is_error: false,
      },
      { type: 'client_tool_result', tool_call_id: 'call_2', result: '{"error":"internal_error"}', is_error: true },
    ]);
  });
});
