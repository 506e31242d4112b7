import { describe, expect, test } from 'vitest';
import type { Toolbox, ToolCallContext } from '../../../src/tools/index.ts';
import { aiSdk } from '../../../src/tools/providers/ai-sdk.ts';
import { anthropic } from '../../../src/tools/providers/anthropic.ts';
import { deepgram } from '../../../src/tools/providers/deepgram.ts';
import { live } from '../../../src/tools/providers/google.ts';
import { langchain } from '../../../src/tools/providers/langchain.ts';
import { livekit } from '../../../src/tools/providers/livekit.ts';
import { mastra } from '../../../src/tools/providers/mastra.ts';
import { mcp } from '../../../src/tools/providers/mcp.ts';
import { openaiAgents } from '../../../src/tools/providers/openai-agents.ts';
import { chat, responses } from '../../../src/tools/providers/openai.ts';
import { startLiveKitTurn } from '../../support/livekit-turn.ts';
import { createPlatformTools } from '../../support/platform-tools.ts';

const args = { amount: 20 };
const cancelled = AbortSignal.abort();

class ToolError extends Error {}

class ToolMessage {
  readonly type = 'tool';
}

const named = <Tool extends { readonly name: string }>(tools: readonly Tool[]): Tool => {
  const tool = tools.find(({ name }) => name === 'pay');
  if (!tool) throw new Error('there is no tool "pay"');
  return tool;
};

/** Runs the payment as each framework does, with the framework's own signal. */
const targets: Readonly<
  Record<string, (toolbox: Toolbox, context: ToolCallContext, signal: AbortSignal | undefined) => Promise<unknown>>
> = {
  'AI SDK': async (toolbox, context, signal) =>
    aiSdk.tools(toolbox, { context })['pay']?.execute(args, { toolCallId: 'a', abortSignal: signal }),
  Mastra: async (toolbox, context, signal) => {
    const { pay } = mastra.tools(toolbox, { createTool: (definition) => definition, context });
    return pay?.execute(args, { agent: { toolCallId: 'a', messages: [] }, abortSignal: signal });
  },
  'Anthropic tool runner': (toolbox, context, signal) =>
    named(anthropic.runnable(toolbox, { context })).run(args, { toolUse: { id: 'a' }, signal }),
  'OpenAI Chat Completions runner': async (toolbox, context, signal) => {
    const abort = new AbortController();
    if (signal) abort.abort();
    const pay = chat.runnable(toolbox, { context }).find((tool) => tool.function.name === 'pay');
    return pay?.function.function(JSON.stringify(args), { controller: abort, messages: [] });
  },
  'OpenAI Responses runner': async (toolbox, context, signal) =>
    responses
      .runnable(toolbox, { context })
      .find(({ tool }) => tool.name === 'pay')
      ?.execute(args, { signal }),
  'OpenAI Agents': (toolbox, context, signal) =>
    named(openaiAgents.tools(toolbox, { tool: (definition) => definition, context })).execute(
      args,
      {},
      { toolCall: { callId: 'a' }, ...(signal && { signal }) },
    ),
  LangChain: (toolbox, context, signal) =>
    named(
      langchain.tools(toolbox, {
        tool: (execute, { name }) => ({ name, execute }),
        ToolMessage,
        context,
      }),
    ).execute(args, { toolCall: { id: 'a' }, signal }),
  'LiveKit, aborted': (toolbox, context, signal) => payOnLiveKit(toolbox, context, { signal }),
  'LiveKit, interrupted': (toolbox, context, signal) => payOnLiveKit(toolbox, context, { isInterrupted: !!signal }),
  MCP: (toolbox, context, signal) => payOnMcp(toolbox, context, { signal }),
  'MCP, newer package': (toolbox, context, signal) => payOnMcp(toolbox, context, { mcpReq: { signal } }),
  'Gemini Live': async (toolbox, context, signal) => {
    const receive = live.connect(toolbox, { send: () => {}, context });
    const paying = receive({ toolCall: { functionCalls: [{ id: 'a', name: 'pay', args }] } });
    if (signal) await receive({ toolCallCancellation: { ids: ['a'] } });
    await paying;
  },
  Deepgram: async (toolbox, context, signal) => {
    const receive = deepgram.connect(toolbox, { send: () => {}, context });
    const functions = [{ id: 'a', name: 'pay', arguments: JSON.stringify(args), client_side: true }];
    const paying = receive({ type: 'FunctionCallRequest', functions });
    if (signal) await receive({ type: 'FunctionCallCancelled', functions });
    await paying;
  },
};

/** Calls the handler that the server of either package is given. */
const payOnMcp = async (toolbox: Toolbox, context: ToolCallContext, extra: object): Promise<void> => {
  const handlers = new Map<string, (request: object, extra: object) => Promise<unknown>>();
  const server = {
    registerCapabilities: () => {},
    setRequestHandler: (method: never, handler: never) => void handlers.set(method, handler),
    getClientCapabilities: () => undefined,
    elicitInput: () => Promise.reject(new Error('asks no one')),
  };
  mcp.serve(server, toolbox, { context });
  await handlers.get('tools/call')?.({ params: { name: 'pay', arguments: args } }, extra);
};

const payOnLiveKit = async (
  toolbox: Toolbox,
  context: ToolCallContext,
  { signal, isInterrupted = false }: { readonly signal?: AbortSignal | undefined; readonly isInterrupted?: boolean },
): Promise<void> => {
  const { pay } = livekit.tools(toolbox, { llm: { tool: (definition) => definition, ToolError }, context });
  const { ctx } = startLiveKitTurn({ isInterrupted });
  await pay
    ?.execute(args, { ctx, toolCallId: 'a', ...(signal && { abortSignal: signal }) })
    .catch((error: unknown) => expect(error).toBeInstanceOf(ToolError));
};

describe.each(Object.keys(targets))('%s', (name) => {
  const pay = targets[name]!;

  test('pays when neither the framework nor the application cancels', async () => {
    const { toolbox, charges } = createPlatformTools();

    await pay(toolbox, { callId: 'CA1', signal: new AbortController().signal }, undefined);
    expect(charges).toEqual([20]);
  });

  test('pays nothing when the framework cancels', async () => {
    const { toolbox, charges } = createPlatformTools();

    await pay(toolbox, { callId: 'CA1' }, cancelled);
    expect(charges).toEqual([]);
  });

  test('pays nothing when the application cancels', async () => {
    const { toolbox, charges } = createPlatformTools();

    await pay(toolbox, { callId: 'CA1', signal: cancelled }, undefined);
    expect(charges).toEqual([]);
  });
});

// How a framework hands on its own signal and that of the application: as one, in its context, or as an interruption.
describe.each(['AI SDK', 'OpenAI Chat Completions runner', 'LiveKit, aborted', 'MCP'])('%s', (name) => {
  const pay = targets[name]!;

  test('pays nothing when the framework cancels, with a signal of the application', async () => {
    const { toolbox, charges } = createPlatformTools();

    await pay(toolbox, { callId: 'CA1', signal: new AbortController().signal }, cancelled);
    expect(charges).toEqual([]);
  });
});
