/**
 * LangChain: tools for `createAgent`, `bindTools` and LangGraph.
 *
 * `tools` makes native tools with the package's own `tool`; `run` answers one tool call of a loop of your own.
 *
 * @module
 */
import { mergeContexts } from '../bound-context.ts';
import type { ToolCallContext } from '../context.ts';
import { toPortable } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';
import { type UncheckedSchema, unchecked } from './unchecked-schema.ts';

/** What LangChain's own package makes the tools and their answers with. */
export interface LangChainOptions<Made, Message> {
  /** `tool` of `@langchain/core/tools` or `langchain`. */
  readonly tool: (execute: LangChainExecute<Message>, definition: LangChainDefinition) => Made;
  /** `ToolMessage` of the same package, with which failures carry their status. */
  readonly ToolMessage: new (
    fields: LangChainToolMessage,
  ) => Message;
  /** What every run of these tools has; the id of the tool call and LangChain's signal are added: either signal cancels. */
  readonly context?: ToolCallContext;
}

/**
 * Native tools. LangChain itself checks no arguments: what it says about wrong ones repeats them to the model together
 * with a stack trace.
 *
 * @example
 * import { createAgent, tool, ToolMessage } from 'langchain';
 * const agent = createAgent({ model, tools: langchain.tools(toolbox, { tool, ToolMessage }) });
 */
export const tools = <Made, Message>(
  toolbox: Toolbox,
  { tool, ToolMessage, context = {} }: LangChainOptions<Made, Message>,
): Made[] =>
  toolbox.tools().map(({ name, description, parameters }) =>
    tool(
      async (args, config) => {
        const call = { id: config?.toolCall?.id, name, args };
        return new ToolMessage(await run(toolbox, call, mergeContexts(context, { signal: config?.signal })));
      },
      { name, description, schema: unchecked(toPortable(parameters)) },
    ),
  );

/**
 * Gives the fields of a `ToolMessage`.
 *
 * @example
 * for (const call of answer.tool_calls) messages.push(new ToolMessage(await langchain.run(toolbox, call)));
 */
export const run = async (
  toolbox: Toolbox,
  call: LangChainToolCall,
  context: ToolCallContext = {},
): Promise<LangChainToolMessage> =>
  toResult(call, await toolbox.run(call.name, call.args, { ...context, toolCallId: call.id }));

/**
 * A result as the fields of a `ToolMessage`, for a loop of your own. What is no success has the status `error`.
 *
 * @example
 * const result = await toolbox.run(call.name, call.args, { toolCallId: call.id });
 * messages.push(new ToolMessage(langchain.toResult(call, result)));
 */
export const toResult = (
  { id = '', name }: Pick<LangChainToolCall, 'id' | 'name'>,
  result: ToolResult,
): LangChainToolMessage => ({
  type: 'tool',
  name,
  tool_call_id: id,
  content: result.text,
  status: isErrorResult(result) ? 'error' : 'success',
});

/** What a tool does when LangChain calls it. */
export type LangChainExecute<Message> = (args: unknown, config?: LangChainRun) => Promise<Message>;

/** What of the second argument of a tool is used. */
export interface LangChainRun {
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A tool as `tool` is told of it. `schema` describes the arguments and lets all through. */
export interface LangChainDefinition {
  name: string;
  description: string;
  schema: UncheckedSchema;
}

/** One of the `tool_calls` of an answer. */
export interface LangChainToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args?: unknown;
}

/** The fields of a `ToolMessage`. */
export interface LangChainToolMessage {
  type: 'tool';
  name: string;
  tool_call_id: string;
  content: string;
  status: 'success' | 'error';
}
