import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { GoogleGenAI, Modality, type Session } from '@google/genai';
import { initializeLogger, llm, voice } from '@livekit/agents';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { tool as agentsTool } from '@openai/agents';
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession } from '@openai/agents/realtime';
import { generateText, isStepCount, type ModelMessage } from 'ai';
import { MockLanguageModelV3 } from 'ai-6/test';
import { MockLanguageModelV4 } from 'ai/test';
import { AIMessage, createAgent, tool, ToolMessage } from 'langchain';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { createScriptedModel } from '../../src/dev/testing/index.ts';
import type { Toolbox } from '../../src/tools/index.ts';
import { aiSdk } from '../../src/tools/providers/ai-sdk.ts';
import { live } from '../../src/tools/providers/google.ts';
import { langchain } from '../../src/tools/providers/langchain.ts';
import { livekit } from '../../src/tools/providers/livekit.ts';
import { mastra } from '../../src/tools/providers/mastra.ts';
import { openaiAgents } from '../../src/tools/providers/openai-agents.ts';
import { chat } from '../../src/tools/providers/openai.ts';
import { createApprovedTools } from '../support/payment-tools.ts';
import { type ScriptedConnection, type SocketMessage, startScriptedSocket } from './scripted-socket.ts';

initializeLogger({ pretty: false, level: 'silent' });

/** The next step of a model: it asks for a refund, says a text, or confirms with the last token that it got. */
type Step = 'ask' | 'confirm' | 'Shall I give back 5?' | 'That is done.';

interface Move {
  readonly call?: { readonly id: string; readonly name: 'refund'; readonly args: object };
  readonly text: string;
}

/** A model that follows its steps, whatever it reads. */
const createBrain = (steps: readonly Step[]) => {
  let moves = 0;
  return (prompt: unknown): Move => {
    const step = steps[moves] ?? 'That is done.';
    moves += 1;
    if (step !== 'ask' && step !== 'confirm') return { text: step };
    const tokens = JSON.stringify(prompt).matchAll(/summary[^}]*?confirmation_token[\\":]+(\w+\.[\w-]+\.\w+\.\w+)/g);
    const confirmation_token = step === 'confirm' ? [...tokens].at(-1)?.[1] : null;
    return { call: { id: `call_${moves}`, name: 'refund', args: { amount: 5, confirmation_token } }, text: '' };
  };
};

/** Says the caller's words one after the other, each after the model's answer. */
type Converse = (toolbox: Toolbox, steps: readonly Step[], words: readonly string[]) => Promise<void>;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const toGenerated = ({ call, text }: Move) => ({
  content: [
    call
      ? {
          type: 'tool-call' as const,
          toolCallId: call.id,
          toolName: call.name,
          input: JSON.stringify(call.args),
        }
      : { type: 'text' as const, text },
  ],
  finishReason: { unified: call ? ('tool-calls' as const) : ('stop' as const), raw: undefined },
  usage,
  warnings: [],
});

const withAiSdk: Converse = async (toolbox, steps, words) => {
  const brain = createBrain(steps);
  const model = new MockLanguageModelV4({ doGenerate: async ({ prompt }) => toGenerated(brain(prompt)) });
  const messages: ModelMessage[] = [];
  for (const content of words) {
    messages.push({ role: 'user', content });
    const answer = await generateText({ model, messages, tools: aiSdk.tools(toolbox), stopWhen: isStepCount(10) });
    messages.push(...answer.responseMessages);
  }
};

const withMastra: Converse = async (toolbox, steps, words) => {
  const brain = createBrain(steps);
  const model = new MockLanguageModelV3({ doGenerate: async ({ prompt }) => toGenerated(brain(prompt)) });
  const agent = new MastraAgent({
    id: 'a',
    name: 'A',
    instructions: 'Help.',
    model,
    tools: mastra.tools(toolbox, { createTool }),
  });
  const messages: ModelMessage[] = [];
  for (const content of words) {
    messages.push({ role: 'user', content });
    const answer = await agent.generate(messages as Parameters<MastraAgent['generate']>[0], { maxSteps: 10 });
    messages.push(...(answer.response.messages as ModelMessage[]));
  }
};

class Brain extends BaseChatModel {
  readonly #next: (prompt: unknown) => Move;

  constructor(steps: readonly Step[]) {
    super({});
    this.#next = createBrain(steps);
  }

  override _llmType() {
    return 'scripted';
  }

  override bindTools() {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const { call, text } = this.#next(messages.map((message) => message.toDict()));
    const tool_calls = call ? [{ ...call, type: 'tool_call' as const }] : [];
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls }) }] };
  }
}

const withLangChain: Converse = async (toolbox, steps, words) => {
  const agent = createAgent({ model: new Brain(steps), tools: langchain.tools(toolbox, { tool, ToolMessage }) });
  let messages: BaseMessage[] = [];
  for (const content of words)
    ({ messages } = await agent.invoke({ messages: [...messages, new HumanMessage(content)] }));
};

const withChatRunner: Converse = async (toolbox, steps, words) => {
  const refund = { call: 'refund', args: { amount: 5 } };
  await using model = createScriptedModel(
    steps.map((step) => (step === 'ask' ? refund : step === 'confirm' ? { ...refund, confirmed: true } : step)),
  );
  const openai = new OpenAI({ apiKey: 'test', baseURL: `${await model.listen()}/v1`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  for (const content of words) {
    messages.push({ role: 'user', content });
    const tools = chat.runnable(toolbox);
    const run = openai.chat.completions.runTools({ model: 'scripted', messages: [...messages], tools });
    await run.finalContent();
    messages.splice(0, messages.length, ...run.messages);
  }
};

class BrainLLM extends llm.LLM {
  readonly next: (prompt: unknown) => Move;

  constructor(steps: readonly Step[]) {
    super();
    this.next = createBrain(steps);
  }

  override label() {
    return 'scripted';
  }

  override chat({ chatCtx, toolCtx, connOptions }: Parameters<llm.LLM['chat']>[0]): llm.LLMStream {
    return new BrainStream(this, this.next(chatCtx.toJSON()), {
      chatCtx,
      ...(toolCtx && { toolCtx }),
      connOptions: connOptions ?? { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 10_000 },
    });
  }
}

class BrainStream extends llm.LLMStream {
  readonly #move: Move;

  constructor(model: llm.LLM, move: Move, options: ConstructorParameters<typeof llm.LLMStream>[1]) {
    super(model, options);
    this.#move = move;
  }

  protected override async run() {
    const { call, text } = this.#move;
    const delta = call
      ? { toolCalls: [llm.FunctionCall.create({ callId: call.id, name: call.name, args: JSON.stringify(call.args) })] }
      : { content: text };
    this.queue.put({ id: 'scripted', delta: { role: 'assistant', ...delta } });
  }
}

const withLiveKit: Converse = async (toolbox, steps, words) => {
  const session = new voice.AgentSession({ llm: new BrainLLM(steps), maxToolSteps: 10 });
  const tools = livekit.tools(toolbox, { llm });
  await session.start({ agent: new voice.Agent({ instructions: 'Help the caller.', tools }) });
  for (const userInput of words) await session.generateReply({ userInput }).waitForPlayout();
  await session.close();
};

const isOfType = (type: string) => (message: SocketMessage) => message['type'] === type;
const isResultOf = (callId: string) => (message: SocketMessage) => {
  const item = message['item'] as { readonly type: string; readonly call_id: string } | undefined;
  return item?.type === 'function_call_output' && item.call_id === callId;
};

/** OpenAI's end of a Realtime session: the caller's voice is heard and written down, then the model answers. */
const speakRealtime = async (
  { send, receive }: ScriptedConnection,
  steps: readonly Step[],
  words: readonly string[],
) => {
  const brain = createBrain(steps);
  const told: SocketMessage[] = [];
  let items = 0;
  const add = (item: object) => {
    items += 1;
    const [id, previous_item_id] = [`item_${items}`, items === 1 ? null : `item_${items - 1}`];
    send({
      type: 'conversation.item.added',
      event_id: 'e',
      previous_item_id,
      item: { id, status: 'completed', ...item },
    });
    send({
      type: 'conversation.item.done',
      event_id: 'e',
      previous_item_id,
      item: { id, status: 'completed', ...item },
    });
    return { id };
  };
  send({ type: 'session.created', event_id: 'e', session: { type: 'realtime', id: 'sess_1' } });
  await receive(isOfType('session.update'));
  send({ type: 'session.updated', event_id: 'e', session: { type: 'realtime', id: 'sess_1' } });
  for (const transcript of words) {
    const { id } = add({ type: 'message', role: 'user', content: [{ type: 'input_audio', transcript: null }] });
    send({
      type: 'conversation.item.input_audio_transcription.completed',
      event_id: 'e',
      item_id: id,
      content_index: 0,
      transcript,
      usage: { type: 'duration', seconds: 1 },
    });
    for (;;) {
      const { call, text } = brain(told);
      const response = { id: `resp_${items}`, object: 'realtime.response' };
      send({ type: 'response.created', event_id: 'e', response: { ...response, status: 'in_progress', output: [] } });
      const item = call
        ? { type: 'function_call', call_id: call.id, name: call.name, arguments: JSON.stringify(call.args) }
        : { type: 'message', role: 'assistant', content: [{ type: 'output_audio', transcript: text }] };
      const made = { ...item, ...add(item), status: 'completed', object: 'realtime.item' };
      const place = { event_id: 'e', response_id: response.id, output_index: 0 };
      send({ type: 'response.output_item.added', ...place, item: made });
      send({ type: 'response.output_item.done', ...place, item: made });
      send({ type: 'response.done', event_id: 'e', response: { ...response, status: 'completed', output: [made] } });
      if (!call) break;
      told.push(await receive(isResultOf(call.id)));
      await receive(isOfType('response.create'));
    }
  }
};

const withRealtimeAgents: Converse = async (toolbox, steps, words) => {
  await using server = await startScriptedSocket((connection) => speakRealtime(connection, steps, words));
  const agent = new RealtimeAgent({
    name: 'Billing',
    instructions: 'Help with invoices.',
    tools: openaiAgents.tools(toolbox, { tool: agentsTool }),
  });
  const session = new RealtimeSession(agent, { transport: new OpenAIRealtimeWebSocket({ url: server.url }) });
  await session.connect({ apiKey: 'test' });
  await server.done;
  session.close();
};

/** Gemini's end of a Live session that writes down what the caller says. */
const speakLive = async ({ send, receive }: ScriptedConnection, steps: readonly Step[], words: readonly string[]) => {
  const brain = createBrain(steps);
  const told: SocketMessage[] = [];
  await receive((message) => 'setup' in message);
  send({ setupComplete: {} });
  for (const text of words) {
    send({ serverContent: { inputTranscription: { text } } });
    for (;;) {
      const move = brain(told);
      if (!move.call) {
        send({ serverContent: { modelTurn: { parts: [{ inlineData: { mimeType: 'audio/pcm', data: 'AAAA' } }] } } });
        send({ serverContent: { outputTranscription: { text: move.text } } });
        send({ serverContent: { turnComplete: true } });
        break;
      }
      send({ toolCall: { functionCalls: [move.call] } });
      told.push(await receive((message) => 'toolResponse' in message));
    }
  }
};

const withGeminiLive: Converse = async (toolbox, steps, words) => {
  await using server = await startScriptedSocket((connection) => speakLive(connection, steps, words));
  const opened = Promise.withResolvers<Session>();
  const receive = live.connect(toolbox, {
    send: (responses) => opened.promise.then((session) => session.sendToolResponse(responses)),
  });
  const client = new GoogleGenAI({ apiKey: 'test', httpOptions: { baseUrl: `http://127.0.0.1:${server.port}` } });
  const session = await client.live.connect({
    model: 'scripted',
    config: { tools: live.tools(toolbox), inputAudioTranscription: {}, responseModalities: [Modality.AUDIO] },
    callbacks: { onmessage: receive },
  });
  opened.resolve(session);
  await server.done;
  session.close();
};

const [wish, yes] = ['Give me my money back.', 'Yes, please.'];
const [readOut, end] = ['Shall I give back 5?', 'That is done.'] as const;

describe.each<[string, Converse]>([
  ['the AI SDK', withAiSdk],
  ['Mastra', withMastra],
  ['LangChain', withLangChain],
  ['the runner of OpenAI’s package', withChatRunner],
  ['LiveKit', withLiveKit],
  ['OpenAI Agents with a voice', withRealtimeAgents],
  ['Gemini Live', withGeminiLive],
])('%s: the caller’s yes', (_name, converse) => {
  const refundsAfter = async (steps: readonly Step[], words: readonly string[]) => {
    const { toolbox, refunds } = createApprovedTools('two-step');
    await converse(toolbox, steps, words);
    return refunds;
  };

  test('counts at once after the question was read out', async () => {
    expect(await refundsAfter(['ask', readOut, 'confirm', end], [wish, yes])).toEqual([5]);
  });

  test('isn’t said by the model, and the new token counts', async () => {
    expect(await refundsAfter(['ask', 'confirm', readOut], [wish])).toEqual([]);
    expect(await refundsAfter(['ask', 'confirm', readOut, 'confirm', end], [wish, yes])).toEqual([5]);
  });

  test('isn’t a message that comes again, nor silence', async () => {
    expect(await refundsAfter(['ask', readOut, 'confirm', end], [wish, wish])).toEqual([]);
    expect(await refundsAfter(['ask', readOut, 'confirm', end], [wish, ' '])).toEqual([]);
  });
});
