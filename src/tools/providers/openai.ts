/**
 * OpenAI: Chat Completions, Responses and Realtime. OpenAI has no flag for errors: the text says what went wrong.
 *
 * @module
 */
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { toPortable, toStrict } from '../dialects.ts';
import type { ToolInfo } from '../tool.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { type AnswerEnd, endOf, toOutput, toRealtimeTools } from './realtime-events.ts';
import { connectRealtime } from './realtime-session.ts';
import { seenIn } from './has-answered.ts';
import { createMessageRunner } from './target.ts';

/** Options of the descriptions that OpenAI gets. */
export interface OpenAIOptions {
  /**
   * The model is held to the schema. Off for servers that only speak like OpenAI; arguments are checked either way.
   * @defaultValue true
   */
  readonly strict?: boolean | undefined;
}

/** For tools that a runner of the package calls by itself. */
export interface OpenAIRunnableOptions extends OpenAIOptions {
  /** The context of every run; the id of the tool call is added. */
  readonly context?: ToolCallContext | undefined;
}

/** A call of a function. `arguments` is JSON text as the model wrote it, unchecked. */
interface ChatToolCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** An assistant's message. A tool call without `function` is of a kind that the application runs. */
interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly function?: ChatToolCall['function'] }[] | null;
}

/** One of the `choices` of a completion. */
interface ChatChoice {
  readonly finish_reason?: string | null;
  readonly message: ChatMessage;
}

/** The part of the runner of `runTools` that is read. */
interface ChatRunner {
  readonly messages: readonly ChatMessage[];
  allChatCompletions?(): readonly { readonly choices: readonly ChatChoice[] }[];
  readonly controller?: { readonly signal: AbortSignal };
}

/**
 * Chat Completions. `runAll` takes a choice, or its message, and gives one message per function call; calls that are no
 * function are yours to run. A choice says whether the token limit cut the message: then none of its calls runs.
 *
 * @example
 * const { choices } = await client.chat.completions.create({ model, messages, tools: chat.tools(toolbox) });
 * messages.push(choices[0].message, ...(await chat.runAll(toolbox, choices[0])));
 */
export const chat = {
  /** For `tools` of a request. */
  tools: (from: WithTools, options: OpenAIOptions = {}) =>
    toolboxOf(from, 'chat.tools')
      .tools()
      .map((tool) => ({ type: 'function' as const, function: toFunction(tool, options) })),

  ...createMessageRunner({
    readCall: ({ id, function: { name, arguments: args } }: ChatToolCall) => ({ name, args, toolCallId: id }),
    toResult: ({ id }, { text }) => ({ role: 'tool' as const, tool_call_id: id, content: text }),
    callsIn: (answer: ChatChoice | ChatMessage) =>
      (messageIn(answer).tool_calls ?? []).flatMap(({ id, function: call }) => (call ? [{ id, function: call }] : [])),
    finishReasonOf: (answer) => 'message' in answer && answer.finish_reason,
    toReply: (messages) => messages,
  }),

  /**
   * For `client.chat.completions.runTools({ tools: chat.runnable(toolbox) })`, which then runs the tools itself.
   * Not strict by default: the package parses the arguments of strict tools and ends the run when they are no JSON.
   */
  runnable: (from: WithTools, { context = {}, strict = false }: OpenAIRunnableOptions = {}) =>
    toolboxOf(from, 'chat.runnable')
      .tools()
      .map((tool) => ({
        type: 'function' as const,
        function: {
          ...toFunction(tool, { strict }),
          function: async (args: string, runner?: ChatRunner) => {
            const own = {
              toolCallId: toolCallIdIn(runner, tool.name, args),
              signal: runner?.controller?.signal,
              ...seenIn(runner?.messages ?? []),
              finishReason: runner?.allChatCompletions?.().at(-1)?.choices[0]?.finish_reason,
            };
            return (await toolboxOf(from).run(tool.name, args, mergeContexts(context, own))).text;
          },
        },
      })),
};

const messageIn = (answer: ChatChoice | ChatMessage): ChatMessage => ('message' in answer ? answer.message : answer);

/** A function call among the `output` of a response, or the event `response.function_call_arguments.done`. */
interface FunctionCall {
  readonly call_id?: string;
  readonly name: string;
  readonly arguments: string;
  /** `incomplete`: the token limit cut it, or the person interrupted it; then it isn't run. */
  readonly status?: string;
}

/** The part of an item of an answer that is read. */
interface OutputItem {
  readonly type?: string;
}

const readFunctionCall = ({ name, arguments: args, call_id, status }: FunctionCall) => ({
  name,
  args,
  toolCallId: call_id,
  finishReason: status,
});

/** A response; what of it is read. */
interface OutputOf {
  readonly output: readonly OutputItem[];
  readonly status?: string | undefined;
}

const functionCallsIn = (output: readonly OutputItem[]) =>
  output.filter((item): item is OutputItem & FunctionCall => item.type === 'function_call');

/**
 * The Responses API. `runAll` gives one input item per function call of `response.output`. Calls of a response that the
 * token limit cut aren't run.
 *
 * @example
 * const response = await client.responses.create({ model, input, tools: responses.tools(toolbox) });
 * input.push(...response.output, ...(await responses.runAll(toolbox, response)));
 */
export const responses = {
  /** For `tools` of a request. */
  tools: (from: WithTools, options: OpenAIOptions = {}) =>
    toolboxOf(from, 'responses.tools')
      .tools()
      .map((tool) => ({ type: 'function' as const, ...toFunction(tool, options) })),

  ...createMessageRunner({
    readCall: readFunctionCall,
    toResult: ({ call_id = '' }, { text }) => toOutput(call_id, text),
    callsIn: ({ output }: OutputOf) => functionCallsIn(output),
    finishReasonOf: ({ status }) => status,
    toReply: (items) => items,
  }),

  /** For the `functions` of the package's `ResponsesToolRunner`, which gives tools no call id. */
  runnable: (from: WithTools, { context = {}, ...options }: OpenAIRunnableOptions = {}) =>
    responses.tools(toolboxOf(from, 'responses.runnable'), options).map((tool) => ({
      tool,
      execute: async (args: object, running?: { readonly signal?: AbortSignal | undefined }) =>
        (await toolboxOf(from).run(tool.name, args, mergeContexts(context, { signal: running?.signal }))).text,
    })),

  /** For its `earlyExecution`: only tools that read may start before the model has finished its answer. */
  early: (from: WithTools) => ({
    functions: toolboxOf(from, 'responses.early')
      .tools()
      .flatMap(({ name, effect }) => (effect === 'read' ? [name] : [])),
  }),
};

const realtimeRunner = createMessageRunner({
  readCall: readFunctionCall,
  toResult: ({ call_id = '' }, { text }) => ({
    type: 'conversation.item.create' as const,
    item: toOutput(call_id, text),
  }),
  callsIn: ({ response }: RealtimeResponseDone) =>
    functionCallsIn(response.output ?? []).filter(
      ({ status }) => endOf(response) !== 'interrupted' || status !== 'incomplete',
    ),
  finishReasonOf: ({ response }) => {
    const ended = endOf(response);
    return ended !== 'interrupted' && ended;
  },
  toReply: (items, { response }) =>
    items.length > 0 && endOf(response) !== 'interrupted' ? [...items, { type: 'response.create' as const }] : items,
});

/**
 * The Realtime API of OpenAI, and those that are compatible with it. `connect` keeps a whole session going. For a loop of
 * your own, `run` takes the event `response.function_call_arguments.done` or its item and returns one event to send.
 * `runAll` takes the event `response.done` and returns all events to send. The last one has the model go on, if the person
 * didn't interrupt. Calls of an answer that was cut, interrupted or failed aren't run.
 *
 * @example
 * const socket = new OpenAIRealtimeWS({ model: 'gpt-realtime' });
 * const session = realtime.connect(phoneCall.tools, { socket, session: { instructions }, onError: console.error });
 * await hungUp;
 * session.close();
 */
export const realtime = {
  /** For `session.tools` of the event `session.update`, which `connect` sends by itself. */
  tools: toRealtimeTools,

  /**
   * Registers the tools, runs what the model calls, and sends each result once. Asks for the next answer when neither the
   * model nor the caller speaks. Look-ups start while the model still speaks, writes when its answer is complete.
   *
   * A slow tool has the model say its slow message, and 4 s later that it takes longer. Both are answers outside the
   * conversation, which end when the caller speaks. If the caller interrupts, the look-ups of a cancelled answer end and
   * its writes don't start. The model reads so. A write that has started goes on, and its result is sent.
   * Throws `InvalidArgumentError` for a `socket` that is none.
   */
  connect: connectRealtime,

  run: realtimeRunner.run,
  toResult: realtimeRunner.toResult,
  runAll: (from: WithTools, event: RealtimeResponseDone, context: ToolCallContext = {}) =>
    realtimeRunner.runAll(
      toolboxOf(from),
      event,
      endOf(event.response) === 'interrupted' ? { ...context, signal: AbortSignal.abort() } : context,
    ),
};

/** The event `response.done`; what of it is read. */
export interface RealtimeResponseDone {
  readonly response: AnswerEnd & { readonly output?: readonly OutputItem[] };
}

const toFunction = ({ name, description, parameters }: ToolInfo, { strict = true }: OpenAIOptions) => ({
  name,
  description,
  parameters: strict ? toStrict(parameters) : toPortable(parameters),
  strict,
});

/**
 * `runTools` gives a tool no call id; its own messages hold it. Two calls that are the same to the letter get the id of
 * the first, so that the work is done once.
 */
const toolCallIdIn = (runner: ChatRunner | undefined, name: string, args: string) =>
  runner?.messages
    .findLast((message) => message.tool_calls?.length)
    ?.tool_calls?.find((call) => call.function?.name === name && call.function.arguments === args)?.id;
