import { expect, test } from 'vitest';
import * as z from 'zod';
import { InvalidArgumentError } from '../../src/index.ts';
import { createToolbox, defineTool, type Toolbox } from '../../src/tools/index.ts';
import { anthropic } from '../../src/tools/providers/anthropic.ts';
import { bedrock } from '../../src/tools/providers/bedrock.ts';
import { deepgram } from '../../src/tools/providers/deepgram.ts';
import { generateContent, live } from '../../src/tools/providers/google.ts';
import { httpTools } from '../../src/tools/providers/http.ts';
import { langchain } from '../../src/tools/providers/langchain.ts';
import { mcp } from '../../src/tools/providers/mcp.ts';
import { chat, realtime } from '../../src/tools/providers/openai.ts';
import { ultravox } from '../../src/tools/providers/ultravox.ts';
import { vapi } from '../../src/tools/providers/vapi.ts';
import { sharedSecret } from '../../src/webhooks/index.ts';

const levels = 100_000;
const deepText = `{"note":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const deepObject = (name = 'note'): Record<string, object> => {
  let inner: object = [];
  for (let level = 1; level < levels; level += 1) inner = [inner];
  return { [name]: inner };
};

const start = () => {
  const runs: unknown[] = [];
  const errors: unknown[] = [];
  const save = defineTool({
    name: 'save',
    description: 'Saves.',
    parameters: z.object({ note: z.string().optional() }),
    effect: 'write',
    confirm: 'two-step',
    run: (args) => {
      runs.push(args);
      return { saved: true };
    },
  });
  const toolbox = createToolbox({
    tools: [save],
    context: { callId: 'CA1' },
    onError: (error) => errors.push(error),
    onEvent: () => {},
  });
  return { toolbox, runs, errors };
};

/** Calls `tools/call` as a package of the protocol does. */
const callOverMcp = async (toolbox: Toolbox, args: object, extra: object = {}) => {
  const handlers = new Map<string, (request: object, extra: object) => unknown>();
  const server = {
    registerCapabilities: () => {},
    setRequestHandler: (method: string, handler: (request: object, extra: object) => unknown) =>
      handlers.set(method, handler),
    getClientCapabilities: () => ({ elicitation: {} }),
    elicitInput: async () => ({ action: 'decline' }),
  };
  mcp.serve(server as never, toolbox);
  const signal = new AbortController().signal;
  return handlers.get('tools/call')?.({ params: { name: 'save', arguments: args } }, { signal, ...extra });
};

const post = (body: string, headers: Record<string, string> = {}) =>
  new Request('http://127.0.0.1/', { method: 'POST', body, headers: { 'x-secret': 'abc', ...headers } });

const ways: Readonly<Record<string, (toolbox: Toolbox) => Promise<unknown>>> = {
  'a toolbox, as an object': async (toolbox) => (await toolbox.run('save', deepObject())).text,
  'a toolbox, as text': async (toolbox) => (await toolbox.run('save', deepText)).text,
  'a toolbox that only checks': async (toolbox) => toolbox.validate('save', deepObject()),
  'an MCP server': (toolbox) => callOverMcp(toolbox, deepObject()),
  'an MCP server with an answer to a question': (toolbox) =>
    callOverMcp(toolbox, deepObject(), {
      mcpReq: { signal: new AbortController().signal, inputResponses: { agreement: { action: 'accept' } } },
    }),
  'Chat Completions': (toolbox) =>
    chat.runAll(toolbox, {
      role: 'assistant',
      tool_calls: [{ id: 'a', function: { name: 'save', arguments: deepText } }],
    }),
  Anthropic: (toolbox) =>
    anthropic.runAll(toolbox, { content: [{ type: 'tool_use', id: 'a', name: 'save', input: deepObject() } as never] }),
  Bedrock: (toolbox) =>
    bedrock.runAll(toolbox, { content: [{ toolUse: { toolUseId: 'a', name: 'save', input: deepObject() } }] }),
  Gemini: (toolbox) =>
    generateContent.runAll(toolbox, { functionCalls: [{ id: 'a', name: 'save', args: deepObject() }] }),
  LangChain: (toolbox) => langchain.run(toolbox, { id: 'a', name: 'save', args: deepObject() }),
  Ultravox: (toolbox) => ultravox.run(toolbox, { toolName: 'save', invocationId: 'a', parameters: deepObject() }),
  'Gemini Live': async (toolbox) => {
    const sent: object[] = [];
    const receive = live.connect(toolbox, { send: (responses) => sent.push(responses) });
    await receive({ toolCall: { functionCalls: [{ id: 'a', name: 'save', args: deepObject() }] } });
    return sent;
  },
  Deepgram: async (toolbox) => {
    const sent: object[] = [];
    const receive = deepgram.connect(toolbox, { send: (message) => sent.push(message) });
    const functions = [{ id: 'a', name: 'save', arguments: deepText }];
    await receive(JSON.stringify({ type: 'FunctionCallRequest', functions }));
    return sent;
  },
  'OpenAI Realtime': async (toolbox) => {
    const output = Promise.withResolvers<unknown>();
    const session = realtime.connect(toolbox, {
      send: (event) => 'item' in event && output.resolve(event.item),
      onError: output.reject,
    });
    const item = { type: 'function_call', call_id: 'a', name: 'save', arguments: deepText, status: 'completed' };
    session.handle(JSON.stringify({ type: 'response.done', response: { id: 'r', output: [item] } }));
    const sent = await output.promise;
    session.close();
    return sent;
  },
};

test.each(Object.entries(ways))('%s refuses arguments that are 100,000 levels deep', async (_, run) => {
  const { toolbox, runs, errors } = start();

  const told = await run(toolbox);

  expect(JSON.stringify(told)).toMatch(/is too long|must be one JSON object/);
  expect([runs, errors]).toEqual([[], []]);
});

test('an MCP server drops a deep argument that no tool knows', async () => {
  const { toolbox, errors } = start();

  const told = await callOverMcp(toolbox, deepObject('unknown'));

  expect(JSON.stringify(told)).toContain('They were asked and said no');
  expect(errors).toEqual([]);
});

const handlers: Readonly<Record<string, (toolbox: Toolbox) => Promise<Response>>> = {
  Vapi: (toolbox) =>
    vapi.handler({ toolbox, secret: () => 'abc', header: 'x-secret' })(
      post(
        `{"message":{"type":"tool-calls","call":{"id":"c"},"toolCallList":[{"id":"a","name":"save","arguments":${deepText}}]}}`,
      ),
    ),
  'any platform over HTTP': (toolbox) =>
    httpTools.handler({
      toolbox,
      authentication: [sharedSecret({ header: 'x-secret', secrets: () => 'abc' })],
      read: ({ body }) => ({ callId: 'c', calls: [{ name: 'save', args: body }] }),
      reply: () => ({}),
    })(post(deepText)),
};

test.each(Object.entries(handlers))('%s: a body that is 100,000 levels deep is refused', async (_, handle) => {
  const { toolbox, runs, errors } = start();

  const response = await handle(toolbox);

  expect(response.status).toBe(400);
  expect([runs, errors]).toEqual([[], []]);
});

test('the JSON Schema of a tool that is 100,000 levels deep is refused', () => {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { type: 'object', properties: { a: schema } };
  const parameters = {
    '~standard': { version: 1, vendor: 'mine', validate: (value: unknown) => ({ value }) },
  } as const;
  const define = () =>
    defineTool({
      name: 'save',
      description: 'Saves.',
      parameters: parameters as never,
      jsonSchema: schema,
      effect: 'write',
      run: () => ({}),
    });

  expect(define).toThrow(InvalidArgumentError);
  expect(define).toThrow('nested too deeply');
});

test('a result that is 100,000 levels deep is cut, and the call ends', async () => {
  const errors: unknown[] = [];
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    parameters: z.object({}),
    effect: 'read',
    run: () => deepObject(),
  });
  const onError = (error: unknown) => errors.push(error);
  const toolbox = createToolbox({ tools: [look], context: { callId: 'CA1' }, onError, onEvent: () => {} });

  const { text } = await toolbox.run('look', {});

  expect([text, errors.length]).toEqual(['{}', 0]);
});
