/**
 * Google Gemini: `generateContent` and the Live API.
 *
 * Each has `tools` (what the model is told), `run` (one function call) and `toResult` (a result in its shape). Neither
 * throws for what a model sends or a tool does. Gemini has no strict mode, and may send calls without an id.
 *
 * @module
 */
import { quietly } from '../../observability/quietly.ts';
import { mergeContexts } from '../bound-context.ts';
import type { ToolCallContext } from '../context.ts';
import { toOpenApi } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { ToolInfo } from '../tool.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';

/**
 * `models.generateContent` and chats.
 *
 * @example
 * const config = { tools: generateContent.tools(toolbox) };
 * const response = await ai.models.generateContent({ model, contents, config });
 * const results = await generateContent.runAll(toolbox, response);
 * if (results) contents.push(response.candidates[0].content, results);
 */
export const generateContent = {
  /** For `config.tools`. */
  tools: (toolbox: Toolbox): GeminiTool[] => [{ functionDeclarations: toolbox.tools().map(toDeclaration) }],

  /** Answers one function call. */
  run: async (toolbox: Toolbox, call: GeminiFunctionCall, context: ToolCallContext = {}): Promise<GeminiPart> =>
    generateContent.toResult(call, await runCall(toolbox, call, context)),

  /** Runs every function call of an answer at the same time. `undefined` when it has none. */
  runAll: async (
    toolbox: Toolbox,
    { functionCalls = [] }: { readonly functionCalls?: readonly GeminiFunctionCall[] | undefined },
    context?: ToolCallContext,
  ): Promise<GeminiContent | undefined> => {
    if (functionCalls.length === 0) return undefined;
    const parts = await Promise.all(functionCalls.map((call) => generateContent.run(toolbox, call, context)));
    return { role: 'user', parts };
  },

  /** A result as a part, for a loop of your own. */
  toResult: (call: GeminiFunctionCall, result: ToolResult): GeminiPart => ({
    functionResponse: toFunctionResponse(call, result),
  }),

  /** For `config.tools: [callable(toolbox)]`: the package then runs the tools itself. */
  callable: (toolbox: Toolbox, context?: ToolCallContext): GeminiCallableTool => ({
    tool: async () => ({ functionDeclarations: toolbox.tools().map(toDeclaration) }),
    callTool: (calls) => Promise.all(calls.map((call) => generateContent.run(toolbox, call, context))),
  }),
};

/**
 * The Live API. `createHandler` does all of it.
 *
 * @example
 * const handle = live.createHandler(phoneCall.tools, (responses) => session.sendToolResponse(responses));
 * const config = { tools: live.tools(phoneCall.tools) };
 * const session = await ai.live.connect({ model, config, callbacks: { onmessage: handle } });
 */
export const live = {
  /** For `config.tools` of `live.connect`. */
  tools: <Behavior extends string = never>(
    toolbox: Toolbox,
    { readBehavior }: LiveOptions<Behavior> = {},
  ): LiveTool<Behavior>[] => [
    {
      functionDeclarations: toolbox.tools().map((tool) => ({
        ...toDeclaration(tool),
        ...(readBehavior && tool.effect === 'read' && { behavior: readBehavior }),
      })),
    },
  ],

  /** Answers one function call: gives one of the `functionResponses` to send. */
  run: async (
    toolbox: Toolbox,
    call: GeminiFunctionCall,
    context: ToolCallContext = {},
  ): Promise<GeminiFunctionResponse> => live.toResult(call, await runCall(toolbox, call, context)),

  /** One of the `functionResponses` of `session.sendToolResponse`. */
  toResult: (call: GeminiFunctionCall, result: ToolResult): GeminiFunctionResponse => toFunctionResponse(call, result),

  /**
   * Makes the handler of one session's messages: give it every message. It runs the calls, sends their results
   * together, runs a call that is delivered twice once, and takes back what the API cancels. A cancelled call gets no
   * response; a payment that was already sent goes on, see `onSettled` of the context. The handler never rejects.
   *
   * @example
   * const handle = live.createHandler(phoneCall.tools, (responses) => session.sendToolResponse(responses));
   * const session = await ai.live.connect({ model, config: { tools: live.tools(phoneCall.tools) }, callbacks: { onmessage: handle } });
   */
  createHandler: (
    toolbox: Toolbox,
    send: (responses: LiveToolResponses) => void,
    context: ToolCallContext = {},
  ): ((message: LiveMessage) => Promise<void>) => {
    const calls = new Map<string, AbortController>();

    const runOnce = async (call: GeminiFunctionCall): Promise<readonly GeminiFunctionResponse[]> => {
      const cancellation = new AbortController();
      if (call.id !== undefined) {
        if (calls.has(call.id)) return [];
        calls.set(call.id, cancellation);
      }
      const response = await live.run(toolbox, call, mergeContexts(context, { signal: cancellation.signal }));
      return cancellation.signal.aborted ? [] : [response];
    };

    return async ({ toolCall, toolCallCancellation }) => {
      for (const id of toolCallCancellation?.ids ?? []) calls.get(id)?.abort();
      const responses = await Promise.all((toolCall?.functionCalls ?? []).map(runOnce));
      // The person may have hung up in the meantime: a session that is closed needs no response.
      if (responses.flat().length > 0) quietly(() => send({ functionResponses: responses.flat() }));
    };
  },
};

/** Whether a model of the Live API waits for a tool. */
export interface LiveOptions<Behavior extends string> {
  /**
   * `Behavior.NON_BLOCKING` of `@google/genai` lets the model talk on during a look-up. Writes and payments always make
   * it wait, so that it does not speak of what has not happened yet.
   */
  readonly readBehavior?: Behavior;
}

const toDeclaration = ({ name, description, parameters }: ToolInfo): GeminiFunctionDeclaration => {
  const schema = toOpenApi(parameters);
  return { name, description, ...(schema && { parameters: schema }) };
};

const runCall = (toolbox: Toolbox, { id, name = '', args }: GeminiFunctionCall, context: ToolCallContext) =>
  toolbox.run(name, args, { ...context, toolCallId: id });

/** The id where the call has one; else the name is what they are matched by. */
const toFunctionResponse = ({ id, name }: GeminiFunctionCall, result: ToolResult): GeminiFunctionResponse => ({
  ...(id !== undefined && { id }),
  ...(name !== undefined && { name }),
  response: isErrorResult(result) ? { error: result.value } : { output: result.value },
});

/** A tool as Gemini is told of it. */
export interface GeminiFunctionDeclaration {
  name: string;
  description: string;
  /** A `Schema` of the API; left out for a tool without parameters. */
  parameters?: object;
}

/** All tools, as one of `config.tools`. */
export interface GeminiTool {
  functionDeclarations: GeminiFunctionDeclaration[];
}

/** All tools of a session of the Live API, as one of `config.tools`. */
export interface LiveTool<Behavior extends string> {
  functionDeclarations: (GeminiFunctionDeclaration & { behavior?: Behavior })[];
}

/** A function call as Gemini sends it; it may have no id. */
export interface GeminiFunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: object;
}

/** The answer to one call: `response` holds `output`, or `error` for what is no success. */
export interface GeminiFunctionResponse {
  id?: string;
  name?: string;
  response: Record<string, unknown>;
}

/** An answer as a part of a content. */
export interface GeminiPart {
  functionResponse: GeminiFunctionResponse;
}

/** All answers of a turn, the next of the `contents`. */
export interface GeminiContent {
  role: 'user';
  parts: GeminiPart[];
}

/** A `CallableTool` of `@google/genai`. */
export interface GeminiCallableTool {
  tool: () => Promise<GeminiTool>;
  callTool: (calls: readonly GeminiFunctionCall[]) => Promise<GeminiPart[]>;
}

/** What of a message of the server is read. */
export interface LiveMessage {
  readonly toolCall?: { readonly functionCalls?: readonly GeminiFunctionCall[] };
  readonly toolCallCancellation?: { readonly ids?: readonly string[] };
}

/** What `session.sendToolResponse` takes. */
export interface LiveToolResponses {
  functionResponses: GeminiFunctionResponse[];
}
