/**
 * Anthropic: the Messages API and its tool runner.
 *
 * `tools` is what the model is told, `run` answers one `tool_use` block, `runAll` a whole message: all results of a
 * turn belong into one user message. Neither throws for what a model sends or a tool does.
 *
 * @module
 */
import { mergeContexts } from '../bound-context.ts';
import type { ToolCallContext } from '../context.ts';
import { type DialectParameters, toGrammar, toPortable } from '../dialects.ts';
import type { PropertySchema } from '../json-schema.ts';
import type { ToolResult } from '../result.ts';
import type { ToolEffect, ToolInfo } from '../tool.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';

/** Which tools the model is held to the schema of. */
export interface AnthropicOptions {
  /**
   * Which tools the model is held to the schema of: payments; all (`true`), as far as one request allows it, payments
   * first, then writes; or none. One grammar is compiled for all of them, and a request with too large a one is
   * refused, by some models from seven tools on: https://github.com/anthropics/anthropic-sdk-typescript/issues/885
   * Arguments are checked either way.
   * @defaultValue 'payments'
   */
  readonly strict?: boolean | 'payments';
}

/**
 * For `tools` of a request. Which of them are strict: {@link AnthropicOptions}.
 *
 * @example
 * const message = await client.messages.create({ model, max_tokens, messages, tools: anthropic.tools(toolbox) });
 */
export const tools = (toolbox: Toolbox, { strict = 'payments' }: AnthropicOptions = {}): AnthropicTool[] => {
  const wanted = strict === 'payments' ? toolbox.tools().filter(isPayment) : strict ? toolbox.tools() : [];
  const held = withinStrictLimits(wanted);
  return toolbox.tools().map(({ name, description, parameters }) => ({
    name,
    description,
    ...(held.has(name)
      ? { input_schema: toGrammar(parameters), strict: true }
      : { input_schema: toPortable(parameters) }),
  }));
};

/**
 * Answers one `tool_use` block. All results of a turn belong into one user message: {@link runAll} makes it.
 *
 * @example
 * const block = await anthropic.run(toolbox, toolUse);
 * messages.push({ role: 'user', content: [block] });
 */
export const run = async (
  toolbox: Toolbox,
  call: ToolUseBlock,
  context: ToolCallContext = {},
): Promise<ToolResultBlock> =>
  toResult(call, await toolbox.run(call.name, call.input, { ...context, toolCallId: call.id }));

/**
 * Runs every tool call of an answer at the same time. `undefined` when it has none.
 *
 * @example
 * messages.push({ role: 'assistant', content: message.content });
 * const results = await anthropic.runAll(toolbox, message);
 * if (results) messages.push(results);
 */
export const runAll = async (
  toolbox: Toolbox,
  { content }: { readonly content: readonly ContentBlock[] },
  context?: ToolCallContext,
): Promise<ToolResultMessage | undefined> => {
  const calls = content.filter(isToolUse);
  if (calls.length === 0) return undefined;
  return { role: 'user', content: await Promise.all(calls.map((call) => run(toolbox, call, context))) };
};

/**
 * A result as a block, for a loop of your own. What is no success has `is_error`.
 *
 * @example
 * const result = await toolbox.run(toolUse.name, toolUse.input, { toolCallId: toolUse.id });
 * const block = anthropic.toResult(toolUse, result);
 */
export const toResult = ({ id }: Pick<ToolUseBlock, 'id'>, result: ToolResult): ToolResultBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: result.text,
  ...(isErrorResult(result) && { is_error: true }),
});

/** For tools that the package's tool runner calls by itself. */
export interface RunnableOptions extends AnthropicOptions {
  /** What every run of these tools has; the id of the tool call and the runner's signal are added: either signal cancels. */
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
 *
 * @example
 * const tools = anthropic.runnable(phoneCall.tools);
 * const message = await client.beta.messages.toolRunner({ model, max_tokens, messages, tools });
 */
export const runnable = (
  toolbox: Toolbox,
  { context = {}, ToolError, ...options }: RunnableOptions = {},
): AnthropicRunnableTool[] =>
  tools(toolbox, options).map((tool) => ({
    ...tool,
    parse: (input) => input,
    run: async (input, running) => {
      const own = { toolCallId: running?.toolUse.id, signal: running?.signal ?? undefined };
      const result = await toolbox.run(tool.name, input, mergeContexts(context, own));
      if (ToolError && isErrorResult(result)) throw new ToolError(result.text);
      return result.text;
    },
  }));

/** What one request allows in strict mode: https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
const strictLimits = { tools: 20, optional: 24, unions: 16 };

const mostDangerousFirst: readonly ToolEffect[] = ['payment', 'write', 'read'];

const withinStrictLimits = (infos: readonly ToolInfo[]): ReadonlySet<string> => {
  const names = new Set<string>();
  let [optional, unions] = [0, 0];
  for (const { name, parameters } of infos.toSorted((a, b) => rank(a) - rank(b))) {
    const more = count(parameters);
    if (names.size >= strictLimits.tools) break;
    if (optional + more.optional > strictLimits.optional || unions + more.unions > strictLimits.unions) continue;
    names.add(name);
    optional += more.optional;
    unions += more.unions;
  }
  return names;
};

const isPayment = ({ effect }: ToolInfo) => effect === 'payment';

const rank = ({ effect }: ToolInfo) => mostDangerousFirst.indexOf(effect);

const count = ({ properties = {}, required = [], items, anyOf = [] }: PropertySchema): StrictCount => {
  const inner = [...Object.values(properties), ...(items ? [items] : []), ...anyOf].map(count);
  return {
    optional: inner.reduce((sum, { optional }) => sum + optional, Object.keys(properties).length - required.length),
    unions: inner.reduce((sum, { unions }) => sum + unions, anyOf.length > 0 ? 1 : 0),
  };
};

interface StrictCount {
  readonly optional: number;
  readonly unions: number;
}

const isToolUse = (block: ContentBlock): block is ContentBlock & ToolUseBlock => block.type === 'tool_use';

/** One of the `tools` of a request. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: DialectParameters;
  strict?: boolean;
}

/** A tool that the tool runner calls by itself. `parse` changes nothing: the toolbox checks. */
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

/** A tool call among the `content` of an answer. */
export interface ToolUseBlock {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The answer to one tool call. */
export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: boolean;
}

/** All answers of a turn, the next of the `messages`. */
export interface ToolResultMessage {
  role: 'user';
  content: ToolResultBlock[];
}
