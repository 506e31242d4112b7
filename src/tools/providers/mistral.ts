/**
 * Mistral, `chat.complete`, with the names of its JavaScript package.
 *
 * `tools` is what the model is told, `run` answers one tool call, `runAll` all of a message. Neither throws for what a
 * model sends or a tool does. There is no flag for errors.
 *
 * @module
 */
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toPortable, toStrict } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';

/** How tools are described to the model. */
export interface MistralOptions {
  /** Holds the model to the schema. Arguments are checked either way. @defaultValue false */
  readonly strict?: boolean;
}

/**
 * For `tools` of a request.
 *
 * @example
 * const { choices } = await client.chat.complete({ model, messages, tools: mistral.tools(toolbox) });
 */
export const tools = (toolbox: Toolbox, { strict = false }: MistralOptions = {}): MistralTool[] =>
  toolbox.tools().map(({ name, description, parameters }) => ({
    type: 'function',
    function: strict
      ? { name, description, parameters: toStrict(parameters), strict }
      : { name, description, parameters: toPortable(parameters) },
  }));

/**
 * Answers one tool call.
 *
 * @example
 * messages.push(await mistral.run(toolbox, toolCall));
 */
export const run = async (
  toolbox: Toolbox,
  call: MistralToolCall,
  context: ToolCallContext = {},
): Promise<MistralToolMessage> => {
  const { name, arguments: args } = call.function;
  return toResult(call, await toolbox.run(name, args, { ...context, toolCallId: call.id }));
};

/**
 * One message per tool call, in their order.
 *
 * @example
 * messages.push(choices[0].message, ...(await mistral.runAll(toolbox, choices[0].message)));
 */
export const runAll = (
  toolbox: Toolbox,
  { toolCalls }: { readonly toolCalls?: readonly MistralToolCall[] | null | undefined },
  context?: ToolCallContext,
): Promise<MistralToolMessage[]> => Promise.all((toolCalls ?? []).map((call) => run(toolbox, call, context)));

/**
 * A result as a message, for a loop of your own.
 *
 * @example
 * const { name, arguments: args } = toolCall.function;
 * messages.push(mistral.toResult(toolCall, await toolbox.run(name, args, { toolCallId: toolCall.id })));
 */
export const toResult = (
  { id, function: { name } }: Pick<MistralToolCall, 'id' | 'function'>,
  { text }: ToolResult,
): MistralToolMessage => ({ role: 'tool', ...(id !== undefined && { toolCallId: id }), name, content: text });

/** One of the `tools` of a request. */
export interface MistralTool {
  type: 'function';
  function: { name: string; description: string; parameters: DialectParameters; strict?: boolean };
}

/** A tool call of an answer. */
export interface MistralToolCall {
  readonly id?: string | undefined;
  readonly function: {
    readonly name: string;
    /** JSON as text, or the object itself. */
    readonly arguments: string | object;
  };
}

/** The answer to one tool call, the next of the `messages`. */
export interface MistralToolMessage {
  role: 'tool';
  toolCallId?: string;
  name: string;
  content: string;
}
