import { Behavior, type Content, GoogleGenAI, type Session } from '@google/genai';
import { createToolbox, defineTool, type Toolbox } from '../../src/tools/index.ts';
import { generateContent, live } from '../../src/tools/providers/google.ts';
import * as z from 'zod';
import { expect, test } from 'vitest';
import { createPaymentTools } from '../support/payment-tools.ts';
import { startScriptedServer } from './scripted-server.ts';
import { type ScriptedConnection, type SocketMessage, startScriptedSocket } from './scripted-socket.ts';
import { type Driven, describeTarget, type ModelCall, type ModelResult } from './suite.ts';

const functionCall = ({ id, name, args }: ModelCall) => ({ id, name, args });

const answer = (calls: readonly ModelCall[]) => ({
  candidates: [
    {
      finishReason: 'STOP',
      content: {
        role: 'model',
        parts: calls.length > 0 ? calls.map((call) => ({ functionCall: functionCall(call) })) : [{ text: 'Done.' }],
      },
    },
  ],
});

const clientOf = (baseUrl: string) => new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl } });

interface FunctionResponse {
  readonly id?: string;
  readonly response?: Record<string, unknown>;
}

const toModelResult = ({ id = '', response = {} }: FunctionResponse): ModelResult => ({
  id,
  text: JSON.stringify('error' in response ? response['error'] : response['output']),
  isError: 'error' in response,
});

const resultsIn = (body: unknown): ModelResult[] =>
  (body as { contents: Content[] }).contents.flatMap(({ parts = [] }) =>
    parts.flatMap(({ functionResponse }) => (functionResponse ? [toModelResult(functionResponse)] : [])),
  );

describeTarget({
  name: 'Gemini generateContent',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, answer);
    const client = clientOf(server.baseUrl);
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'Pay my invoice.' }] }];
    for (;;) {
      const config = { tools: generateContent.tools(toolbox) };
      const response = await client.models.generateContent({ model: 'scripted', contents, config });
      const results = await generateContent.runAll(toolbox, response);
      if (!results) return { sent: server.sent(), results: resultsIn(server.requests.at(-1)?.body) };
      contents.push(response.candidates![0]!.content!, results);
    }
  },
});

describeTarget({
  name: 'Gemini generateContent, the automatic loop',
  flagsErrors: true,
  sendsText: false,
  drive: async (toolbox, turns): Promise<Driven> => {
    await using server = await startScriptedServer(turns, answer);
    await clientOf(server.baseUrl).models.generateContent({
      model: 'scripted',
      contents: 'Pay my invoice.',
      config: { tools: [generateContent.callable(toolbox)] },
    });
    return { sent: server.sent(), results: resultsIn(server.requests.at(-1)?.body) };
  },
});

const isSetup = (message: SocketMessage) => 'setup' in message;
const isToolResponse = (message: SocketMessage) => 'toolResponse' in message;

const responsesIn = (message: SocketMessage): ModelResult[] =>
  (message['toolResponse'] as { functionResponses: FunctionResponse[] }).functionResponses.map(toModelResult);

const receiveResponses = async (connection: ScriptedConnection, count: number): Promise<ModelResult[]> => {
  const answered: ModelResult[] = [];
  while (answered.length < count) answered.push(...responsesIn(await connection.receive(isToolResponse)));
  return answered;
};

const toolCall = (calls: readonly ModelCall[]) => ({ toolCall: { functionCalls: calls.map(functionCall) } });

/** A real Live session whose tool calls are answered from the toolbox. */
const connectLive = async (port: number, toolbox: Toolbox): Promise<AsyncDisposable> => {
  const opened = Promise.withResolvers<Session>();
  const receive = live.connect(toolbox, {
    send: (responses) => opened.promise.then((session) => session.sendToolResponse(responses)),
  });
  const session = await clientOf(`http://127.0.0.1:${port}`).live.connect({
    model: 'scripted',
    config: { tools: live.tools(toolbox, { readBehavior: Behavior.NON_BLOCKING }) },
    callbacks: { onmessage: receive },
  });
  opened.resolve(session);
  return { [Symbol.asyncDispose]: async () => session.close() };
};

/** The API's end of a Live session: `script` begins once the session is set up. */
const startLive = (script: (connection: ScriptedConnection) => Promise<void>) =>
  startScriptedSocket(async (connection) => {
    await connection.receive(isSetup);
    connection.send({ setupComplete: {} });
    await script(connection);
  });

describeTarget({
  name: 'Gemini Live',
  flagsErrors: true,
  sendsText: false,
  // A call that is delivered again gets no second response.
  refusesRepeatedIds: true,
  drive: async (toolbox, turns): Promise<Driven> => {
    const results: ModelResult[] = [];
    await using server = await startLive(async (connection) => {
      for (const calls of turns) {
        connection.send(toolCall(calls));
        const answered = await receiveResponses(connection, calls.length);
        const place = ({ id }: ModelResult) => calls.findIndex((call) => call.id === id);
        results.push(...answered.toSorted((a, b) => place(a) - place(b)));
      }
    });
    await using _ = await connectLive(server.port, toolbox);
    await server.done;
    return { sent: server.sent(), results };
  },
});

test('Gemini Live: a call that is delivered twice is run and answered once', async () => {
  const { toolbox, charges } = createPaymentTools();
  const call = { id: 'call_1', name: 'pay_invoice', args: { invoice_id: 'inv_1', amount: 49.9 } };
  const answered: ModelResult[] = [];
  await using server = await startLive(async (connection) => {
    connection.send(toolCall([call]));
    connection.send(toolCall([call]));
    connection.send(toolCall([{ id: 'call_2', name: 'find_invoice', args: {} }]));
    answered.push(...(await receiveResponses(connection, 2)));
  });

  await using _ = await connectLive(server.port, toolbox);
  await server.done;

  expect(answered.map(({ id }) => id).toSorted()).toEqual(['call_1', 'call_2']);
  expect(charges).toHaveLength(1);
});

test('Gemini Live: a call that is cancelled is stopped and gets no response', async () => {
  const started = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const slow = defineTool({
    name: 'find_slowly',
    description: 'Takes its time.',
    parameters: z.object({}),
    effect: 'read',
    run: (_, { signal }) => {
      signal.addEventListener('abort', () => stopped.resolve());
      started.resolve();
      return stopped.promise.then(() => ({ found: false }));
    },
  });
  const quick = defineTool({
    name: 'find_quickly',
    description: 'Takes no time.',
    parameters: z.object({}),
    effect: 'read',
    run: () => ({ found: true }),
  });
  const toolbox = createToolbox({ tools: [slow, quick], context: { callId: 'CA1' } });
  let answered: readonly ModelResult[] = [];
  await using server = await startLive(async (connection) => {
    connection.send(toolCall([{ id: 'call_1', name: 'find_slowly', args: {} }]));
    await started.promise;
    connection.send({ toolCallCancellation: { ids: ['call_1'] } });
    connection.send(toolCall([{ id: 'call_2', name: 'find_quickly', args: {} }]));
    answered = await receiveResponses(connection, 1);
  });

  await using _ = await connectLive(server.port, toolbox);
  await Promise.all([server.done, stopped.promise]);

  expect(answered.map(({ id }) => id)).toEqual(['call_2']);
  expect(server.sent()).not.toContain('call_1');
});

test('Gemini Live: only look-ups let the model talk on', () => {
  const [tool] = live.tools(createPaymentTools().toolbox, { readBehavior: Behavior.NON_BLOCKING });

  expect(tool?.functionDeclarations.map(({ name, behavior }) => [name, behavior])).toEqual([
    ['find_invoice', 'NON_BLOCKING'],
    ['pay_invoice', undefined],
    ['add_note', undefined],
  ]);
});

test('Gemini Live: each result is sent when it’s there, and functions of the application are left to it', async () => {
  const slow = Promise.withResolvers<object>();
  const find = (name: string, run: () => object) =>
    defineTool({ name, description: 'Finds.', parameters: z.object({}), effect: 'read', run });
  const tools = [find('find_slowly', () => slow.promise), find('find_quickly', () => ({ found: true }))];
  const toolbox = createToolbox({ tools, context: { callId: 'CA1' } });
  const answered: string[][] = [];
  await using server = await startLive(async (connection) => {
    connection.send(
      toolCall(['find_slowly', 'end_call', 'find_quickly'].map((name) => ({ id: name, name, args: {} }))),
    );
    answered.push((await receiveResponses(connection, 1)).map(({ id }) => id));
    slow.resolve({ found: true });
    answered.push((await receiveResponses(connection, 1)).map(({ id }) => id));
  });

  await using _ = await connectLive(server.port, toolbox);
  await server.done;

  expect(answered).toEqual([['find_quickly'], ['find_slowly']]);
  expect(server.sent()).not.toContain('end_call');
});
