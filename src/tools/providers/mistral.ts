/**
 * Mistral, `chat.complete`, with the names of its JavaScript package.
 *
 * `tools` is what the model is told, `run` answers one tool call, `runAll` all of a message. Neither throws for what a
 * model sends or a tool does. There is no flag for errors.
 */
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toPortable, toStrict } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';

export interface MistralOptions {
  /** Holds the model to the schema. Arguments are checked either way. @defaultValue false */
  readonly strict?: boolean;
}

export const tools = (toolbox: Toolbox, { strict = false }: MistralOptions = {}): MistralTool[] =>
  toolbox.tools().map(({ name, description, parameters }) => ({
    type: 'function',
    function: strict
      ? { name, description, parameters: toStrict(parameters), strict }
      : { name, description, parameters: toPortable(parameters) },
  }));

export const run = async (
  toolbox: Toolbox,
  call: MistralToolCall,
  context: ToolCallContext = {},
): Promise<MistralToolMessage> => {
  const { name, arguments: args } = call.function;
  return toResult(call, await toolbox.run(name, args, { ...context, toolCallId: call.id }));
};

/** One message per tool call, in their order. */
export const runAll = (
  toolbox: Toolbox,
  { toolCalls }: { readonly toolCalls?: readonly MistralToolCall[] | null | undefined },
  context?: ToolCallContext,
): Promise<MistralToolMessage[]> => Promise.all((toolCalls ?? []).map((call) => run(toolbox, call, context)));

export const toResult = (
  { id, function: { name } }: Pick<MistralToolCall, 'id' | 'function'>,
  { text }: ToolResult,
): MistralToolMessage => ({ role: 'tool', ...(id !== undefined && { toolCallId: id }), name, content: text });

export interface MistralTool {
  type: 'function';
  function: { name: string; description: string; parameters: DialectParameters; strict?: boolean };
}

export interface MistralToolCall {
  readonly id?: string | undefined;
  readonly function: {
    readonly name: string;
    /** JSON as text, or the object itself. */
    readonly arguments: string | object;
  };
}

export interface MistralToolMessage {
  role: 'tool';
  toolCallId?: string;
  name: string;
  content: string;
}
