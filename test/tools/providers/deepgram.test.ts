import { expect, test } from 'vitest';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { deepgram } from '../../../src/tools/providers/deepgram.ts';
import * as z from 'zod';
import { createPlatformTools } from '../../support/platform-tools.ts';

const call = (id: string, name: string, args: object = {}, client_side = true) => ({
  id,
  name,
  arguments: JSON.stringify(args),
  client_side,
});

const response = (id: string, name: string, content: unknown) => ({ type: 'FunctionCallResponse', id, name, content });

const paid = '{"success":true,"confirmation_number":"C-1"}';

/** A toolbox on a connection, what it sent, and a way to hand it a message. */
const connect = () => {
  const { toolbox, ...done } = createPlatformTools();
  const sent: unknown[] = [];
  const receive = deepgram.connect(toolbox.bind({ callId: 'CA1' }), { send: (message) => sent.push(message) });
  return { ...done, sent, receive };
};

test('what changes something waits for the end of the turn', () => {
  const functions = deepgram.tools(createPlatformTools().toolbox);

  expect(functions.map(({ name, defer_until_eot }) => [name, defer_until_eot])).toEqual([
    ['who_is_calling', false],
    ['pay', true],
    ['add_note', true],
    ['break_down', false],
  ]);
  expect(functions[2]).toEqual({
    name: 'add_note',
    description: 'Adds an internal note.',
    parameters: { type: 'object', properties: { body: { type: 'string' } }, required: ['body'] },
    defer_until_eot: true,
  });
});

test('each function of a request is answered by itself; those of Deepgram are left to it', async () => {
  const { receive, sent, charges } = connect();

  await receive({
    type: 'FunctionCallRequest',
    functions: [
      call('fc_1', 'pay', { amount: 20 }),
      call('fc_2', 'break_down'),
      call('fc_3', 'add_note', { body: 'Theirs.' }, false),
    ],
  });

  expect(sent).toHaveLength(2);
  expect(sent).toEqual(
    expect.arrayContaining([
      response('fc_1', 'pay', paid),
      response('fc_2', 'break_down', '{"error":"internal_error"}'),
    ]),
  );
  expect(charges).toEqual([20]);
});

test('a message is taken as text too, and what is about something else is ignored', async () => {
  const { receive, sent } = connect();

  await receive(
    JSON.stringify({ type: 'FunctionCallRequest', functions: [call('fc_1', 'add_note', { body: 'Hi.' })] }),
  );
  for (const other of [
    '{',
    'null',
    new Uint8Array(3),
    undefined,
    { type: 'Welcome' },
    { type: 'FunctionCallRequest' },
    { type: 'FunctionCallRequest', functions: 'add_note' },
    { type: 'FunctionCallRequest', functions: [null, 'add_note', {}, { id: 1, name: 'add_note' }, { id: 'fc_2' }] },
    { type: 7, functions: [call('fc_2', 'add_note', { body: 'Hi.' })] },
  ]) {
    await receive(other);
  }

  expect(sent).toEqual([response('fc_1', 'add_note', '{"note":1}')]);
});

test('a repeated request pays once', async () => {
  const { receive, sent, charges } = connect();
  const request = { type: 'FunctionCallRequest', functions: [call('fc_1', 'pay', { amount: 20 })] };

  await Promise.all([receive(request), receive(request)]);
  await receive({ ...request, functions: [call('fc_2', 'pay', { amount: 20 })] });

  expect(sent).toEqual([
    response('fc_1', 'pay', paid),
    response('fc_1', 'pay', paid),
    response('fc_2', 'pay', expect.stringContaining('"confirmation_number":"C-1","already_paid":true')),
  ]);
  expect(charges).toEqual([20]);
});

test('a cancelled function is ended and gets no answer; the others do', async () => {
  const started = Promise.withResolvers<void>();
  const ended: string[] = [];
  const toolbox = createToolbox({
    context: { callId: 'CA1' },
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Takes its time.',
        parameters: z.object({ what: z.string() }),
        effect: 'read',
        run: ({ what }, { signal }) =>
          what === 'quick'
            ? { found: true }
            : new Promise((_, reject) => {
                signal.addEventListener('abort', () => {
                  ended.push(what);
                  reject(signal.reason);
                });
                started.resolve();
              }),
      }),
    ],
  });
  const sent: unknown[] = [];
  const receive = deepgram.connect(toolbox, { send: (message) => sent.push(message) });

  const answered = receive({
    type: 'FunctionCallRequest',
    functions: [call('fc_1', 'look_up', { what: 'slow' }), call('fc_2', 'look_up', { what: 'quick' })],
  });
  await started.promise;
  await receive({ type: 'FunctionCallCancelled', functions: [{ id: 'fc_1', name: 'look_up' }] });
  await answered;

  expect(ended).toEqual(['slow']);
  expect(sent).toEqual([response('fc_2', 'look_up', '{"found":true}')]);
});

test('a payment that was cancelled after it was sent is reported to the application, not to the model', async () => {
  const sending = Promise.withResolvers<void>();
  const paying = Promise.withResolvers<void>();
  const settled = Promise.withResolvers<unknown>();
  const toolbox = createToolbox({
    context: { callId: 'CA1', onSettled: ({ result }) => result.status === 'done' && settled.resolve(result.value) },
    tools: [
      defineTool({
        name: 'pay',
        description: 'Pays an invoice.',
        parameters: z.object({ amount: z.number() }),
        effect: 'payment',
        confirm: false,
        run: async () => {
          sending.resolve();
          await paying.promise;
          return { success: true };
        },
      }),
    ],
  });
  const sent: unknown[] = [];
  const receive = deepgram.connect(toolbox, { send: (message) => sent.push(message) });

  const answered = receive({ type: 'FunctionCallRequest', functions: [call('fc_1', 'pay', { amount: 20 })] });
  await sending.promise;
  await receive({ type: 'FunctionCallCancelled', functions: [{ id: 'fc_1', name: 'pay' }] });
  await answered;
  paying.resolve();

  expect(await settled.promise).toEqual({ success: true });
  expect(sent).toEqual([]);
});

test('while a tool is slow the agent says so', async () => {
  const isLate = Promise.withResolvers<void>();
  const toolbox = createToolbox({
    context: { callId: 'CA1' },
    tools: [
      defineTool({
        name: 'look_up',
        description: 'Takes its time.',
        parameters: z.object({}),
        effect: 'read',
        expectedMs: 0,
        slowMessage: 'One moment, please.',
        run: async () => {
          await isLate.promise;
          return { found: true };
        },
      }),
    ],
  });
  const sent: unknown[] = [];
  const receive = deepgram.connect(toolbox, {
    send: (message) => {
      sent.push(message);
      isLate.resolve();
    },
  });

  await receive({ type: 'FunctionCallRequest', functions: [call('fc_1', 'look_up')] });

  expect(sent).toEqual([
    { type: 'InjectAgentMessage', message: 'One moment, please.', behavior: 'queue' },
    response('fc_1', 'look_up', '{"found":true}'),
  ]);
});

test('a slow message that was refused is said when the agent has finished, as long as the tool runs', async () => {
  const { toolbox, clock, started } = createWaitingTool('One moment, please.');
  const sent: unknown[] = [];
  const receive = deepgram.connect(toolbox, { send: (message) => sent.push(message) });
  const running = receive({ type: 'FunctionCallRequest', functions: [call('fc_1', 'look_up')] });
  await started;
  await clock.advance(1);
  const words = { type: 'InjectAgentMessage', message: 'One moment, please.', behavior: 'queue' };
  await receive({ type: 'AgentAudioDone' });
  expect(sent).toEqual([words]);
  await receive({ type: 'InjectionRefused', message: 'the agent is speaking' });
  await receive({ type: 'AgentAudioDone' });
  await receive({ type: 'AgentAudioDone' });
  expect(sent).toEqual([words, words]);
  await receive({ type: 'InjectionRefused' });
  await receive({ type: 'FunctionCallCancelled', functions: [call('fc_1', 'look_up')] });
  await running;
  await receive({ type: 'AgentAudioDone' });
  expect(sent).toEqual([words, words]);
});

/** A tool that ends only when it is taken back. */
const createWaitingTool = (slowMessage?: string) => {
  const clock = createVirtualClock();
  const started = Promise.withResolvers<void>();
  const tool = defineTool({
    name: 'look_up',
    description: 'Takes its time.',
    parameters: z.object({}),
    effect: 'read',
    expectedMs: 0,
    slowMessage,
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        started.resolve();
      }),
  });
  return {
    toolbox: createToolbox({ context: { callId: 'CA1' }, tools: [tool] }),
    clock,
    started: started.promise,
  };
};

test('a phone call that ends takes its functions back, and none of them is answered', async () => {
  const { toolbox, started } = createWaitingTool();
  const hungUp = new AbortController();
  const sent: unknown[] = [];
  const context = { signal: hungUp.signal };
  const receive = deepgram.connect(toolbox, { send: (message) => sent.push(message), context });

  const answered = receive({ type: 'FunctionCallRequest', functions: [call('fc_1', 'look_up')] });
  await started;
  hungUp.abort();
  await answered;

  expect(sent).toEqual([]);
});

test('a slow tool without words says nothing', async () => {
  const { toolbox, clock, started } = createWaitingTool();
  const sent: unknown[] = [];
  const receive = deepgram.connect(toolbox, { send: (message) => sent.push(message) });
  const answered = receive({ type: 'FunctionCallRequest', functions: [call('fc_1', 'look_up')] });
  await started;
  await clock.advance(1_000);
  await receive({ type: 'FunctionCallCancelled', functions: [{ id: 'fc_1', name: 'look_up' }] });
  await answered;

  expect(sent).toEqual([]);
});

test('a loop of one’s own gets the responses in the order of the functions', async () => {
  const toolbox = createPlatformTools().toolbox.bind({ callId: 'CA1' });

  const responses = await deepgram.runAll(toolbox, {
    functions: [call('fc_1', 'add_note', { body: 'One.' }), call('fc_2', 'pay', { amount: -1 })],
  });

  expect(responses).toEqual([
    response('fc_1', 'add_note', '{"note":1}'),
    response(
      'fc_2',
      'pay',
      '{"success":false,"error":"invalid_arguments","fields":[{"field":"amount","problem":"must be greater than 0"}]}',
    ),
  ]);
});

test.each(['end_call', 'transfer', 'pay_2', 'constructor', '__proto__', ''])(
  'a function of the application (%s) is left to it',
  async (name) => {
    const { receive, sent } = connect();

    await receive({
      type: 'FunctionCallRequest',
      functions: [call('fc_1', name), call('fc_2', 'add_note', { body: 'Hi.' })],
    });
    await receive({ type: 'FunctionCallCancelled', functions: [{ id: 'fc_1', name }] });

    expect(sent).toEqual([response('fc_2', 'add_note', '{"note":1}')]);
  },
);

test('a result is sent when it’s there, and doesn’t wait for a slower one', async () => {
  const slow = Promise.withResolvers<object>();
  const find = (name: string, run: () => object) =>
    defineTool({ name, description: 'Finds.', parameters: z.object({}), effect: 'read', run });
  const tools = [find('find_slowly', () => slow.promise), find('find_quickly', () => ({ found: true }))];
  const sent = new EventTarget();
  const order: unknown[] = [];
  const receive = deepgram.connect(createToolbox({ tools, context: { callId: 'CA1' } }), {
    send: (message) => {
      order.push('name' in message && message.name);
      sent.dispatchEvent(new Event('sent'));
    },
  });
  const first = new Promise((resolve) => sent.addEventListener('sent', resolve, { once: true }));

  const answered = receive({
    type: 'FunctionCallRequest',
    functions: [call('fc_1', 'find_slowly'), call('fc_2', 'find_quickly')],
  });
  await first;
  slow.resolve({ found: true });
  await answered;

  expect(order).toEqual(['find_quickly', 'find_slowly']);
});
