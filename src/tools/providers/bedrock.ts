/**
 * AWS Bedrock, the Converse API.
 *
 * `tools` is what the model is told, `run` answers one `toolUse` block, `runAll` a whole message: all results of a turn
 * belong into one user message. Neither throws for what a model sends or a tool does.
 */
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toGrammar, toPortable } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';

export interface BedrockOptions {
  /** Holds the model to the schema. Not every model can. @defaultValue false */
  readonly strict?: boolean;
}

/** For `toolConfig`. */
export const tools = (toolbox: Toolbox, { strict = false }: BedrockOptions = {}): BedrockToolConfig => ({
  tools: toolbox.tools().map(({ name, description, parameters }) => ({
    toolSpec: strict
      ? { name, description, inputSchema: toInputSchema(toGrammar(parameters)), strict }
      : { name, description, inputSchema: toInputSchema(toPortable(parameters)) },
  })),
});

export const run = async (
  toolbox: Toolbox,
  { toolUse }: BedrockToolUseBlock,
  context: ToolCallContext = {},
): Promise<BedrockToolResultBlock> => {
  const { name, input, toolUseId } = toolUse;
  return toResult({ toolUse }, await toolbox.run(name ?? '', input, { ...context, toolCallId: toolUseId }));
};

/** Runs every tool call of an answer at the same time. `undefined` when it has none. */
export const runAll = async (
  toolbox: Toolbox,
  { content }: { readonly content: readonly BedrockContentBlock[] | undefined },
  context?: ToolCallContext,
): Promise<BedrockToolResultMessage | undefined> => {
  const calls = (content ?? []).flatMap(({ toolUse }) => (toolUse ? [{ toolUse }] : []));
  if (calls.length === 0) return undefined;
  return { role: 'user', content: await Promise.all(calls.map((call) => run(toolbox, call, context))) };
};

/** `status` is left out for what went well: not every model takes it. */
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

export interface BedrockToolConfig {
  tools: { toolSpec: BedrockToolSpec }[];
}

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

export interface BedrockToolUseBlock {
  readonly toolUse: {
    readonly toolUseId: string | undefined;
    readonly name: string | undefined;
    readonly input: unknown;
  };
}

export interface BedrockToolResultBlock {
  toolResult: { toolUseId: string; content: { text: string }[]; status?: 'error' };
}

export interface BedrockToolResultMessage {
  role: 'user';
  content: BedrockToolResultBlock[];
}
