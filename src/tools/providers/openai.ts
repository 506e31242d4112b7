/**
 * OpenAI: Chat Completions, Responses and Realtime.
 *
 * Each has `tools` (what the model is told), `run` (one tool call), `runAll` (every tool call of an answer, at the same
 * time) and `toResult` (a result in its shape). None of them throws for what a model sends or a tool does. OpenAI has no
 * flag for errors: the text says what went wrong.
 *
 * @module
 */
import { mergeContexts } from '../bound-context.ts';
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toPortable, toStrict } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { ToolInfo } from '../tool.ts';
import type { Toolbox } from '../toolbox.ts';

/** How tools are described to OpenAI. */
export interface OpenAIOptions {
  /**
   * The model is held to the schema. Off for servers that only speak like OpenAI; arguments are checked either way.
   * @defaultValue true
   */
  readonly strict?: boolean;
}

/**
 * Chat Completions; `runnable` is for its `runTools`.
 *
 * @example
 * const { choices } = await client.chat.completions.create({ model, messages, tools: chat.tools(toolbox) });
 * messages.push(choices[0].message, ...(await chat.runAll(toolbox, choices[0].message)));
 */
export const chat = {
  /** For `tools` of a request. */
  tools: (toolbox: Toolbox, options: OpenAIOptions = {}): ChatTool[] =>
    toolbox.tools().map((tool) => ({ type: 'function', function: toFunction(tool, options) })),

  /** Answers one tool call. */
  run: async (toolbox: Toolbox, call: ChatToolCall, context: ToolCallContext = {}): Promise<ChatToolMessage> => {
    const { name, arguments: args } = call.function;
    return chat.toResult(call, await toolbox.run(name, args, { ...context, toolCallId: call.id }));
  },

  /** One message per tool call, in their order. Calls that are no function are left to the application. */
  runAll: (toolbox: Toolbox, message: ChatMessage, context?: ToolCallContext): Promise<ChatToolMessage[]> =>
    Promise.all((message.tool_calls ?? []).filter(isFunctionCall).map((call) => chat.run(toolbox, call, context))),

  /** A result as a message, for a loop of your own. */
  toResult: ({ id }: Pick<ChatToolCall, 'id'>, { text }: ToolResult): ChatToolMessage => ({
    role: 'tool',
    tool_call_id: id,
    content: text,
  }),

  /**
   * For `client.chat.completions.runTools({ tools: chat.runnable(toolbox) })`, which then runs the tools itself.
   * Not strict by default: the package parses the arguments of strict tools and ends the run when they are no JSON.
   */
  runnable: (toolbox: Toolbox, { context = {}, strict = false }: RunnableOptions = {}): ChatRunnableTool[] =>
    toolbox.tools().map((tool) => ({
      type: 'function',
      function: {
        ...toFunction(tool, { strict }),
        function: async (args, runner) => {
          const own = { toolCallId: toolCallIdIn(runner, tool.name, args), signal: runner?.controller?.signal };
          return (await toolbox.run(tool.name, args, mergeContexts(context, own))).text;
        },
      },
    })),
};

/**
 * The Responses API.
 *
 * @example
 * const response = await client.responses.create({ model, input, tools: responses.tools(toolbox) });
 * input.push(...response.output, ...(await responses.runAll(toolbox, response)));
 */
export const responses = {
  /** For `tools` of a request. */
  tools: (toolbox: Toolbox, options: OpenAIOptions = {}): ResponsesTool[] =>
    toolbox.tools().map((tool) => ({ type: 'function', ...toFunction(tool, options) })),

  /** Answers one function call. */
  run: async (toolbox: Toolbox, call: FunctionCallItem, context: ToolCallContext = {}): Promise<FunctionCallOutput> =>
    responses.toResult(call, await toolbox.run(call.name, call.arguments, { ...context, toolCallId: call.call_id })),

  /** One input item per function call of `response.output`, in their order. */
  runAll: (
    toolbox: Toolbox,
    { output }: { readonly output: readonly OutputItem[] },
    context?: ToolCallContext,
  ): Promise<FunctionCallOutput[]> =>
    Promise.all(output.filter(isFunctionCallItem).map((call) => responses.run(toolbox, call, context))),

  /** A result as an input item, for a loop of your own. */
  toResult: ({ call_id }: Pick<FunctionCallItem, 'call_id'>, { text }: ToolResult): FunctionCallOutput => ({
    type: 'function_call_output',
    call_id,
    output: text,
  }),

  /** For the `functions` of the package's `ResponsesToolRunner`. It tells tools no call id. */
  runnable: (toolbox: Toolbox, { context = {}, ...options }: RunnableOptions = {}): ResponsesRunnableTool[] =>
    responses.tools(toolbox, options).map((tool) => ({
      tool,
      execute: async (args, running) =>
        (await toolbox.run(tool.name, args, mergeContexts(context, { signal: running?.signal }))).text,
    })),

  /** For its `earlyExecution`: only tools that read may start before the model has finished its answer. */
  early: (toolbox: Toolbox): { functions: string[] } => ({
    functions: toolbox.tools().flatMap(({ name, effect }) => (effect === 'read' ? [name] : [])),
  }),
};

/**
 * The Realtime API, which has no strict mode. `run` takes the event `response.function_call_arguments.done`, or an item
 * of type `function_call`, and gives the event to send; after the last one send `{ type: 'response.create' }`.
 *
 * @example
 * send({ type: 'session.update', session: { type: 'realtime', tools: realtime.tools(phoneCall.tools) } });
 * if (event.type === 'response.done') for (const next of await realtime.runAll(phoneCall.tools, event)) send(next);
 */
export const realtime = {
  /** For `session.tools` of the event `session.update`. */
  tools: (toolbox: Toolbox): RealtimeTool[] =>
    toolbox.tools().map((tool) => ({
      type: 'function',
      name: tool.name,
      description: tool.description,
      parameters: toPortable(tool.parameters),
    })),

  /** Answers one function call: gives the event to send. It does not have the model go on. */
  run: async (toolbox: Toolbox, call: RealtimeToolCall, context: ToolCallContext = {}): Promise<RealtimeItemEvent> =>
    realtime.toResult(call, await toolbox.run(call.name, call.arguments, { ...context, toolCallId: call.call_id })),

  /**
   * Takes the event `response.done` and gives all events to send: the results, and a last one that has the model go
   * on. That is left out when the person interrupted the answer; calls that were cut off are not run.
   */
  runAll: async (
    toolbox: Toolbox,
    { response }: RealtimeResponseDone,
    context?: ToolCallContext,
  ): Promise<(RealtimeItemEvent | RealtimeCreateEvent)[]> => {
    const calls = (response.output ?? []).filter(isFunctionCallItem).filter(({ status }) => status !== 'incomplete');
    const items = await Promise.all(calls.map((call) => realtime.run(toolbox, call, context)));
    const goesOn = items.length > 0 && response.status !== 'cancelled';
    return goesOn ? [...items, { type: 'response.create' }] : items;
  },

  /** A result as the event to send, for a loop of your own. */
  toResult: ({ call_id = '' }: Pick<RealtimeToolCall, 'call_id'>, { text }: ToolResult): RealtimeItemEvent => ({
    type: 'conversation.item.create',
    item: { type: 'function_call_output', call_id, output: text },
  }),
};

const toFunction = ({ name, description, parameters }: ToolInfo, { strict = true }: OpenAIOptions) => ({
  name,
  description,
  parameters: strict ? toStrict(parameters) : toPortable(parameters),
  strict,
});

const isFunctionCall = (call: ChatMessageToolCall): call is ChatToolCall => call.function !== undefined;

const isFunctionCallItem = (item: OutputItem): item is OutputItem & FunctionCallItem => item.type === 'function_call';

/**
 * `runTools` gives a tool no call id; its own messages hold it. Two calls that are the same to the letter get the id of
 * the first, so that the work is done once.
 */
const toolCallIdIn = (runner: ChatRunner | undefined, name: string, args: string) =>
  runner?.messages
    .findLast((message) => message.tool_calls?.length)
    ?.tool_calls?.find((call) => call.function?.name === name && call.function.arguments === args)?.id;

/** For tools that a runner of the package calls by itself. */
export interface RunnableOptions extends OpenAIOptions {
  /** What every run of these tools has; the id of the tool call is added. */
  readonly context?: ToolCallContext;
}

/** What every API of OpenAI is told of a function. */
interface FunctionParts {
  name: string;
  description: string;
  parameters: DialectParameters;
  strict: boolean;
}

/** One of the `tools` of a chat completion. */
export interface ChatTool {
  type: 'function';
  function: FunctionParts;
}

/** What of an assistant's message is read. */
export interface ChatMessage {
  readonly role: string;
  readonly tool_calls?: readonly ChatMessageToolCall[] | null | undefined;
}

/** A tool call of an assistant's message; one without `function` is of a kind that the application runs. */
export interface ChatMessageToolCall {
  readonly id: string;
  readonly function?: ChatToolCall['function'];
}

/** A call of a function. */
export interface ChatToolCall {
  readonly id: string;
  /** `arguments` is JSON text as the model wrote it, unchecked. */
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The answer to one tool call, to be sent after the assistant's message that holds it. */
export interface ChatToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** What of the runner of `runTools` is read. */
export interface ChatRunner {
  readonly messages: readonly ChatMessage[];
  readonly controller?: { readonly signal: AbortSignal };
}

/** A tool that `runTools` calls by itself. */
export interface ChatRunnableTool {
  type: 'function';
  function: FunctionParts & { function: (args: string, runner?: ChatRunner) => Promise<string> };
}

/** One of the `tools` of a response. */
export interface ResponsesTool extends FunctionParts {
  type: 'function';
}

/** What of an item of an answer is read. */
export interface OutputItem {
  readonly type?: string;
}

/** A function call among the `output` of a response. */
export interface FunctionCallItem {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  /** Of the Realtime API: `incomplete` when the person interrupted the call; then it is not run. */
  readonly status?: string;
}

/** The answer to one function call, an item of the next `input`. */
export interface FunctionCallOutput {
  type: 'function_call_output';
  call_id: string;
  output: string;
}

/** A tool with what the package's `ResponsesToolRunner` calls for it. */
export interface ResponsesRunnableTool {
  tool: ResponsesTool;
  execute: (args: object, running?: { readonly signal?: AbortSignal | undefined }) => Promise<string>;
}

/** One of the `tools` of a session. */
export interface RealtimeTool {
  type: 'function';
  name: string;
  description: string;
  parameters: DialectParameters;
}

/** The event `response.function_call_arguments.done`, or an item of type `function_call`; what of it is read. */
export interface RealtimeToolCall {
  readonly call_id?: string;
  readonly name: string;
  readonly arguments: string;
}

/** The event `response.done`; what of it is read. */
export interface RealtimeResponseDone {
  readonly response: { readonly status?: string; readonly output?: readonly OutputItem[] };
}

/** The event that hands a result to the session. */
export interface RealtimeItemEvent {
  type: 'conversation.item.create';
  item: FunctionCallOutput;
}

/** The event that has the model go on, after the last result. */
export interface RealtimeCreateEvent {
  type: 'response.create';
}
