import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { httpTools, type HttpToolsOptions } from '../../../src/tools/providers/http.ts';
import { hmac, sharedSecret } from '../../../src/webhooks/index.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

const genuine = { headers: { 'x-token': 'the-token' } };

/** A platform that asks for a tool by name and shows what it knows. */
const handlerOf = (options: Pick<HttpToolsOptions, 'toolbox' | 'onError'>) =>
  httpTools.handler({
    ...options,
    authentication: [sharedSecret({ header: 'x-token', secrets: () => 'the-token' })],
    read: ({ body: { tool } }) => ({ callId: 'call_1', phone: '+14155550100', calls: [{ name: tool }] }),
    reply: ([answer]) => answer?.result.value,
  });

test.each([
  ['a GET', '', { method: 'GET' }, 405, ''],
  [
    'a forged request',
    '{"tool":"who_is_calling"}',
    { headers: { 'x-token': 'forged' } },
    401,
    { error: 'unauthorized' },
  ],
  ['what is no JSON', '{"tool":', genuine, 400, { error: 'malformed_body' }],
  ['a list', '[]', genuine, 400, { error: 'malformed_body' }],
  [
    'what is nested too deeply',
    `{"tool":${'['.repeat(300)}${']'.repeat(300)}}`,
    genuine,
    400,
    { error: 'malformed_body' },
  ],
  ['what the platform never asks', '{}', genuine, 400, { error: 'malformed_body' }],
  ['an empty body', '', genuine, 400, { error: 'malformed_body' }],
  ['more than four megabytes', ' '.repeat(4 * 1024 * 1024 + 1), genuine, 413, { error: 'body_too_large' }],
])('%s is refused', async (_, body, options, status, answered) => {
  await using server = await serve(handlerOf({ toolbox: createPlatformTools().toolbox }));

  expect(await server.post(body, options)).toEqual({ status, body: answered });
});

test.each([undefined, null, {}, { tools: [] }, Promise.resolve(createPlatformTools().toolbox)])(
  'a toolbox that is none is refused when the server is made: %o',
  (toolbox) => {
    expect(() => handlerOf({ toolbox: toolbox as never })).toThrow(
      'toolbox takes a phone call, a turn, a live call or a toolbox: pass startPhoneCall(…)',
    );
  },
);

test('one toolbox for all gets the phone call and its caller', async () => {
  await using server = await serve(handlerOf({ toolbox: createPlatformTools().toolbox }));

  expect(await server.post({ tool: 'who_is_calling' }, genuine)).toEqual({
    status: 200,
    body: { callId: 'call_1', phone: '+14155550100', verified: 'caller-id' },
  });
});

test('what the application knows about the phone call wins over what the platform says', async () => {
  const { toolbox } = createPlatformTools();
  const seen: unknown[] = [];
  await using server = await serve(
    handlerOf({
      toolbox: async (call) => {
        seen.push(call);
        return toolbox.bind({ callId: 'CA1', caller: { phone: '+14155550199', verified: 'strong' } });
      },
    }),
  );

  expect(await server.post({ tool: 'who_is_calling' }, genuine)).toEqual({
    status: 200,
    body: { callId: 'CA1', phone: '+14155550199', verified: 'strong' },
  });
  expect(seen).toEqual([{ callId: 'call_1', phone: '+14155550100', body: { tool: 'who_is_calling' } }]);
});

test('what the application throws is reported to the application alone', async () => {
  const errors: unknown[] = [];
  const problem = new Error('pg://root:hunter2@db.internal refused');
  await using server = await serve(
    handlerOf({ toolbox: () => Promise.reject(problem), onError: (error) => errors.push(error) }),
  );

  expect(await server.post({ tool: 'who_is_calling' }, genuine)).toEqual({ status: 500, body: { error: 'failed' } });
  expect(errors).toEqual([problem]);
});

test('without onError, each cause is one warning of the process', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => emitWarning.mockRestore());
  const handle = httpTools.handler({
    toolbox: () => Promise.reject(new RangeError('Ann 4242 4242 4242 4242')),
    authentication: [sharedSecret({ header: 'x-token', secrets: () => 'the-token' })],
    read: ({ body: { callId } }) => ({ callId, calls: [{ name: 'look' }] }),
    reply: () => ({}),
  });
  await using server = await serve(handle);

  const statuses: number[] = [];
  for (const callId of ['CA1', 'CA2', '{{call_id}}', 'call-undefined', '', null])
    statuses.push((await server.post({ callId }, genuine)).status);

  expect(statuses).toEqual([500, 500, 400, 400, 400, 400]);
  expect(emitWarning.mock.calls.map(([message]) => message)).toEqual([
    expect.stringMatching(/^phone-call failed: it threw RangeError at /),
    expect.stringContaining('callId must be the id that your telephone platform gave the call'),
  ]);
});

test('an application without onError is answered too', async () => {
  await using server = await serve(handlerOf({ toolbox: () => Promise.reject(new Error('no')) }));

  expect(await server.post({ tool: 'who_is_calling' }, genuine)).toEqual({ status: 500, body: { error: 'failed' } });
});

test('several calls of one request run, each once, and a request about something else is acknowledged', async () => {
  const { toolbox, notes } = createPlatformTools();
  const handle = httpTools.handler({
    toolbox,
    authentication: [hmac({ secrets: () => 'the-secret' })],
    read: ({ body: { calls } }) => ({
      callId: 'call_1',
      calls: Array.isArray(calls) ? calls.map((text) => ({ name: 'add_note', args: { body: text }, text })) : [],
    }),
    reply: (answers) => answers.map(({ call, result }) => [call.text, result.status]),
  });
  await using server = await serve(handle);
  const signed = (body: object) => {
    const text = JSON.stringify(body);
    const signature = createHmac('sha256', 'the-secret').update(text).digest('hex');
    return server.post(text, { headers: { 'x-signature': `sha256=${signature}` } });
  };

  const first = await signed({ calls: ['a', 'b'] });
  const again = await signed({ calls: ['b'] });
  const other = await signed({ status: 'ringing' });
  const unsigned = await server.post({ calls: ['c'] });

  expect(first.body).toEqual([
    ['a', 'done'],
    ['b', 'done'],
  ]);
  expect([again.body, other.body, unsigned.status]).toEqual([[['b', 'done']], {}, 401]);
  expect(notes).toEqual(['a', 'b']);
});

test('a server that believes everyone is refused', () => {
  const { toolbox } = createPlatformTools();
  const make = () =>
    httpTools.handler({
      toolbox,
      authentication: [],
      read: () => undefined,
      reply: () => ({}),
    });
  expect(make).toThrow('authentication must hold at least one method');
});

test('the definitions are name, description and JSON Schema', () => {
  const { toolbox } = createPlatformTools();

  expect(httpTools.tools(toolbox)[2]).toEqual({
    name: 'add_note',
    description: 'Adds an internal note.',
    parameters: { type: 'object', properties: { body: { type: 'string' } }, required: ['body'] },
  });
});

test('for platforms that take typed fields only, the definitions have no more', () => {
  const { toolbox } = createPlatformTools();

  expect(httpTools.tools(toolbox, { fieldsOnly: true })[1]?.parameters).toEqual({
    type: 'object',
    properties: {
      amount: { type: 'number', description: expect.stringContaining('In dollars') },
      method: { type: 'string', enum: ['card', 'bank'], description: expect.any(String) },
    },
    required: ['amount'],
  });
});

test('a request that a user writes on a platform has the tool in its address, the phone call in its headers', async () => {
  const handle = httpTools.handler({
    toolbox: createPlatformTools().toolbox,
    authentication: [sharedSecret({ header: 'authorization', secrets: () => 'the-token' })],
    read: ({ body, headers, url }) => ({
      callId: headers.get('x-call-id'),
      phone: headers.get('x-caller'),
      calls: [{ name: url.searchParams.get('tool'), args: body }],
    }),
    reply: ([answer]) => answer?.result.value,
  });
  await using server = await serve(handle);
  const ask = async (headers: Record<string, string>) => {
    const answer = await fetch(`${server.url}/?tool=who_is_calling`, { method: 'POST', headers, body: '{}' });
    return [answer.status, await answer.json()];
  };
  const authorization = 'Bearer the-token';

  expect(await ask({ authorization, 'x-call-id': 'call_1', 'x-caller': '+14155550100' })).toEqual([
    200,
    { callId: 'call_1', phone: '+14155550100', verified: 'caller-id' },
  ]);
  expect(await ask({ authorization, 'x-caller': '+14155550100' })).toEqual([400, { error: 'malformed_body' }]);
  expect(await ask({ 'x-call-id': 'call_1' })).toEqual([401, { error: 'unauthorized' }]);
});

/** A platform whose body says the phone call and the number. */
const readingHandler = (options: Pick<HttpToolsOptions, 'toolbox' | 'onError'>) =>
  httpTools.handler({
    ...options,
    authentication: [sharedSecret({ header: 'x-token', secrets: () => 'the-token' })],
    read: ({ body: { id, phone } }) => ({ callId: id, phone, calls: [{ name: 'who_is_calling' }] }),
    reply: ([answer]) => answer?.result.value,
  });

test.each([
  '+266696687',
  '+7378742833',
  '+86282452253',
  '+2562533',
  '+8656696',
  'anonymous',
  'sip:anonymous@anonymous.invalid',
  'client:alice',
  '+1',
  '911',
  '',
  null,
  {},
])('no one is verified where the platform says %j', async (phone) => {
  const seen: unknown[] = [];
  const { toolbox } = createPlatformTools();
  await using one = await serve(readingHandler({ toolbox }));
  await using each = await serve(readingHandler({ toolbox: (call) => (seen.push(call.phone), toolbox) }));

  const answers = [await one.post({ id: 'CA1', phone }, genuine), await each.post({ id: 'CA1', phone }, genuine)];

  for (const { body } of answers) expect(body).toMatchObject({ callId: 'CA1', verified: 'no' });
  for (const { body } of answers) expect(body).not.toHaveProperty('phone');
  expect(seen).toEqual([undefined]);
});

test.each(['+1 (415) 555-0100', 'tel:+14155550100', '"Ada" <sip:%2B14155550100@x.example;user=phone>'])(
  'the caller is verified where the platform says %j',
  async (phone) => {
    await using server = await serve(readingHandler({ toolbox: createPlatformTools().toolbox }));

    expect(await server.post({ id: 'CA1', phone }, genuine)).toEqual({
      status: 200,
      body: { callId: 'CA1', phone: '+14155550100', verified: 'caller-id' },
    });
  },
);

test.each(['undefined', 'None', '{{call_id}}', '${call_id}', '{call_id}', '<call_id>', ' '])(
  'the call id %j is refused, and the application gets the reason',
  async (id) => {
    const errors: unknown[] = [];
    const { toolbox } = createPlatformTools();
    await using server = await serve(readingHandler({ toolbox, onError: (error) => errors.push(error) }));

    const { status } = await server.post({ id, phone: '+14155550100' }, genuine);

    expect(status).toBe(400);
    expect(errors).toMatchObject([{ code: 'invalid_argument', field: 'callId' }]);
  },
);
