import { expect, test } from 'vitest';
import { vapi } from '../../../src/tools/providers/vapi.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';
import { serve } from '../../support/serve.ts';

const secret = () => 'vapi-secret';
const genuine = { headers: { 'x-vapi-secret': 'vapi-secret' } };

/** A `tool-calls` message as Vapi's documentation shows it. */
const message = (toolCallList: readonly object[], call: object = { id: 'vapi_1' }) => ({
  message: { timestamp: 1678901234567, type: 'tool-calls', toolCallList, toolWithToolCallList: [], call },
});

const pay = (id: string, amount: number) => ({ id, name: 'pay', arguments: { amount } });
const paid = '{"success":true,"confirmation_number":"C-1"}';

test('a tool is a function whose slow message is said when it is late', () => {
  const { toolbox } = createPlatformTools();

  const [first, second] = vapi.tools(toolbox, { url: 'https://voice.test/vapi', credentialId: 'cred_1' });

  expect(first).toEqual({
    type: 'function',
    async: false,
    function: {
      name: 'who_is_calling',
      description: 'Says who is calling.',
      parameters: { type: 'object', properties: {}, required: [] },
    },
    server: { url: 'https://voice.test/vapi', timeoutSeconds: 20, credentialId: 'cred_1' },
    messages: [{ type: 'request-response-delayed', timingMilliseconds: 800, content: 'One moment, please.' }],
  });
  expect(second).toEqual({
    type: 'function',
    async: false,
    function: {
      name: 'pay',
      description: 'Pays an invoice.',
      parameters: {
        type: 'object',
        properties: {
          amount: { type: 'number', description: 'In dollars. Greater than 0, below 5000.' },
          method: { type: 'string', description: 'method', enum: ['card', 'bank'] },
        },
        required: ['amount'],
      },
    },
    server: { url: 'https://voice.test/vapi', timeoutSeconds: 20, credentialId: 'cred_1' },
  });
});

test('without a url the server of the assistant is used', () => {
  expect(vapi.tools(createPlatformTools().toolbox)[0]).not.toHaveProperty('server');
});

test('the calls of a message are answered each under its id, whichever way Vapi spells them', async () => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret }));

  const answered = await server.post(
    message([
      pay('call_1', 20),
      { id: 'call_2', type: 'function', function: { name: 'add_note', arguments: '{"body":"Paid."}' } },
      { id: 'call_3', name: 'pay', parameters: { amount: 30 } },
      { id: 'call_4', function: { name: 'pay', parameters: '{"amount":40}' } },
    ]),
    genuine,
  );

  expect(answered).toEqual({
    status: 200,
    body: {
      results: [
        { toolCallId: 'call_1', name: 'pay', result: paid },
        { toolCallId: 'call_2', name: 'add_note', result: '{"note":1}' },
        { toolCallId: 'call_3', name: 'pay', result: paid.replace('C-1', 'C-2') },
        { toolCallId: 'call_4', name: 'pay', result: paid.replace('C-1', 'C-3') },
      ],
    },
  });
  expect(charges).toEqual([20, 30, 40]);
});

test('a refused call says what is wrong with its arguments', async () => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret }));

  const answered = await server.post(message([pay('call_1', -20)]), genuine);

  const error =
    '{"success":false,"error":"invalid_arguments","fields":[{"field":"amount","problem":"must be greater than 0"}]}';
  expect(answered.body).toEqual({ results: [{ toolCallId: 'call_1', name: 'pay', error }] });
  expect(charges).toEqual([]);
});

test('what a tool throws stays on the server', async () => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret }));

  const { body } = await server.post(message([{ id: 'call_1', name: 'break_down', arguments: {} }]), genuine);

  expect(body).toEqual({
    results: [{ toolCallId: 'call_1', name: 'break_down', error: '{"error":"internal_error"}' }],
  });
});

test('a message that comes twice, at once or later, pays once', async () => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret }));
  const post = () => server.post(message([pay('call_1', 20)]), genuine);

  const answers = [...(await Promise.all([post(), post()])), await post()];

  const results = answers.map(({ body }) => (body as { results: { result: string }[] }).results[0]?.result);
  expect(results.map((result) => JSON.parse(result ?? '') as unknown)).toEqual(
    results.map(() => expect.objectContaining({ success: true, confirmation_number: 'C-1' })),
  );
  expect(results.at(-1)).toContain('"already_paid":true');
  expect(charges).toEqual([20]);
});

test.each([
  ['without a secret', {}],
  ['with a wrong secret', { 'x-vapi-secret': 'guess' }],
  ['with an empty secret', { 'x-vapi-secret': '' }],
  ['with the secret in another header', { authorization: 'Bearer vapi-secret' }],
])('a request %s is refused, and nothing runs', async (_, headers) => {
  const { toolbox, charges } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret }));

  const answered = await server.post(message([pay('call_1', 20)]), { headers });

  expect(answered).toEqual({ status: 401, body: { error: 'unauthorized' } });
  expect(charges).toEqual([]);
});

test('a bearer token is taken where the credential is one', async () => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret, header: 'authorization' }));

  const { status } = await server.post(message([]), { headers: { authorization: 'Bearer vapi-secret' } });

  expect(status).toBe(200);
});

test('while a secret is being exchanged the old and the new one count', async () => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret: () => ['new', 'old'] }));
  const statusWith = async (given: string) =>
    (await server.post(message([]), { headers: { 'x-vapi-secret': given } })).status;

  expect([await statusWith('new'), await statusWith('old'), await statusWith('older')]).toEqual([200, 200, 401]);
});

test('a secret that is written in code is refused', () => {
  const { toolbox } = createPlatformTools();

  expect(() => vapi.handler({ toolbox, secret: 'vapi-secret' as never })).toThrow(
    'must be a function that reads the secret',
  );
});

test('messages that are about something else are acknowledged', async () => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret }));

  const answered = await server.post({ message: { type: 'status-update', status: 'in-progress' } }, genuine);

  expect(answered).toEqual({ status: 200, body: {} });
});

test.each([
  ['the person of a telephone call is known by number', { type: 'inboundPhoneCall' }, '+14155550100', true],
  ['a number in a web call is not believed', { type: 'webCall' }, '+14155550100', false],
  ['what is no number is not a person', { type: 'inboundPhoneCall' }, 'anonymous', false],
])('%s', async (_, call, number, isKnown) => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret }));

  const { body } = await server.post(
    message([{ id: 'call_1', name: 'who_is_calling' }], { id: 'vapi_1', ...call, customer: { number } }),
    genuine,
  );

  const who = isKnown ? { phone: number, verified: 'caller-id' } : { verified: 'no' };
  const result = JSON.stringify({ callId: 'vapi_1', ...who });
  expect(body).toEqual({ results: [{ toolCallId: 'call_1', name: 'who_is_calling', result }] });
});

test.each<[string, readonly unknown[]]>([
  ['null', [null]],
  ['an empty object', [{}]],
  ['a text', ['pay']],
  ['a number', [7]],
  ['a list', [[]]],
  ['a call without an id', [{ name: 'pay', arguments: { amount: 5 } }]],
  ['several of them', [null, {}, undefined, { id: 7 }]],
])('%s in the list of calls leaves the others their answers', async (_, junk) => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret }));
  const list = [...junk, pay('call_1', 20)] as object[];

  const answered = await server.post(message(list), genuine);

  expect(answered.body).toEqual({ results: [{ toolCallId: 'call_1', name: 'pay', result: paid }] });
  expect(
    await vapi.runAll(toolbox.bind({ callId: 'vapi_2' }), message(list).message as Parameters<typeof vapi.runAll>[1]),
  ).toMatchObject({ results: [{ toolCallId: 'call_1' }] });
});

test.each([
  [{ id: 'call_0', name: null }],
  [{ id: 'call_0' }],
  [{ id: 'call_0', name: 7 }],
  [{ id: 'call_0', function: null }],
  [{ id: 'call_0', function: { name: {} } }],
])('a call without a name (%j) is answered under its id, and so are the others', async (nameless) => {
  const { toolbox } = createPlatformTools();
  await using server = await serve(vapi.handler({ toolbox, secret }));

  const answered = await server.post(message([nameless, pay('call_1', 20)]), genuine);

  expect(answered.body).toMatchObject({
    results: [
      { toolCallId: 'call_0', error: expect.stringContaining('is not the name of a tool') },
      { toolCallId: 'call_1', result: paid },
    ],
  });
});
