/**
 * Anthropic: the Messages API and its tool runner.
 *
 * `tools` is what the model is told, `run` answers one `tool_use` block, `runAll` a whole message: all results of a
 * turn belong into one user message. Neither throws for what a model sends or a tool does.
 */
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toGrammar, toPortable } from '../dialects.ts';
import type { PropertySchema } from '../json-schema.ts';
import type { ToolResult } from '../result.ts';
import type { ToolEffect, ToolInfo } from '../tool.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';

export interface AnthropicOptions {
  /**
   * The model is held to the schema, for as many tools as one request allows: payments first, then writes, then reads.
   * @defaultValue true
   */
  readonly strict?: boolean;
}

export const tools = (toolbox: Toolbox, { strict = true }: AnthropicOptions = {}): AnthropicTool[] => {
  const held = strict ? withinStrictLimits(toolbox.tools()) : new Set<string>();
  return toolbox.tools().map(({ name, description, parameters }) => ({
    name,
    description,
    ...(held.has(name)
      ? { input_schema: toGrammar(parameters), strict: true }
      : { input_schema: toPortable(parameters) }),
  }));
};

export const run = async (
  toolbox: Toolbox,
  call: ToolUseBlock,
  context: ToolCallContext = {},
): Promise<ToolResultBlock> =>
  toResult(call, await toolbox.run(call.name, call.input, { ...context, toolCallId: call.id }));

/** Runs every tool call of an answer at the same time. `undefined` when it has none. */
export const runAll = async (
  toolbox: Toolbox,
  { content }: { readonly content: readonly ContentBlock[] },
  context?: ToolCallContext,
): Promise<ToolResultMessage | undefined> => {
  const calls = content.filter(isToolUse);
  if (calls.length === 0) return undefined;
  return { role: 'user', content: await Promise.all(calls.map((call) => run(toolbox, call, context))) };
};

export const toResult = ({ id }: Pick<ToolUseBlock, 'id'>, result: ToolResult): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: result.text,
  ...(isErrorResult(result) && { is_error: true }),
});

export interface RunnableOptions extends AnthropicOptions {
  /** What every run of these tools has; the id of the tool call is added. */
  readonly context?: ToolCallContext;
  /**
   * The class of this name from `@anthropic-ai/sdk/lib/tools/ToolError`: with it failures carry the error flag,
   * which the runner sets for nothing else.
   */
  readonly ToolError?: new (
    content: string,
  ) => Error;
}

/**
 * For `client.beta.messages.toolRunner({ tools: runnable(toolbox) })`, which then runs the tools itself.
 * With its `runToolsEagerly`, hold payments and writes back with `deferToolCall`.
 */
export const runnable = (
  toolbox: Toolbox,
  { context, ToolError, ...options }: RunnableOptions = {},
): AnthropicRunnableTool[] =>
  tools(toolbox, options).map((tool) => ({
    ...tool,
    parse: (input) => input,
    run: async (input, running) => {
      const own = { toolCallId: running?.toolUse.id, signal: running?.signal ?? undefined };
      const result = await toolbox.run(tool.name, input, { ...own, ...context });
      if (ToolError && isErrorResult(result)) throw new ToolError(result.text);
      return result.text;
    },
  }));

/** What one request allows in strict mode: https://docs.claude.com/en/docs/build-with-claude/structured-outputs */
const strictTools = 20;
const strictOptionalParameters = 24;

const mostDangerousFirst: readonly ToolEffect[] = ['payment', 'write', 'read'];

const withinStrictLimits = (infos: readonly ToolInfo[]): ReadonlySet<string> => {
  const names = new Set<string>();
  let optional = 0;
  for (const tool of infos.toSorted((a, b) => rank(a) - rank(b))) {
    const more = countOptional(tool.parameters);
    if (names.size >= strictTools || optional + more > strictOptionalParameters) continue;
    names.add(tool.name);
    optional += more;
  }
  return names;
};

const rank = ({ effect }: ToolInfo) => mostDangerousFirst.indexOf(effect);

const countOptional = ({ properties = {}, required = [], items, anyOf = [] }: PropertySchema): number => {
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf];
  const own = Object.keys(properties).length - required.length;
  return inner.reduce((sum, schema) => sum + countOptional(schema), own);
};

const isToolUse = (block: ContentBlock): block is ContentBlock & ToolUseBlock => block.type === 'tool_use';

export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: DialectParameters;
  strict?: boolean;
}

export interface AnthropicRunnableTool extends AnthropicTool {
  parse: (input: unknown) => unknown;
  run: (input: unknown, running?: AnthropicToolRun) => Promise<string>;
}

/** What the runner says about a tool call. */
export interface AnthropicToolRun {
  readonly toolUse: { readonly id: string };
  readonly signal?: AbortSignal | null | undefined;
}

/** What of a block of an answer is read. */
export interface ContentBlock {
  readonly type: string;
}

export interface ToolUseBlock {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: boolean;
}

export interface ToolResultMessage {
  role: 'user';
  content: ToolResultBlock[];
}
