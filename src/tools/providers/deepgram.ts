/**
 * Deepgram Voice Agent: functions that it asks for over the conversation's WebSocket. Deepgram has no flag for errors:
 * the text says what went wrong. `behavior`: developers.deepgram.com/changelog/2026/7/9, read on 2026-11-27.
 *
 * @module
 */
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { toPortable } from '../dialects.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { createHeardConversation } from './has-answered.ts';
import { createMessageRunner } from './target.ts';

/** The way to Deepgram, and the context of every run. */
export interface DeepgramConnection {
  /** Sends one message to Deepgram, such as `(message) => socket.send(JSON.stringify(message))`. */
  readonly send: (
    message:
      | { type: 'FunctionCallResponse'; id: string; name: string; content: string }
      | { type: 'InjectAgentMessage'; message: string; behavior: 'queue' },
  ) => void;
  /** The context of every run; the id of the tool call is added. */
  readonly context?: ToolCallContext;
}

/** One of the `functions` of a `FunctionCallRequest`. */
interface FunctionCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments?: string;
  /** `false`: Deepgram calls an endpoint of this function itself. */
  readonly client_side?: boolean;
}

/**
 * `connect` answers what comes over the socket. `runAll` takes a `FunctionCallRequest` and gives the messages to send;
 * a call that the context's signal has taken back still gets its message.
 *
 * @example
 * const think = { provider, prompt, functions: deepgram.tools(phoneCall.tools) };
 * socket.send(JSON.stringify({ type: 'Settings', audio, agent: { think } }));
 * const receive = deepgram.connect(phoneCall.tools, { send: (message) => socket.send(JSON.stringify(message)) });
 * socket.addEventListener('message', ({ data }) => typeof data === 'string' && receive(data));
 */
export const deepgram = {
  /** For `agent.think.functions`. A tool that changes something waits until the person has finished speaking. */
  tools: (from: WithTools) =>
    toolboxOf(from, 'deepgram.tools')
      .tools()
      .map(({ name, description, parameters, effect }) => ({
        name,
        description,
        parameters: toPortable(parameters),
        defer_until_eot: effect !== 'read',
      })),

  ...createMessageRunner({
    readCall: ({ id, name, arguments: args }: FunctionCall) => ({ name, args, toolCallId: id }),
    toResult: ({ id, name }, { text }) => ({ type: 'FunctionCallResponse' as const, id, name, content: text }),
    callsIn: ({ functions }: { readonly functions: readonly FunctionCall[] }) => functions.filter(isOurs),
    toReply: (responses) => responses,
  }),

  /**
   * Makes the function that takes each message from Deepgram, parsed or as text, and ignores those that are not about
   * functions. Functions that the toolbox doesn't have are the application's to answer. A cancelled function is ended and gets no answer; `onSettled` gets a payment that was sent by then.
   * While a tool is slow the agent says its slow message, after what it's saying. Never rejects for what a model sends or a tool does.
   */
  connect: (from: WithTools, { send, context = {} }: DeepgramConnection): ((message: unknown) => Promise<void>) => {
    const toolbox = toolboxOf(from, 'deepgram.connect');
    const running = new Map<string, AbortController>();
    /** The last slow message, and whether Deepgram refused it. */
    let words: { readonly message: string; readonly toolCallId: string; isRefused: boolean } | undefined;
    const conversation = createHeardConversation();
    const { hasAnswered } = conversation;
    const say = (message: string) => send({ type: 'InjectAgentMessage', message, behavior: 'queue' });
    const onSlow: ToolCallContext['onSlow'] = ({ message, toolCallId = '' }) => {
      if (message === undefined) return;
      words = { message, toolCallId, isRefused: false };
      say(message);
    };

    const answer = async (call: FunctionCall) => {
      const cancelling = new AbortController();
      running.set(call.id, cancelling);
      const own = mergeContexts({ onSlow, hasAnswered, ...context }, { signal: cancelling.signal });
      const response = await deepgram.run(toolbox, call, own);
      if (running.get(call.id) === cancelling) running.delete(call.id);
      conversation.add('tool', response.content);
      if (!own.signal?.aborted) send(response);
    };

    return async (message) => {
      const { type, functions, said } = readMessage(message);
      if (said) conversation.add(said.by, said.words);
      if (type === 'InjectionRefused' && words) words.isRefused = true;
      if (type === 'AgentAudioDone' && words?.isRefused) {
        if (running.has(words.toolCallId)) say(words.message);
        words = undefined;
      }
      if (type === 'FunctionCallCancelled') for (const { id } of functions) running.get(id)?.abort();
      const isKnown = ({ name }: FunctionCall) => toolbox.find(name) !== undefined;
      if (type === 'FunctionCallRequest')
        await Promise.all(functions.filter((call) => isOurs(call) && isKnown(call)).map(answer));
    };
  },
};

/** Deepgram itself calls the functions that have an endpoint. */
const isOurs = ({ client_side }: FunctionCall) => client_side !== false;

const readMessage = (message: unknown): Message => {
  const parsed = typeof message === 'string' ? parseOrNothing(message) : message;
  if (typeof parsed !== 'object' || parsed === null || !('type' in parsed)) return nothing;
  const { type } = parsed;
  const functions = 'functions' in parsed && Array.isArray(parsed.functions) ? parsed.functions.filter(isCall) : [];
  return typeof type === 'string'
    ? { type, functions, said: type === 'ConversationText' ? saidIn(parsed) : undefined }
    : nothing;
};

const parseOrNothing = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const saidIn = (message: object): Message['said'] => {
  const { role, content }: { readonly role?: unknown; readonly content?: unknown } = { ...message };
  if (typeof content !== 'string' || (role !== 'user' && role !== 'assistant')) return undefined;
  return { by: role === 'user' ? 'caller' : 'agent', words: content };
};

const isCall = (call: unknown): call is FunctionCall =>
  typeof call === 'object' &&
  call !== null &&
  'id' in call &&
  typeof call.id === 'string' &&
  'name' in call &&
  typeof call.name === 'string';

interface Message {
  readonly type: string;
  readonly functions: readonly FunctionCall[];
  /** The words of a `ConversationText`. */
  readonly said: { readonly by: 'caller' | 'agent'; readonly words: string } | undefined;
}

const nothing: Message = { type: '', functions: [], said: undefined };
