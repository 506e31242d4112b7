/**
 * Deepgram Voice Agent: functions that it asks for over the conversation's WebSocket.
 *
 * `tools` goes into `agent.think.functions`, `connect` answers what comes over the socket; `run`, `runAll` and
 * `toResult` are its parts. Deepgram has no flag for errors: the text says what went wrong.
 *
 * @module
 */
import { mergeContexts } from '../bound-context.ts';
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toPortable } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';

/**
 * A tool that changes something waits until Deepgram is sure that the person has finished speaking.
 *
 * @example
 * const think = { provider, prompt, functions: deepgram.tools(phoneCall.tools) };
 * socket.send(JSON.stringify({ type: 'Settings', audio, agent: { think } }));
 */
export const tools = (toolbox: Toolbox): DeepgramFunction[] =>
  toolbox.tools().map(({ name, description, parameters, effect }) => ({
    name,
    description,
    parameters: toPortable(parameters),
    defer_until_eot: effect !== 'read',
  }));

/**
 * `undefined` when the context's signal has taken the call back: Deepgram wants no answer then.
 *
 * @example
 * const response = await deepgram.run(phoneCall.tools, call, { signal });
 * if (response) socket.send(JSON.stringify(response));
 */
export const run = async (
  toolbox: Toolbox,
  call: DeepgramFunctionCall,
  context: ToolCallContext = {},
): Promise<DeepgramFunctionResponse | undefined> => {
  const result = await toolbox.run(call.name, call.arguments, { ...context, toolCallId: call.id });
  return context.signal?.aborted ? undefined : toResult(call, result);
};

/**
 * Runs every function of a `FunctionCallRequest` that is ours to run, at the same time.
 *
 * @example
 * for (const response of await deepgram.runAll(phoneCall.tools, message)) socket.send(JSON.stringify(response));
 */
export const runAll = async (
  toolbox: Toolbox,
  { functions }: { readonly functions: readonly DeepgramFunctionCall[] },
  context?: ToolCallContext,
): Promise<DeepgramFunctionResponse[]> => {
  const responses = await Promise.all(functions.filter(isOurs).map((call) => run(toolbox, call, context)));
  return responses.filter((response) => response !== undefined);
};

/**
 * A result as the message to send, for a loop of your own.
 *
 * @example
 * const result = await toolbox.run(call.name, call.arguments, { toolCallId: call.id });
 * socket.send(JSON.stringify(deepgram.toResult(call, result)));
 */
export const toResult = (
  { id, name }: Pick<DeepgramFunctionCall, 'id' | 'name'>,
  { text }: ToolResult,
): DeepgramFunctionResponse => ({ type: 'FunctionCallResponse', id, name, content: text });

/** How messages reach Deepgram, and what every run has. */
export interface DeepgramConnection {
  /** Sends one message to Deepgram, such as `(message) => socket.send(JSON.stringify(message))`. */
  readonly send: (message: DeepgramFunctionResponse | DeepgramAgentMessage) => void;
  /** What every run has; the id of the tool call is added. */
  readonly context?: ToolCallContext;
}

/**
 * Makes the function that takes each message from Deepgram, parsed or as text, and ignores those that are not about
 * functions. A cancelled function is ended and gets no answer; a payment that was sent by then is told to `onSettled`.
 * While a tool is slow the agent says its slow message. Never rejects for what a model sends or a tool does.
 *
 * @example
 * const receive = deepgram.connect(toolbox, { send: (message) => socket.send(JSON.stringify(message)) });
 * socket.addEventListener('message', ({ data }) => typeof data === 'string' && receive(data));
 */
export const connect = (
  toolbox: Toolbox,
  { send, context = {} }: DeepgramConnection,
): ((message: unknown) => Promise<void>) => {
  const running = new Map<string, AbortController>();

  const answer = async (call: DeepgramFunctionCall) => {
    const cancelling = new AbortController();
    running.set(call.id, cancelling);
    const onSlow: ToolCallContext['onSlow'] = ({ message }) =>
      message !== undefined && send({ type: 'InjectAgentMessage', message });
    const own = mergeContexts({ onSlow, ...context }, { signal: cancelling.signal });
    const response = await run(toolbox, call, own);
    if (running.get(call.id) === cancelling) running.delete(call.id);
    if (response) send(response);
  };

  return async (message) => {
    const { type, functions } = readMessage(message);
    if (type === 'FunctionCallCancelled') for (const { id } of functions) running.get(id)?.abort();
    if (type === 'FunctionCallRequest') await Promise.all(functions.filter(isOurs).map(answer));
  };
};

/** Deepgram itself calls the functions that have an endpoint. */
const isOurs = ({ client_side }: DeepgramFunctionCall) => client_side !== false;

const readMessage = (message: unknown): DeepgramMessage => {
  const parsed = typeof message === 'string' ? parseOrNothing(message) : message;
  if (typeof parsed !== 'object' || parsed === null || !('type' in parsed)) return nothing;
  const { type } = parsed;
  const functions = 'functions' in parsed && Array.isArray(parsed.functions) ? parsed.functions.filter(isCall) : [];
  return typeof type === 'string' ? { type, functions } : nothing;
};

const parseOrNothing = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isCall = (call: unknown): call is DeepgramFunctionCall =>
  typeof call === 'object' && call !== null && 'id' in call && typeof call.id === 'string' && 'name' in call;

interface DeepgramMessage {
  readonly type: string;
  readonly functions: readonly DeepgramFunctionCall[];
}

const nothing: DeepgramMessage = { type: '', functions: [] };

/** One of `agent.think.functions`. */
export interface DeepgramFunction {
  name: string;
  description: string;
  parameters: DialectParameters;
  defer_until_eot: boolean;
}

/** One of the `functions` of a `FunctionCallRequest`. */
export interface DeepgramFunctionCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments?: string;
  /** `false`: Deepgram calls an endpoint of this function itself. */
  readonly client_side?: boolean;
}

/** The message that hands a result to Deepgram. */
export interface DeepgramFunctionResponse {
  type: 'FunctionCallResponse';
  id: string;
  name: string;
  content: string;
}

/** Words that the agent says unless somebody is speaking. */
export interface DeepgramAgentMessage {
  type: 'InjectAgentMessage';
  message: string;
}
