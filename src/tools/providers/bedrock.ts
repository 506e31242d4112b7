/**
 * AWS Bedrock, the Converse API.
 *
 * `tools` is what the model is told, `run` answers one `toolUse` block, `runAll` a whole message: all results of a turn
 * belong into one user message. Neither throws for what a model sends or a tool does.
 *
 * @module
 */
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toGrammar, toPortable } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';

/** How tools are described to the model. */
export interface BedrockOptions {
  /** Holds the model to the schema. Not every model can. @defaultValue false */
  readonly strict?: boolean;
}

/**
 * For `toolConfig`.
 *
 * @example
 * const command = new ConverseCommand({ modelId, messages, toolConfig: bedrock.tools(toolbox) });
 */
export const tools = (toolbox: Toolbox, { strict = false }: BedrockOptions = {}): BedrockToolConfig => ({
  tools: toolbox.tools().map(({ name, description, parameters }) => ({
    toolSpec: strict
      ? { name, description, inputSchema: toInputSchema(toGrammar(parameters)), strict }
      : { name, description, inputSchema: toInputSchema(toPortable(parameters)) },
  })),
});

/**
 * Answers one `toolUse` block. All results of a turn belong into one user message: {@link runAll} makes it.
 *
 * @example
 * const block = await bedrock.run(toolbox, { toolUse });
 * messages.push({ role: 'user', content: [block] });
 */
export const run = async (
  toolbox: Toolbox,
  { toolUse }: BedrockToolUseBlock,
  context: ToolCallContext = {},
): Promise<BedrockToolResultBlock> => {
  const { name, input, toolUseId } = toolUse;
  return toResult({ toolUse }, await toolbox.run(name ?? '', input, { ...context, toolCallId: toolUseId }));
};

/**
 * Runs every tool call of an answer at the same time. `undefined` when it has none.
 *
 * @example
 * const { output } = await client.send(command);
 * const results = await bedrock.runAll(toolbox, output.message);
 * if (results) messages.push(output.message, results);
 */
export const runAll = async (
  toolbox: Toolbox,
  { content }: { readonly content: readonly BedrockContentBlock[] | undefined },
  context?: ToolCallContext,
): Promise<BedrockToolResultMessage | undefined> => {
  const calls = (content ?? []).flatMap(({ toolUse }) => (toolUse ? [{ toolUse }] : []));
  if (calls.length === 0) return undefined;
  return { role: 'user', content: await Promise.all(calls.map((call) => run(toolbox, call, context))) };
};

/**
 * `status` is left out for what went well: not every model takes it.
 *
 * @example
 * const result = await toolbox.run(toolUse.name, toolUse.input, { toolCallId: toolUse.toolUseId });
 * const block = bedrock.toResult({ toolUse }, result);
 */
export const toResult = ({ toolUse }: BedrockToolUseBlock, result: ToolResult): BedrockToolResultBlock => ({
  toolResult: {
    toolUseId: toolUse.toolUseId ?? '',
    content: [{ text: result.text }],
    ...(isErrorResult(result) && { status: 'error' }),
  },
});

// A schema is JSON, whatever its type says.
const toInputSchema = (parameters: DialectParameters) => ({ json: parameters as BedrockDocument });

/** JSON, as the types of the AWS packages say it. */
export type BedrockDocument =
  | null
  | boolean
  | number
  | string
  | BedrockDocument[]
  | { [name: string]: BedrockDocument };

/** The `toolConfig` of a request. */
export interface BedrockToolConfig {
  tools: { toolSpec: BedrockToolSpec }[];
}

/** A tool as the Converse API is told of it. */
export interface BedrockToolSpec {
  name: string;
  description: string;
  inputSchema: { json: BedrockDocument };
  strict?: boolean;
}

/** What of a block of an answer is read. */
export interface BedrockContentBlock {
  readonly toolUse?: BedrockToolUseBlock['toolUse'];
}

/** A tool call among the `content` of an answer. */
export interface BedrockToolUseBlock {
  readonly toolUse: {
    readonly toolUseId: string | undefined;
    readonly name: string | undefined;
    readonly input: unknown;
  };
}

/** The answer to one tool call. */
export interface BedrockToolResultBlock {
  toolResult: { toolUseId: string; content: { text: string }[]; status?: 'error' };
}

/** All answers of a turn, the next of the `messages`. */
export interface BedrockToolResultMessage {
  role: 'user';
  content: BedrockToolResultBlock[];
}
