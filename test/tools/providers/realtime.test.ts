import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool } from '../../../src/tools/index.ts';
import { realtime } from '../../../src/tools/providers/openai.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** Tools that end when the test says so, on a session whose events the test gives. */
const connect = ({ session, canSend = () => true }: Connected = {}) => {
  const clock = createVirtualClock();
  const sent: Event[] = [];
  const errors: Error[] = [];
  const runs: Run[] = [];
  const tool = (name: string, effect: 'read' | 'write' | 'payment', slowMessage?: string) =>
    defineTool({
      name,
      description: 'Works until the test ends it.',
      parameters: z.object({ amount: z.number().optional() }),
      effect,
      confirm: false,
      ...(slowMessage !== undefined && { slowMessage }),
      compact: (done) => done,
      run: (_, { signal }) => {
        const { promise, resolve, reject } = Promise.withResolvers<object>();
        signal.addEventListener('abort', () => reject(signal.reason));
        runs.push({ name, signal, end: () => resolve({ from: name }) });
        return promise;
      },
    });
  const toolbox = createToolbox({
    context: { callId: 'CA1' },
    deadline: 60_000,
    tools: [
      tool('look_up', 'read', 'I am looking that up.'),
      tool('check_stock', 'read'),
      tool('add_note', 'write', 'I am writing that down.'),
      tool('pay', 'payment', 'I am paying that.'),
    ],
  });
  const live = realtime.connect(toolbox, {
    send: (event) => {
      if (!canSend(event.type)) throw new Error('lost');
      sent.push(event as Event);
    },
    onError: (error) => errors.push(error),
    ...(session && { session }),
  });
  const settle = () => clock.advance(0);
  return {
    live,
    sent,
    errors,
    runs,
    clock,
    settle,
    /** What was sent since the last look, in words. */
    said: () => sent.splice(0).map(inWords),
    started: async () => {
      await settle();
      return runs.map(({ name }) => name);
    },
    created: (id: string, metadata?: object) => live.handle({ type: 'response.created', response: { id, metadata } }),
    item: (id: string, item: object) => live.handle({ type: 'response.output_item.done', response_id: id, item }),
    done: (id: string, output: readonly object[] = [], status = 'completed', more: object = {}) =>
      live.handle({ type: 'response.done', response: { id, status, output, ...more } }),
    end: async (name: string) => {
      await settle();
      runs.find((run) => run.name === name)?.end();
      await settle();
    },
  };
};

interface Connected {
  readonly session?: object;
  readonly canSend?: (type: string) => boolean;
}

interface Run {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly end: () => void;
}

interface Event {
  readonly type: string;
  readonly event_id?: string;
  readonly response_id?: string;
  readonly item?: { readonly call_id: string; readonly output: string };
  readonly response?: { readonly conversation: string; readonly instructions: string; readonly metadata: object };
}

const inWords = ({ type, item, response, response_id }: Event): string => {
  if (item) return `${item.call_id}: ${item.output}`;
  if (response) return `says ${/"(.*)"/.exec(response.instructions)?.[1]}`;
  return response_id ? `${type} ${response_id}` : type;
};

const call = (call_id: string, name: string, status = 'completed', args: object = {}) => ({
  type: 'function_call',
  call_id,
  name,
  arguments: JSON.stringify(args),
  status,
});

const message = { type: 'message', status: 'completed' };
const speech = (state: 'started' | 'stopped') => ({ type: `input_audio_buffer.speech_${state}` });
const result = (id: string, name: string) => `${id}: {"from":"${name}"}`;
const cancelled = '{"error":"cancelled"}';
const cutOff = (begin: string) =>
  `{${begin}"error":"cut_off","message":"Your message was cut off, so nothing was done. Make this call again, shorter."}`;

describe('a session', () => {
  test('gets the tools with the other settings, once', async () => {
    const { sent } = connect({ session: { instructions: 'Be brief.' } });

    expect(sent).toEqual([
      {
        type: 'session.update',
        session: { type: 'realtime', instructions: 'Be brief.', tools: expect.objectContaining({ length: 4 }) },
      },
    ]);
  });

  test('starts look-ups while the model still speaks, and writes when its answer is complete', async () => {
    const { created, item, done, started } = connect();

    created('r1');
    item('r1', call('c1', 'look_up'));
    item('r1', call('c2', 'add_note'));
    expect(await started()).toEqual(['look_up']);
    done('r1', [call('c1', 'look_up'), call('c2', 'add_note')]);

    expect(await started()).toEqual(['look_up', 'add_note']);
  });

  test('sends each result once, and asks for one answer when all are there', async () => {
    const { created, item, done, end, said } = connect();
    said();
    const output = [call('c1', 'look_up'), call('c2', 'check_stock')];

    created('r1');
    for (const each of output) item('r1', each);
    await end('look_up');
    expect(said()).toEqual([result('c1', 'look_up')]);
    done('r1', output);
    done('r1', output);
    await end('check_stock');

    expect(said()).toEqual([result('c2', 'check_stock'), 'response.create']);
  });

  test('waits with the next answer until the present one has ended', async () => {
    const { created, item, done, end, said } = connect();
    said();

    created('r1');
    item('r1', call('c1', 'look_up'));
    await end('look_up');
    expect(said()).toEqual([result('c1', 'look_up')]);
    done('r1', [call('c1', 'look_up')]);

    expect(said()).toEqual(['response.create']);
  });

  test('answers a caller who spoke meanwhile first, and then the result', async () => {
    const { live, created, done, end, said } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    said();

    live.handle(speech('started'));
    live.handle(speech('stopped'));
    created('r2');
    await end('look_up');
    expect(said()).toEqual([result('c1', 'look_up')]);
    done('r2', [message]);

    expect(said()).toEqual(['response.create']);
  });

  test('asks for nothing more when the answer to the caller has taken up the result', async () => {
    const { live, created, done, end, said } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    said();

    live.handle(speech('started'));
    await end('look_up');
    live.handle({ type: 'conversation.item.added', item: { type: 'function_call_output', call_id: 'c1' } });
    live.handle(speech('stopped'));
    created('r2');
    done('r2', [message]);

    expect(said()).toEqual([result('c1', 'look_up')]);
  });

  test('asks after a caller to whom the API gives no answer by itself', async () => {
    const { live, created, done, end, said, clock } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    said();

    live.handle(speech('started'));
    await end('look_up');
    live.handle(speech('stopped'));
    await clock.advance(499);
    expect(said()).toEqual([result('c1', 'look_up')]);
    await clock.advance(1);

    expect(said()).toEqual(['response.create']);
  });

  test('runs the calls of a server that sends arguments and no items', async () => {
    const { live, created, done, end, said, started } = connect();
    created('r1');
    live.handle({
      type: 'response.function_call_arguments.done',
      response_id: 'r1',
      call_id: 'c1',
      name: 'look_up',
      arguments: '{}',
    });
    expect(await started()).toEqual([]);
    done('r1', []);
    said();
    await end('look_up');

    expect(said()).toEqual([result('c1', 'look_up'), 'response.create']);
  });

  test('ignores what is no event, is about other things, or comes after its end', async () => {
    const { live, sent, errors, started, done } = connect();
    sent.splice(0);

    for (const other of [
      '{',
      'null',
      7,
      null,
      {},
      { type: 'constructor' },
      { type: 'response.done' },
      new Uint8Array(2),
    ])
      live.handle(other);
    live.handle({ type: 'response.done', response: { id: 'r1', output: [{ type: 'function_call', name: 7 }] } });
    live.handle(JSON.stringify({ type: 'response.done', response: { id: 'r2', output: 'c1' } }));
    live.close();
    done('r3', [call('c1', 'look_up')]);

    expect([sent, errors, await started()]).toEqual([[], [], []]);
  });

  test('is refused without a connection', () => {
    const toolbox = createToolbox({ tools: [] });
    const onError = () => {};

    // @ts-expect-error one of them is needed
    expect(() => realtime.connect(toolbox, { onError })).toThrow('socket must be a WebSocket');
    // @ts-expect-error nothing can be listened to
    expect(() => realtime.connect(toolbox, { socket: { send: () => {} }, onError })).toThrow('OpenAIRealtimeWS');
  });
});

describe('functions of the application', () => {
  const own = { type: 'function', name: 'open_door', parameters: {} };

  test('stay in the session, and are the application’s to run', async () => {
    const { sent, item, created, done, said } = connect({ session: { tools: [own, { type: 'mcp' }] } });
    const names = ['look_up', 'check_stock', 'add_note', 'pay'];
    expect(sent).toMatchObject([{ session: { tools: [own, { type: 'mcp' }, ...names.map((name) => ({ name }))] } }]);
    said();
    created('r1');
    item('r1', call('c1', 'open_door'));
    done('r1', [call('c1', 'open_door')]);

    expect(said()).toEqual([]);
  });

  test('are known from an update of the application itself', () => {
    const { live, created, done, said } = connect();
    live.handle({ type: 'session.updated', session: { tools: [own] } });
    said();
    created('r1');
    done('r1', [call('c1', 'open_door')]);

    expect(said()).toEqual([]);
  });

  test('a tool of the toolbox that is among them is there once', () => {
    const { sent } = connect({ session: { tools: [{ type: 'function', name: 'pay' }] } });

    expect(sent).toMatchObject([{ session: { tools: { length: 4 } } }]);
  });
});

describe('a tool that the caller confirms', () => {
  const confirming = () => {
    const run = vi.fn(() => ({ refunded: true }));
    const sent: Event[] = [];
    const refund = defineTool({
      name: 'refund',
      description: 'Refunds.',
      parameters: z.object({}),
      effect: 'write',
      confirm: 'two-step',
      run,
    });
    const toolbox = createToolbox({ context: { callId: 'CA1' }, tools: [refund] });
    const connectAgain = () =>
      realtime.connect(toolbox, { send: (event) => sent.push(event as Event), onError: () => {} });
    let live = connectAgain();
    const again = () => {
      live = connectAgain();
    };
    const clock = createVirtualClock();
    const answer = async (id: string, token?: unknown) => {
      live.handle({ type: 'response.created', response: { id } });
      const output = [call(id, 'refund', 'completed', token === undefined ? {} : { confirmation_token: token })];
      live.handle({ type: 'response.done', response: { id, status: 'completed', output } });
      await clock.advance(0);
      const text = sent.findLast(({ item }) => item)?.item?.output ?? '{}';
      return JSON.parse(text) as { readonly confirmation_token?: string; readonly reason?: string };
    };
    return { live, run, clock, answer, again };
  };

  test('isn’t confirmed by the model itself, however long it waits', async () => {
    const { run, clock, answer } = confirming();
    const { confirmation_token } = await answer('r1');
    await clock.advance(60_000);

    expect(await answer('r2', confirmation_token)).toMatchObject({ reason: 'caller_has_not_answered' });
    expect(run).not.toHaveBeenCalled();
  });

  test.each([
    ['speaks', [{ type: 'input_audio_buffer.speech_started', item_id: 'i1' }]],
    ['speaks, at a server without ids', [speech('started')]],
    ['holds a key and speaks', [{ type: 'input_audio_buffer.committed', item_id: 'i1' }]],
    ['writes', [{ type: 'conversation.item.added', item: { id: 'caller_1', type: 'message', role: 'user' } }]],
  ])('is confirmed once the caller %s', async (_how, events) => {
    const { live, run, answer } = confirming();
    const { confirmation_token } = await answer('r1');
    for (const event of events) live.handle(event);
    await answer('r2', confirmation_token);

    expect(run).toHaveBeenCalledTimes(1);
  });

  test('isn’t confirmed by an item that the application adds', async () => {
    const { live, run, clock, answer } = confirming();
    const { confirmation_token } = await answer('r1');
    live.handle({ type: 'conversation.item.added', item: { id: 'item_1', type: 'message', role: 'user' } });
    await clock.advance(60_000);

    expect(await answer('r2', confirmation_token)).toMatchObject({ reason: 'caller_has_not_answered' });
    expect(run).not.toHaveBeenCalled();
  });

  test('isn’t confirmed by a cough while the question is being made', async () => {
    const { live, run, clock, answer } = confirming();
    live.handle({ type: 'response.created', response: { id: 'r1' } });
    live.handle({ type: 'input_audio_buffer.speech_started', item_id: 'i1' });
    const { confirmation_token } = await answer('r1');
    await clock.advance(60_000);

    expect(await answer('r2', confirmation_token)).toMatchObject({ reason: 'caller_has_not_answered' });
    expect(run).not.toHaveBeenCalled();
  });

  test('isn’t confirmed in a new session in which the caller has said nothing', async () => {
    const { live, run, clock, answer, again } = confirming();
    live.handle({ type: 'input_audio_buffer.speech_started', item_id: 'i1' });
    const { confirmation_token } = await answer('r1');
    await clock.advance(60_000);
    again();

    expect(await answer('r2', confirmation_token)).toMatchObject({ confirmation_token: expect.any(String) });
    expect(run).not.toHaveBeenCalled();
  });

  test('isn’t confirmed by words that the caller said before it asked', async () => {
    const { live, run, answer } = confirming();
    live.handle({ type: 'input_audio_buffer.speech_started', item_id: 'caller_1' });
    const { confirmation_token } = await answer('r1');
    live.handle({ type: 'input_audio_buffer.committed', item_id: 'caller_1' });
    live.handle({ type: 'conversation.item.added', item: { id: 'caller_1', type: 'message', role: 'user' } });
    await answer('r2', confirmation_token);

    expect(run).not.toHaveBeenCalled();
  });
});

describe('while a tool is slow', () => {
  test('the model says so, 4 s later that it takes longer, and then gives the answer', async () => {
    const { created, done, clock, said, end } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    said();

    await clock.advance(499);
    expect(said()).toEqual([]);
    await clock.advance(1);
    expect(said()).toEqual(['says I am looking that up.']);
    created('f1', { purpose: 'tool_is_slow' });
    done('f1', [message]);
    await clock.advance(3_999);
    expect(said()).toEqual([]);
    await clock.advance(1);
    expect(said()).toEqual(['says This is taking a little longer. Thank you for waiting.']);
    created('f2', { purpose: 'tool_is_slow' });
    await end('look_up');
    expect(said()).toEqual([result('c1', 'look_up')]);
    done('f2', [message]);

    expect(said()).toEqual(['response.create']);
    await clock.advance(20_000);
    expect(said()).toEqual([]);
  });

  test('what it says the second time may be the tool’s own words, in another language', async () => {
    const clock = createVirtualClock();
    const sent: Event[] = [];
    const lookUp = defineTool({
      name: 'look_up',
      description: 'Never ends.',
      parameters: z.object({}),
      effect: 'read',
      slowMessage: 'I am looking that up.',
      stillSlowMessage: 'I am still looking.',
      run: () => new Promise<object>(() => {}),
    });
    const words = { look_up: { slowMessage: 'Un momento.', stillSlowMessage: 'Sigo mirando.' } };
    const toolbox = createToolbox({ context: { callId: 'CA1' }, deadline: 60_000, tools: [lookUp], words });
    const live = realtime.connect(toolbox, { send: (event) => sent.push(event as Event), onError: () => {} });
    const filler = (id: string) => {
      live.handle({ type: 'response.created', response: { id, metadata: { purpose: 'tool_is_slow' } } });
      live.handle({ type: 'response.done', response: { id, status: 'completed', output: [message] } });
    };
    live.handle({
      type: 'response.done',
      response: { id: 'r1', status: 'completed', output: [call('c1', 'look_up')] },
    });
    await clock.advance(500);
    filler('f1');
    await clock.advance(4_000);
    filler('f2');

    expect(sent.slice(1).map(inWords)).toEqual(['says Un momento.', 'says Sigo mirando.']);
    live.close();
  });

  test('what it says is outside the conversation, calls no tool, and knows of no result', async () => {
    const { created, done, clock, sent } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    await clock.advance(500);

    expect(sent.at(-1)).toEqual({
      type: 'response.create',
      event_id: 'tools_1',
      response: {
        conversation: 'none',
        metadata: { purpose: 'tool_is_slow' },
        tool_choice: 'none',
        instructions: expect.stringContaining("its result isn't known"),
      },
    });
  });

  test('one sentence is enough for several tools, and none is needed after words of the model itself', async () => {
    const { created, item, done, clock, said } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up'), call('c2', 'add_note')]);
    said();
    await clock.advance(1_000);
    expect(said()).toEqual(['says I am looking that up.']);
    created('f1', { purpose: 'tool_is_slow' });
    done('f1');

    created('r2');
    item('r2', message);
    done('r2', [message, call('c3', 'check_stock')]);
    await clock.advance(3_000);
    expect(said()).toEqual([]);
  });

  test('a tool without a slow message is silent, and leaves the words to one that has some', async () => {
    const { created, done, clock, said, end } = connect();
    created('r1');
    done('r1', [call('c1', 'check_stock')]);
    said();
    await clock.advance(10_000);
    expect(said()).toEqual([]);
    created('r2');
    done('r2', [call('c2', 'check_stock'), call('c3', 'look_up')]);
    await clock.advance(500);
    expect(said()).toEqual(['says I am looking that up.']);
    created('f1', { purpose: 'tool_is_slow' });
    done('f1');
    await end('look_up');
    expect(said()).toEqual([result('c3', 'look_up')]);
    await clock.advance(10_000);

    expect(said()).toEqual([]);
  });

  test('it waits until the model is silent, and says nothing to a caller who speaks', async () => {
    const { live, created, item, done, clock, said } = connect();
    created('r1');
    item('r1', call('c1', 'look_up'));
    said();
    await clock.advance(1_000);
    expect(said()).toEqual([]);
    done('r1', [call('c1', 'look_up')]);
    expect(said()).toEqual(['says I am looking that up.']);

    live.handle(speech('started'));
    created('f1', { purpose: 'tool_is_slow' });
    expect(said()).toEqual(['response.cancel f1']);
    done('f1', [], 'cancelled');
    await clock.advance(10_000);
    expect(said()).toEqual([]);
  });

  test('a caller who speaks ends the sentence', async () => {
    const { live, created, done, clock, said } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    await clock.advance(500);
    created('f1', { purpose: 'tool_is_slow' });
    said();

    live.handle(speech('started'));

    expect(said()).toEqual(['response.cancel f1']);
  });

  test('a server that gives back no metadata has its filler taken for one', async () => {
    const { live, created, done, clock, said, end } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    await clock.advance(500);
    said();
    await end('look_up');
    live.handle({ type: 'conversation.item.created', item: { type: 'function_call_output', call_id: 'c1' } });
    created('f1');
    done('f1', [message]);

    expect(said()).toEqual([result('c1', 'look_up'), 'response.create']);
  });

  test('an onSlow of the application replaces what is said', async () => {
    const clock = createVirtualClock();
    const [sent, slow]: unknown[][] = [[], []];
    const toolbox = createToolbox({
      context: { callId: 'CA1' },
      tools: [
        defineTool({
          name: 'wait',
          description: 'Waits.',
          parameters: z.object({}),
          effect: 'read',
          slowMessage: 'A moment.',
          run: () => new Promise(() => {}),
        }),
      ],
    });
    const live = realtime.connect(toolbox, {
      send: (event) => sent?.push(event.type),
      context: { onSlow: ({ toolCallId, message: words }) => slow?.push([toolCallId, words]) },
      onError: () => {},
    });
    live.handle({ type: 'response.done', response: { id: 'r1', output: [call('c1', 'wait')] } });
    await clock.advance(6_000);

    expect([sent, slow]).toEqual([['session.update'], [['c1', 'A moment.']]]);
  });
});

describe('a caller who interrupts', () => {
  test('ends look-ups of the answer; what it would have written does not start', async () => {
    const { live, created, item, done, said, runs, settle, started } = connect();
    created('r1');
    item('r1', call('c1', 'look_up'));
    item('r1', call('c2', 'pay'));
    await settle();
    said();

    live.handle(speech('started'));
    done('r1', [call('c1', 'look_up'), call('c2', 'pay'), call('c3', 'add_note', 'incomplete')], 'cancelled');
    expect(await started()).toEqual(['look_up']);

    expect(runs[0]?.signal.aborted).toBe(true);
    expect(said().toSorted()).toEqual([`c1: ${cancelled}`, 'c2: {"success":false,"error":"cancelled"}']);
    live.handle(speech('stopped'));
    created('r2');
    done('r2');
    expect(said()).toEqual([]);
  });

  test.each(['pay', 'add_note'])('does not end a write that has left (%s), and its result is sent', async (name) => {
    const { live, created, done, said, runs, end } = connect();
    created('r1');
    done('r1', [call('c1', name)]);
    said();

    live.handle(speech('started'));
    live.handle(speech('stopped'));
    created('r2');
    done('r2', [], 'cancelled');
    await end(name);

    expect(runs[0]?.signal.aborted).toBe(false);
    expect(said()).toEqual([result('c1', name), 'response.create']);
  });

  test('does not end the look-ups of an answer before', async () => {
    const { created, done, said, end } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    created('r2');
    done('r2', [], 'cancelled');
    said();
    await end('look_up');

    expect(said()).toEqual([result('c1', 'look_up'), 'response.create']);
  });

  test('gets no answer about a result that came before', async () => {
    const { created, item, done, end, said } = connect();
    created('r1');
    item('r1', call('c1', 'look_up'));
    await end('look_up');
    said();
    done('r1', [call('c1', 'look_up')], 'cancelled');

    expect(said()).toEqual([]);
  });
});

describe('an answer whose end never comes', () => {
  /** A whole answer with a look-up, up to its result. */
  const lookUp = async ({ created, done, end, said }: ReturnType<typeof connect>, id = 'r9') => {
    said();
    created(id);
    done(id, [call(`c_${id}`, 'look_up')]);
    await end('look_up');
    return said();
  };

  test.each<[string, (session: ReturnType<typeof connect>) => void]>([
    ['began', ({ created }) => created('lost')],
    ['began without an id', ({ live }) => live.handle({ type: 'response.created', response: {} })],
    ['began twice', ({ created }) => ['lost', 'lost'].forEach((id) => created(id))],
    ['made a call', ({ created, item }) => [created('lost'), item('lost', call('c1', 'add_note'))]],
    ['said something', ({ created, item }) => [created('lost'), item('lost', message)]],
    ['was interrupted', ({ created, live }) => [created('lost'), live.handle(speech('started'))]],
    ['was followed by others', ({ created }) => ['lost', 'too', 'as well'].forEach((id) => created(id))],
  ])('is over when the next begins: it %s', async (_, lose) => {
    const session = connect();
    lose(session);

    expect(await lookUp(session)).toEqual([result('c_r9', 'look_up'), 'response.create']);
  });

  test.each<[string, (session: ReturnType<typeof connect>) => void]>([
    ['it began', ({ created }) => created('lost')],
    ['an event about one that had ended came late', ({ item }) => item('old', message)],
    ['it says something', ({ live }) => live.handle({ type: 'response.output_audio.delta', response_id: 'lost' })],
  ])('is over after 15 s without an event: %s', async (_, lose) => {
    const session = connect();
    const { created, done, end, said, clock } = session;
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    created('lost');
    await clock.advance(10_000);
    lose(session);
    await end('look_up');
    expect(said().slice(1)).toEqual([result('c1', 'look_up')]);
    await clock.advance(4_000);
    expect(said()).toEqual([]);
    await clock.advance(11_000);

    expect(said()).toEqual(['response.create']);
  });

  test.each(['add_note', 'pay'])(
    'its %s is answered as cut after 15 s, and a late end starts nothing',
    async (name) => {
      const { created, item, done, said, started, clock } = connect();
      said();
      created('lost');
      await clock.advance(5_000);
      item('lost', call('c1', name));
      await clock.advance(14_999);
      expect(said()).toEqual([]);
      await clock.advance(1);
      expect(said()).toEqual([`c1: ${cutOff(name === 'pay' ? '"success":false,' : '')}`, 'response.create']);
      done('lost', [call('c1', name)]);

      expect(await started()).toEqual([]);
      expect(said()).toEqual([]);
    },
  );

  test('its calls wait while something of it comes, and run at its end', async () => {
    const { live, created, item, done, said, started, clock } = connect();
    created('r1');
    item('r1', call('c1', 'pay'));
    for (let count = 0; count < 5; count += 1) {
      await clock.advance(10_000);
      live.handle({ type: 'response.output_audio.delta', response_id: 'r1' });
    }
    done('r1', [call('c1', 'pay')]);

    expect(await started()).toEqual(['pay']);
    expect(said().slice(1)).toEqual([]);
    await clock.advance(30_000);
    expect(said().filter((line) => line.startsWith('c1'))).toEqual([]);
  });

  test('its calls are answered when the next has begun, and when a server sends arguments alone', async () => {
    const { live, created, item, done, said, clock } = connect();
    said();
    created('lost');
    item('lost', call('c1', 'add_note'));
    created('r2');
    live.handle({ type: 'response.function_call_arguments.done', call_id: 'c2', name: 'look_up', arguments: '{}' });
    await clock.advance(15_000);
    done('r2');

    expect(said().toSorted()).toEqual([`c1: ${cutOff('')}`, `c2: ${cutOff('')}`, 'response.create']);
  });

  test('three answers without an end are reported, and not asked for again', async () => {
    const { created, item, said, errors, clock } = connect();
    for (const id of ['r1', 'r2', 'r3', 'r4']) {
      created(id);
      item(id, call(`c_${id}`, 'add_note'));
      said();
      await clock.advance(15_000);
    }

    expect(said()).toEqual([`c_r4: ${cutOff('')}`]);
    expect(errors[0]?.message).toBe('Realtime: there is no answer after 3 tries: the API did not end it');
  });

  test.each<[string, (live: ReturnType<typeof connect>['live']) => void]>([
    ['closed', (live) => live.close()],
    ['another', (live) => live.handle({ type: 'session.created', session: {} })],
  ])('its calls get no answer in a session that is %s', async (_, end) => {
    const { live, created, item, said, clock } = connect();
    created('lost');
    item('lost', call('c1', 'add_note'));
    said();
    end(live);
    await clock.advance(60_000);

    expect(said()).toEqual([]);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('what comes of it late still counts', async () => {
    const { created, done, started, said } = connect();
    created('late');
    created('r2');
    done('r2');
    done('late', [call('c1', 'add_note')]);

    expect(await started()).toEqual(['add_note']);
    expect(said().slice(1)).toEqual([]);
  });

  test('a filler that never ends doesn’t silence the result', async () => {
    const { created, done, end, said, clock } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    await clock.advance(500);
    created('f1', { purpose: 'tool_is_slow' });
    said();
    await end('look_up');
    expect(said()).toEqual([result('c1', 'look_up')]);
    await clock.advance(15_000);

    expect(said()).toEqual(['response.create']);
  });

  test('one that was asked for and never begins is asked for again, three times in all', async () => {
    const { created, done, end, said, clock, errors } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    await end('look_up');
    said();
    for (const asked of [['response.create'], ['response.create'], []]) {
      await clock.advance(40_000);
      expect(said()).toEqual(asked);
    }
    await clock.advance(200_000);

    expect(said()).toEqual([]);
    expect(errors.map(({ message: words }) => words)).toEqual([
      'Realtime: there is no answer after 3 tries: the API did not begin it',
    ]);
  });

  test('a new session on another connection has none of it', async () => {
    const session = connect();
    const { created, done, end, live } = session;
    created('r1');
    done('r1', [call('c1', 'check_stock')]);
    await end('check_stock');
    created('lost');
    live.handle(speech('started'));
    live.handle({ type: 'session.created', session: {} });

    expect(await lookUp(session)).toEqual([result('c_r9', 'look_up'), 'response.create']);
  });

  test('20,000 of them leave no trace', async () => {
    const session = connect();
    for (let index = 0; index < 20_000; index += 1) session.created(`lost_${index}`);

    expect(await lookUp(session)).toEqual([result('c_r9', 'look_up'), 'response.create']);
    expect(session.clock.pendingTimers()).toBeLessThan(5);
  });
});

describe('an answer that goes wrong', () => {
  const refused = (event_id: string | null) => ({
    type: 'error',
    error: { code: 'rate_limit_exceeded', message: 'Slow down.', event_id },
  });
  /** A session that has asked for the answer to a result. */
  const asking = async () => {
    const session = connect();
    session.created('r1');
    session.done('r1', [call('c1', 'pay')]);
    await session.end('pay');
    expect(session.said().slice(1)).toEqual([result('c1', 'pay'), 'response.create']);
    return session;
  };

  test('is asked for again twice when it’s refused, and then the application learns of it', async () => {
    const { live, clock, said, errors } = await asking();
    live.handle(refused('tools_1'));
    await clock.advance(500);
    expect(said()).toEqual(['response.create']);
    live.handle(refused('tools_2'));
    await clock.advance(2_000);
    expect(said()).toEqual(['response.create']);
    live.handle(refused('tools_3'));
    await clock.advance(60_000);

    expect(said()).toEqual([]);
    expect(errors.at(-1)?.message).toBe('Realtime: there is no answer after 3 tries: Slow down.');
    expect(errors).toHaveLength(4);
  });

  test('is asked for again when the refusal doesn’t say what it refuses, and nothing begins', async () => {
    const { live, clock, said } = await asking();
    live.handle(refused(null));
    await clock.advance(1_000);

    expect(said()).toEqual(['response.create']);
  });

  test('isn’t asked for again when that error was about something else', async () => {
    const { live, clock, said, created, done } = await asking();
    live.handle(refused(null));
    created('r2');
    await clock.advance(1_000);
    done('r2', [message]);
    await clock.advance(60_000);

    expect(said()).toEqual([]);
  });

  test('is asked for again when it fails, also where the API began it by itself', async () => {
    const { live, clock, created, done, said, end } = await asking();
    created('r2');
    done('r2', [], 'failed');
    await clock.advance(500);
    expect(said()).toEqual(['response.create']);
    created('r3');
    done('r3', [message, call('c2', 'add_note')]);
    live.handle(speech('started'));
    await end('add_note');
    live.handle({ type: 'conversation.item.added', item: { type: 'function_call_output', call_id: 'c2' } });
    live.handle(speech('stopped'));
    created('r4');
    done('r4', [], 'failed');
    said();
    await clock.advance(500);

    expect(said()).toEqual(['response.create']);
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a text', 'look_up'],
    ['a list', []],
    ['an empty object', {}],
    ['a number', 7],
  ])('%s among its items leaves its calls', async (_, junk) => {
    const { done, started } = connect();
    done('r1', [junk as object, call('c1', 'look_up')]);

    expect(await started()).toEqual(['look_up']);
  });

  const details = (status_details: object | null) => ({ status: undefined, status_details });
  test.each<[object, string]>([
    [details({ type: 'incomplete' }), 'cut_off'],
    [details({ reason: 'max_output_tokens' }), 'cut_off'],
    [details({ type: 'incomplete', reason: 'content_filter' }), 'cut_off'],
    [{ status: 'completed', status_details: { type: 'incomplete' } }, 'cut_off'],
    [{ status: 'INCOMPLETE', status_details: null }, 'cut_off'],
    [{ status: 'max_tokens' }, 'cut_off'],
    [{ status: 'failed' }, 'cancelled'],
    [details({ type: 'failed' }), 'cancelled'],
    [details({ error: { code: 'server_error' } }), 'cancelled'],
    [{ status: 'cancelled' }, 'cancelled'],
    [{ status: 'Canceled' }, 'cancelled'],
    [details({ type: 'cancelled', reason: 'client_cancelled' }), 'cancelled'],
    [details({ reason: 'turn_detected' }), 'cancelled'],
  ])('starts none of its calls when it ends as %j', async (end, error) => {
    const { created, done, started, said } = connect();
    created('r1');
    done('r1', [call('c1', 'pay'), call('c2', 'add_note'), call('c3', 'look_up')], 'completed', end);
    expect(await started()).toEqual([]);

    expect(said().filter((line) => line.includes(`"error":"${error}"`))).toHaveLength(3);
  });

  test.each([
    { status: 'completed', status_details: null },
    { status: 'completed', status_details: { type: 'completed' } },
    { status: 'completed', status_details: { error: null } },
    { status: undefined, status_details: {} },
    { status: null },
  ])('starts its calls when it ends as %j', async (end) => {
    const { done, started } = connect();
    done('r1', [call('c1', 'pay')], 'completed', end);

    expect(await started()).toEqual(['pay']);
  });

  test('starts no payment, and the model goes on', async () => {
    const { created, done, started, said, clock } = connect();
    created('r1');
    done('r1', [call('c1', 'pay')], 'failed');
    expect(await started()).toEqual([]);
    await clock.advance(500);

    expect(said().slice(1)).toEqual(['c1: {"success":false,"error":"cancelled"}', 'response.create']);
  });

  test('a function that was cut off is answered, and the model goes on', () => {
    const { created, done, said } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up', 'incomplete')], 'incomplete');

    expect(said().slice(1)).toEqual([`c1: ${cutOff('')}`, 'response.create']);
  });

  test('no call of an answer that the token limit cut starts, even if it looks whole', async () => {
    const { created, item, done, said, started } = connect();
    created('r1');
    item('r1', call('c1', 'add_note'));
    done('r1', [call('c1', 'add_note'), call('c2', 'pay'), call('c3', 'check_stock')], 'incomplete');

    expect(await started()).toEqual([]);
    expect(said().slice(1)).toEqual([
      `c1: ${cutOff('')}`,
      `c2: ${cutOff('"success":false,')}`,
      `c3: ${cutOff('')}`,
      'response.create',
    ]);
  });

  test('a look-up that had started when the token limit cut the answer goes on', async () => {
    const { created, item, done, end, said } = connect();
    created('r1');
    item('r1', call('c1', 'look_up'));
    done('r1', [call('c1', 'look_up')], 'incomplete');
    await end('look_up');

    expect(said().slice(1)).toEqual([result('c1', 'look_up'), 'response.create']);
  });

  test('a result that can’t be sent is not asked for', async () => {
    const { created, done, end, said, errors } = connect({ canSend: (type) => type !== 'conversation.item.create' });
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    await end('look_up');

    expect([said().slice(1), errors.length]).toEqual([[], 1]);
  });

  test('speech that the application takes back lets the answer through', async () => {
    const { live, created, done, end, said, clock } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    live.handle(speech('started'));
    live.handle({ type: 'input_audio_buffer.cleared' });
    await end('look_up');

    await clock.advance(500);
    expect(said().slice(1)).toEqual([result('c1', 'look_up'), 'response.create']);
  });
});

describe('an error', () => {
  const busy = (event_id: string | null) => ({
    type: 'error',
    error: {
      type: 'invalid_request_error',
      code: 'conversation_already_has_active_response',
      message: 'Busy.',
      event_id,
    },
  });

  test.each(['tools_1', null])('for asking too early has the answer asked for again (event id %s)', async (eventId) => {
    const { live, created, done, end, said, errors } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    await end('look_up');
    said();

    created('r2');
    live.handle(busy(eventId));
    expect(said()).toEqual([]);
    done('r2', [message]);

    expect(said()).toEqual(['response.create']);
    expect(errors).toEqual([]);
  });

  test('for asking during an answer that began before the session is retried after a moment', async () => {
    const { live, done, end, said, clock } = connect();
    done('r1', [call('c1', 'look_up')]);
    await end('look_up');
    said();

    live.handle(busy('tools_1'));
    await clock.advance(499);
    expect(said()).toEqual([]);
    await clock.advance(1);

    expect(said()).toEqual(['response.create']);
  });

  test('of the API reaches onError with its own words, and the session goes on', async () => {
    const { live, item, done, end, said, errors } = connect();
    const error = { type: 'invalid_request_error', code: 'invalid_value', message: 'Invalid voice.', event_id: 'mine' };
    live.handle({ type: 'error', error });
    live.handle(busy('mine'));
    item('r1', call('c1', 'look_up'));
    done('r1', [call('c1', 'look_up')], 'failed', { status_details: { error: { code: 'rate_limit_exceeded' } } });
    said();
    await end('look_up');

    expect(errors.map(({ message: words, cause }) => [words, cause])).toEqual([
      ['Realtime: Invalid voice.', expect.objectContaining({ code: 'invalid_value' })],
      ['Realtime: Busy.', expect.objectContaining({ event_id: 'mine' })],
      ['Realtime: the model failed to answer', { code: 'rate_limit_exceeded' }],
    ]);
    expect(said()).toEqual([result('c1', 'look_up'), 'response.create']);
  });

  test('of send reaches onError', () => {
    const errors: Error[] = [];
    const lost = new Error('lost');
    const send = () => {
      throw lost;
    };
    realtime.connect(createToolbox({ tools: [] }), { send, onError: (error) => errors.push(error) });

    expect(errors.map(({ message: words, cause }) => [words, cause])).toEqual([
      ['Realtime: session.update could not be sent', lost],
    ]);
  });

  test('of a request of ours lets the next one through', async () => {
    const { live, created, done, clock, said, end, errors } = connect();
    created('r1');
    done('r1', [call('c1', 'look_up')]);
    await clock.advance(500);
    said();
    live.handle({ type: 'error', error: { message: 'No answers outside the conversation.', event_id: 'tools_1' } });
    await end('look_up');

    expect(said()).toEqual([result('c1', 'look_up'), 'response.create']);
    expect(errors).toHaveLength(1);
  });

  test('that a filler had already ended is none', () => {
    const { live, errors } = connect();
    live.handle({ type: 'error', error: { code: 'response_cancel_not_active', message: 'No active response.' } });

    expect(errors).toEqual([]);
  });
});

test('the end of the session ends look-ups, lets writes go on, and sends nothing more', async () => {
  const { live, created, done, runs, end, said, settle, clock } = connect();
  created('r1');
  done('r1', [call('c1', 'look_up'), call('c2', 'add_note')]);
  await settle();
  said();

  live.close();
  await end('add_note');
  await clock.advance(10_000);

  expect(runs.map(({ name, signal }) => [name, signal.aborted])).toEqual([
    ['look_up', true],
    ['add_note', false],
  ]);
  expect(said()).toEqual([]);
});
