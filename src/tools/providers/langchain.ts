/**
 * LangChain: tools for `createAgent`, `bindTools` and LangGraph.
 *
 * @module
 */
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { toPortable } from '../dialects.ts';
import type { Toolbox } from '../toolbox.ts';
import { createCallRunner, exchangeOf, isErrorResult, unchecked } from './target.ts';

/** What LangChain's own package makes the tools and their answers with. */
export interface LangChainOptions<Made, Message> {
  /** `tool` of `@langchain/core/tools` or `langchain`. */
  readonly tool: (
    execute: (args: unknown, config?: Config) => Promise<Message>,
    definition: { name: string; description: string; schema: ReturnType<typeof unchecked> },
  ) => Made;
  /** `ToolMessage` of the same package, with which failures carry their status. */
  readonly ToolMessage: new (
    fields: ToolMessageFields,
  ) => Message;
  /** What every run of these tools has; the id of the tool call and LangChain's signal are added: either signal cancels. */
  readonly context?: ToolCallContext | undefined;
}

/** What of the second argument of a tool is used. */
interface Config {
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** That of an agent. */
  readonly state?: { readonly messages?: readonly StateMessage[] | undefined } | undefined;
}

/** A message in the state of an agent. */
interface StateMessage {
  readonly type: string;
  readonly content?: unknown;
}

/** The fields of a `ToolMessage`. */
interface ToolMessageFields {
  type: 'tool';
  name: string;
  tool_call_id: string;
  content: string;
  status: 'success' | 'error';
}

/** One of the `tool_calls` of an answer. */
interface ToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args?: unknown;
}

/**
 * LangChain itself checks no arguments: what it says about wrong ones repeats them to the model together with a stack
 * trace. For a loop of your own, `run` gives the fields of a `ToolMessage`.
 *
 * @example
 * import { createAgent, tool, ToolMessage } from 'langchain';
 * const agent = createAgent({ model, tools: langchain.tools(toolbox, { tool, ToolMessage }) });
 */
export const langchain = {
  /** Native tools. */
  tools: <Made, Message>(
    toolbox: Toolbox,
    { tool, ToolMessage, context = {} }: LangChainOptions<Made, Message>,
  ): Made[] =>
    toolbox.tools().map(({ name, description, parameters }) =>
      tool(
        async (args, config) => {
          const call = { id: config?.toolCall?.id, name, args };
          const own = { signal: config?.signal, exchange: exchangeOf((config?.state?.messages ?? []).map(toSaid)) };
          return new ToolMessage(await langchain.run(toolbox, call, mergeContexts(context, own)));
        },
        { name, description, schema: unchecked(toPortable(parameters)) },
      ),
    ),

  ...createCallRunner({
    readCall: ({ id, name, args }: ToolCall) => ({ name, args, toolCallId: id }),
    toResult: ({ id = '', name }, result): ToolMessageFields => ({
      type: 'tool',
      name,
      tool_call_id: id,
      content: result.text,
      status: isErrorResult(result) ? 'error' : 'success',
    }),
  }),
};

const toSaid = ({ type, content }: StateMessage) => ({ role: type === 'human' ? 'user' : type, content });
