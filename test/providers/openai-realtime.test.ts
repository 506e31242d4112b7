import { connect } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createToolbox, defineTool, type Toolbox } from '../../src/tools/index.ts';
import { realtime } from '../../src/tools/providers/openai.ts';
import { runRealtimeScript } from './realtime-script.ts';
import { type ScriptedConnection, type SocketMessage, startScriptedSocket } from './scripted-socket.ts';
import { type Driven, describeTarget, type ModelResult } from './suite.ts';

/** The package's own connection: to a model, or to a call that a browser or a telephone began. */
const open = (
  port: number,
  to: { readonly model: string; readonly reconnect?: boolean } | { readonly callID: string },
): OpenAIRealtimeWS => {
  const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}`, apiKey: 'test' });
  // The package allows no plain connection: this one leaves the TLS out.
  const options = { createConnection: () => connect(port, '127.0.0.1') };
  return new OpenAIRealtimeWS({ ...to, options }, client);
};

describeTarget({
  name: 'OpenAI Realtime, a session',
  flagsErrors: false,
  sendsText: true,
  // An id is answered once.
  refusesRepeatedIds: true,
  drive: async (toolbox, turns): Promise<Driven> => {
    const results: ModelResult[] = [];
    await using server = await startScriptedSocket((connection) => runRealtimeScript(connection, turns, results));
    const connection = open(server.port, { model: 'scripted' });
    const session = realtime.connect(toolbox, { socket: connection, onError: () => {} });
    connection.on('session.created', () => connection.send({ type: 'response.create' }));
    await server.done;
    session.close();
    connection.close();
    return { sent: server.sent(), results };
  },
});

describeTarget({
  name: 'OpenAI Realtime, a session by send and handle, next to a call',
  flagsErrors: false,
  sendsText: true,
  // An id is answered once.
  refusesRepeatedIds: true,
  drive: async (toolbox, turns): Promise<Driven> => {
    const results: ModelResult[] = [];
    await using server = await startScriptedSocket((connection) => runRealtimeScript(connection, turns, results));
    const connection = open(server.port, { callID: 'rtc_1' });
    connection.on('session.created', () => {
      const session = realtime.connect(toolbox, { send: (event) => connection.send(event), onError: () => {} });
      connection.on('event', session.handle);
      connection.send({ type: 'response.create' });
    });
    await server.done;
    connection.close();
    return { sent: server.sent(), results };
  },
});

/** The API's end of a session: it refuses what the real one refuses, and notes what was asked of it. */
const talk = ({ send, receive }: ScriptedConnection) => {
  let active: string | undefined;
  let count = 0;
  const begin = (response: object = {}) => {
    count += 1;
    active = `resp_${count}`;
    send({
      type: 'response.created',
      event_id: 'e',
      response: { id: active, status: 'in_progress', output: [], ...response },
    });
    return active;
  };
  const finish = (id: string, output: readonly object[] = [], status = 'completed') => {
    send({ type: 'response.done', event_id: 'e', response: { id, object: 'realtime.response', status, output } });
    active = undefined;
  };
  const item = (response_id: string, each: object) =>
    send({ type: 'response.output_item.done', event_id: 'e', response_id, output_index: 0, item: each });
  return {
    begin,
    finish,
    item,
    answerWith: (...calls: readonly object[]) => {
      const id = begin();
      for (const each of calls) item(id, each);
      finish(id, calls);
    },
    speech: (state: 'started' | 'stopped') =>
      send({ type: `input_audio_buffer.speech_${state}`, event_id: 'e', item_id: 'item_1', audio_start_ms: 0 }),
    /** The next `response.create`; refused while an answer is given. */
    asked: async (): Promise<Asked> => {
      const event = (await receive(isOfType('response.create'))) as unknown as Asked;
      if (active !== undefined) {
        const code = 'conversation_already_has_active_response';
        const error = { type: 'invalid_request_error', code, message: `${active} is active.`, event_id: null };
        send({ type: 'error', event_id: 'e', error });
      }
      return event;
    },
    result: async () => ((await receive(isOfType('conversation.item.create'))) as unknown as Result).item,
    cancelled: async () => (await receive(isOfType('response.cancel')))['response_id'],
    ready: () => receive(isOfType('session.update')),
    fail: (error: object) => send({ type: 'error', event_id: 'e', error: { type: 'server_error', ...error } }),
  };
};

interface Asked {
  readonly response?: { readonly conversation: string; readonly metadata: object; readonly instructions: string };
}

interface Result {
  readonly item: { readonly call_id: string; readonly output: string };
}

const isOfType = (type: string) => (message: SocketMessage) => message['type'] === type;

const call = (call_id: string, name: string) => ({
  id: `item_${call_id}`,
  type: 'function_call',
  call_id,
  name,
  arguments: '{}',
  status: 'completed',
});

/** Tools that end when the test says so. */
const createSlowTools = () => {
  const ends = new Map<string, PromiseWithResolvers<object>>();
  const started = new Map<string, PromiseWithResolvers<AbortSignal>>();
  const of = <Value>(map: Map<string, PromiseWithResolvers<Value>>, name: string) => {
    const found = map.get(name) ?? Promise.withResolvers<Value>();
    map.set(name, found);
    return found;
  };
  const tool = (name: string, effect: 'read' | 'payment', expectedMs = 60_000) =>
    defineTool({
      name,
      description: 'Works until the test ends it.',
      parameters: z.object({}),
      effect,
      confirm: false,
      expectedMs,
      slowMessage: `I am doing ${name}.`,
      run: (_, { signal }) => {
        of(started, name).resolve(signal);
        signal.addEventListener('abort', () => of(ends, name).reject(signal.reason));
        return of(ends, name).promise;
      },
    });
  const toolbox: Toolbox = createToolbox({
    context: { callId: 'CA1' },
    deadline: 60_000,
    tools: [tool('look_up', 'read'), tool('count', 'read', 1), tool('pay', 'payment')],
  });
  return {
    toolbox,
    /** Resolves with its signal when it has started. */
    started: (name: string) => of(started, name).promise,
    end: (name: string) => of(ends, name).resolve({ done: name }),
  };
};

type Tools = ReturnType<typeof createSlowTools>;

type Script<Made> = (api: ReturnType<typeof talk>, tools: Made) => Promise<void>;

const play = (script: Script<Tools>): Promise<readonly Error[]> => playWith(createSlowTools(), script);

/** Plays the API's end with the package's own client at the other end, and gives the errors of the session. */
const playWith = async <Made extends { readonly toolbox: Toolbox }>(
  tools: Made,
  script: Script<Made>,
): Promise<readonly Error[]> => {
  const errors: Error[] = [];
  await using server = await startScriptedSocket((connection) => script(talk(connection), tools));
  const connection = open(server.port, { model: 'scripted' });
  const session = realtime.connect(tools.toolbox, {
    socket: connection,
    onError: (error) => errors.push(error),
  });
  await server.done;
  session.close();
  connection.close();
  return errors;
};

/** A refund that a colleague approves after its tool call has ended. */
const createApprovedTools = () => {
  const decision = Promise.withResolvers<boolean>();
  const settled: string[] = [];
  const refund = defineTool({
    name: 'refund',
    description: 'Refunds.',
    parameters: z.object({}),
    effect: 'write',
    confirm: 'approve',
    compact: (result) => result,
    run: () => ({ refunded: true }),
  });
  const toolbox = createToolbox({
    context: { callId: 'CA1', onSettled: ({ result }) => settled.push(result.text) },
    deadline: 100,
    tools: [refund],
    approve: () => decision.promise,
  });
  return { toolbox, settled, approve: () => decision.resolve(true) };
};

const waiting = expect.stringContaining('"waiting_for_approval":true');

describe('a tool whose approval takes longer than its call', () => {
  test('has its result delivered when it comes, and the model says it', async () => {
    const tools = createApprovedTools();
    const errors = await playWith(tools, async (api, { approve }) => {
      await api.ready();
      api.answerWith(call('call_1', 'refund'));
      expect(await api.result()).toMatchObject({ call_id: 'call_1', output: waiting });
      await api.asked();
      api.answerWith();
      approve();

      expect([await api.result(), await api.result()]).toEqual([
        { type: 'function_call', call_id: 'late_1', name: 'refund', arguments: '{}' },
        { type: 'function_call_output', call_id: 'late_1', output: '{"refunded":true}' },
      ]);
      await api.asked();
    });
    expect(errors).toEqual([]);
    expect(tools.settled).toEqual(['{"refunded":true}']);
  });

  test('has its result delivered after the answer that the model gives just then', async () => {
    const tools = createApprovedTools();
    const errors = await playWith(tools, async (api, { approve }) => {
      await api.ready();
      api.answerWith(call('call_1', 'refund'));
      await api.result();
      await api.asked();
      const id = api.begin();
      approve();
      await api.result();
      await api.result();
      api.finish(id);
      await api.asked();
    });
    expect(errors).toEqual([]);
  });
});

describe('a realtime session over the package', () => {
  test('starts a look-up while the model still answers, and asks for the next answer after that', async () => {
    const errors = await play(async (api, { started, end }) => {
      await api.ready();
      const id = api.begin();
      api.item(id, call('call_1', 'look_up'));
      await started('look_up');
      end('look_up');
      expect(await api.result()).toMatchObject({ call_id: 'call_1', output: '{"done":"look up"}' });
      api.finish(id, [call('call_1', 'look_up')]);
      await api.asked();
    });

    expect(errors).toEqual([]);
  });

  test('a result that comes while the model answers the caller is asked for after that answer', async () => {
    const errors = await play(async (api, { started, end }) => {
      await api.ready();
      api.answerWith(call('call_1', 'pay'));
      await started('pay');
      api.speech('started');
      api.speech('stopped');
      const id = api.begin();
      end('pay');
      await api.result();
      api.finish(id);
      await api.asked();
    });

    expect(errors).toEqual([]);
  });

  test('an answer that is refused, since the API began one at the same moment, is asked for again', async () => {
    const errors = await play(async (api, { started, end }) => {
      await api.ready();
      api.answerWith(call('call_1', 'look_up'));
      await started('look_up');
      end('look_up');
      await api.result();
      const id = api.begin();
      await api.asked();
      api.finish(id);
      await api.asked();
    });

    expect(errors).toEqual([]);
  });

  test('a slow tool has the model say so outside the conversation; the caller ends it by speaking', async () => {
    await play(async (api, { end }) => {
      await api.ready();
      api.answerWith(call('call_1', 'count'));
      const { response } = await api.asked();
      expect(response).toMatchObject({
        conversation: 'none',
        instructions: expect.stringContaining('I am doing count.'),
      });
      const id = api.begin({ metadata: response?.metadata });
      api.speech('started');
      expect(await api.cancelled()).toBe(id);
      api.finish(id, [], 'cancelled');
      api.speech('stopped');
      end('count');
      await api.result();
      await api.asked();
    });
  });

  test('a caller who interrupts ends the look-up, and a payment that has not started does not start', async () => {
    await play(async (api, { started }) => {
      await api.ready();
      const id = api.begin();
      api.item(id, call('call_1', 'look_up'));
      api.item(id, call('call_2', 'pay'));
      const signal = await started('look_up');
      api.speech('started');
      api.finish(id, [call('call_1', 'look_up'), call('call_2', 'pay')], 'cancelled');

      const results = [await api.result(), await api.result()];
      expect(signal.aborted).toBe(true);
      expect(new Map(results.map(({ call_id, output }) => [call_id, output]))).toEqual(
        new Map([
          ['call_1', '{"error":"cancelled"}'],
          ['call_2', '{"success":false,"error":"cancelled"}'],
        ]),
      );
    });
  });

  test('a payment that has left goes on when the caller interrupts, and the model gets its result', async () => {
    await play(async (api, { started, end }) => {
      await api.ready();
      api.answerWith(call('call_1', 'pay'));
      const signal = await started('pay');
      const id = api.begin();
      api.speech('started');
      api.finish(id, [], 'cancelled');
      api.speech('stopped');
      end('pay');

      expect(await api.result()).toMatchObject({ call_id: 'call_1', output: '{"done":"pay"}' });
      expect(signal.aborted).toBe(false);
      await api.asked();
    });
  });

  test('an error of the API reaches onError, and the session goes on', async () => {
    const errors = await play(async (api, { started, end }) => {
      await api.ready();
      api.fail({ code: 'invalid_value', message: 'Invalid voice.' });
      api.answerWith(call('call_1', 'look_up'));
      await started('look_up');
      end('look_up');
      await api.result();
      await api.asked();
    });

    expect(errors.map(({ message, cause }) => [message, cause])).toEqual([
      ['Realtime: Invalid voice.', expect.objectContaining({ code: 'invalid_value' })],
    ]);
  });

  test('a connection that cannot be made reaches onError, once', async () => {
    const server = await startScriptedSocket(async () => {});
    await server[Symbol.asyncDispose]();
    const failed = Promise.withResolvers<Error>();
    const errors: Error[] = [];
    const onError = (error: Error) => {
      errors.push(error);
      failed.resolve(error);
    };
    const connection = open(server.port, { model: 'scripted' });
    realtime.connect(createSlowTools().toolbox, { socket: connection, onError });
    await failed.promise;
    await new Promise((resolve) => setImmediate(resolve));

    expect(errors.map(({ message, cause }) => [message, cause])).toEqual([
      ['Realtime: the connection failed', expect.objectContaining({ code: 'ECONNREFUSED' })],
    ]);
  });

  test('a connection that breaks ends look-ups, and a payment goes on', async () => {
    const tools = createSlowTools();
    const both = Promise.withResolvers<void>();
    const server = await startScriptedSocket(async (connection) => {
      const api = talk(connection);
      await api.ready();
      api.answerWith(call('call_1', 'look_up'), call('call_2', 'pay'));
      await both.promise;
    });
    const connection = open(server.port, { model: 'scripted' });
    realtime.connect(tools.toolbox, { socket: connection, onError: () => {} });
    const [read, payment] = [await tools.started('look_up'), await tools.started('pay')];
    const aborted = new Promise((resolve) => read.addEventListener('abort', resolve));
    both.resolve();
    await server[Symbol.asyncDispose]();
    await aborted;

    expect(payment.aborted).toBe(false);
    tools.end('pay');
  });

  test('a session that is connected again on the socket that replaced the first one runs tools there', async () => {
    const tools = createSlowTools();
    tools.end('look_up');
    const first = await startScriptedSocket(async (connection) => {
      await talk(connection).ready();
    });
    const errors: string[] = [];
    const onError = ({ message }: Error) => errors.push(message);
    const connection = open(first.port, { model: 'scripted', reconnect: true });
    const again = new Promise<ReturnType<typeof realtime.connect>>((resolve) => {
      connection.on('reconnected', () => resolve(realtime.connect(tools.toolbox, { socket: connection, onError })));
    });
    realtime.connect(tools.toolbox, { socket: connection, onError });
    await first.done;
    await first[Symbol.asyncDispose]();
    await using second = await startScriptedSocket(async (replacing) => {
      const api = talk(replacing);
      await api.ready();
      api.answerWith(call('call_1', 'look_up'));
      expect(await api.result()).toMatchObject({ call_id: 'call_1', output: '{"done":"look up"}' });
      await api.asked();
    }, first.port);
    const session = await again;
    await second.done;
    session.close();
    connection.close();

    expect(errors).toEqual([expect.stringContaining("call realtime.connect again on 'reconnected'")]);
  });

  test('a socket that the package replaces ends the session, and onError says what to do', async () => {
    const server = await startScriptedSocket(async (connection) => {
      await talk(connection).ready();
    });
    const errors: string[] = [];
    const connection = open(server.port, { model: 'scripted', reconnect: true });
    const replaced = new Promise<void>((resolve) => connection.on('reconnecting', () => resolve()));
    realtime.connect(createSlowTools().toolbox, { socket: connection, onError: ({ message }) => errors.push(message) });
    await server.done;
    await server[Symbol.asyncDispose]();
    await replaced;
    await new Promise((resolve) => setImmediate(resolve));
    connection.close();

    expect(errors).toEqual([expect.stringContaining("call realtime.connect again on 'reconnected'")]);
  });
});
