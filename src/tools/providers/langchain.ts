/**
 * LangChain: tools for `createAgent`, `bindTools` and LangGraph.
 *
 * @module
 */
import { isJsonObject } from '../../stores/ports/json.ts';
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { toPortable } from '../dialects.ts';
import { cutReasonOf } from '../finish-reason.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { seenIn } from './has-answered.ts';
import { createMessageRunner, isErrorResult, unchecked } from './target.ts';

/** The functions of LangChain's own package that make the tools and their answers. */
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
  /** The context of every run. The id of the tool call and LangChain's signal are added; either signal cancels. */
  readonly context?: ToolCallContext | undefined;
}

/** The part of the second argument of a tool that is used. */
interface Config {
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The state of an agent, or the messages themselves in a graph of messages. */
  readonly state?: { readonly messages?: readonly StateMessage[] | undefined } | readonly StateMessage[] | undefined;
}

/** A message in the state of an agent. */
interface StateMessage {
  readonly type: string;
  readonly id?: string | undefined;
  readonly content?: unknown;
  /** The metadata in which each provider says why the model stopped, in its own words. */
  readonly response_metadata?: object | undefined;
  readonly additional_kwargs?: object | undefined;
}

/** The fields of a `ToolMessage`. */
interface ToolMessageFields {
  type: 'tool';
  name: string;
  tool_call_id: string;
  content: string;
  status: 'success' | 'error';
}

/** The part of an `AIMessage` that is read. */
interface Answer extends Pick<StateMessage, 'response_metadata' | 'additional_kwargs'> {
  readonly tool_calls?: readonly ToolCall[] | undefined;
}

/** One of the `tool_calls` of an answer. */
interface ToolCall {
  readonly id?: string | undefined;
  readonly name: string;
  readonly args?: unknown;
}

/**
 * LangChain itself checks no arguments: what it says about wrong ones repeats them to the model together with a stack
 * trace. It also repairs a tool call that the token limit cut. An agent's tools see that in its state, and don't run.
 *
 * For a loop of your own, `runAll` takes an answer and returns the fields of its `ToolMessage`s. `run` takes one tool
 * call, and can't see whether it was cut.
 *
 * @example
 * import { createAgent, tool, ToolMessage } from 'langchain';
 * const agent = createAgent({ model, tools: langchain.tools(toolbox, { tool, ToolMessage }) });
 */
export const langchain = {
  /** Native tools. */
  tools: <Made, Message>(
    from: WithTools,
    { tool, ToolMessage, context = {} }: LangChainOptions<Made, Message>,
  ): Made[] =>
    toolboxOf(from, 'langchain.tools')
      .tools()
      .map(({ name, description, parameters }) =>
        tool(
          async (args, config) => {
            const call = { id: config?.toolCall?.id, name, args };
            const messages = messagesIn(config?.state);
            const finishReason = finishReasonIn(messages.findLast(({ type }) => type === 'ai'));
            const own = { signal: config?.signal, ...seenIn(messages.map(toSaid)), finishReason };
            return new ToolMessage(await langchain.run(toolboxOf(from), call, mergeContexts(context, own)));
          },
          { name, description, schema: unchecked(toPortable(parameters)) },
        ),
      ),

  ...createMessageRunner({
    readCall: ({ id, name, args }: ToolCall) => ({ name, args, toolCallId: id }),
    toResult: ({ id = '', name }, result): ToolMessageFields => ({
      type: 'tool',
      name,
      tool_call_id: id,
      content: result.text,
      status: isErrorResult(result) ? 'error' : 'success',
    }),
    callsIn: ({ tool_calls }: Answer) => tool_calls ?? [],
    finishReasonOf: (answer) => finishReasonIn(answer),
    toReply: (fields) => fields,
  }),
};

/** A graph of messages has nothing else in its state. */
const messagesIn = (state: Config['state']): readonly StateMessage[] =>
  (state && 'messages' in state ? state.messages : Array.isArray(state) ? state : []) ?? [];

/** Each integration of LangChain keeps its provider's word, at its provider's place. */
const finishReasonIn = (answer: Pick<StateMessage, 'response_metadata' | 'additional_kwargs'> = {}) =>
  cutReasonOf(...[answer.response_metadata, answer.additional_kwargs].flatMap(reasonsIn));

const reasonsIn = (metadata: unknown): readonly unknown[] => {
  if (!isJsonObject(metadata)) return [];
  const { incomplete_details, messageStop } = metadata;
  return [...reasonNames.map((name) => metadata[name]), ...[incomplete_details, messageStop].flatMap(reasonsIn)];
};

const reasonNames = ['finish_reason', 'finishReason', 'stop_reason', 'stopReason', 'done_reason', 'status', 'reason'];

const toSaid = ({ type, ...message }: StateMessage) => ({ ...message, role: type === 'human' ? 'user' : type });
