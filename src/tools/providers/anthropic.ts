/**
 * Anthropic: the Messages API and its tool runner.
 *
 * @module
 */
import { oneOf } from '../../core/option-checks.ts';
import { mergeContexts, type ToolCallContext } from '../context.ts';
import { toGrammar, toPortable } from '../dialects.ts';
import type { PropertySchema } from '../tool.ts';
import type { ToolEffect, ToolInfo } from '../tool.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { createMessageRunner, isErrorResult } from './target.ts';

/** Options of the descriptions that the model gets. */
export interface AnthropicOptions {
  /**
   * Holds the model to the schema of these tools: payments; all (`true`), as far as one request allows it, payments
   * first, then writes; or none. One grammar is compiled for all of them, and a request with too large a one is
   * refused. Some models refuse seven tools: https://github.com/anthropics/anthropic-sdk-typescript/issues/885.
   * Arguments are checked either way.
   * @defaultValue 'payments'
   */
  readonly strict?: boolean | 'payments' | undefined;
}

/** For tools that the package's tool runner calls by itself. */
export interface AnthropicRunnableOptions extends AnthropicOptions {
  /** The context of every run. The id of the tool call and the runner's signal are added; either signal cancels. */
  readonly context?: ToolCallContext | undefined;
  /**
   * The class of this name from `@anthropic-ai/sdk/lib/tools/ToolError`: with it failures carry the error flag,
   * which the runner sets for nothing else.
   */
  readonly ToolError?: (new (content: string) => Error) | undefined;
}

/** The part of a block of an answer that is read. */
interface ContentBlock {
  readonly type: string;
}

/** The part of an answer that is read. */
interface Answer {
  readonly content: readonly ContentBlock[];
  readonly stop_reason?: string | null;
}

/** A tool call among the `content` of an answer. */
interface ToolUseBlock {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/**
 * All results of a turn belong into one user message: `runAll` makes it, `undefined` for an answer without tool calls.
 * Calls of an answer that the token limit cut aren't run.
 *
 * @example
 * const message = await client.messages.create({ model, max_tokens, messages, tools: anthropic.tools(toolbox) });
 * messages.push({ role: 'assistant', content: message.content });
 * const results = await anthropic.runAll(toolbox, message);
 * if (results) messages.push(results);
 */
export const anthropic = {
  /** For `tools` of a request. Which of them are strict: {@link AnthropicOptions}. */
  tools: (from: WithTools, { strict = 'payments' }: AnthropicOptions = {}) => {
    const toolbox = toolboxOf(from, 'anthropic.tools');
    oneOf(strict, 'strict', ['payments', true, false])();
    const wanted = strict === 'payments' ? toolbox.tools().filter(isPayment) : strict ? toolbox.tools() : [];
    const held = withinStrictLimits(wanted);
    return toolbox.tools().map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: held.has(name) ? toGrammar(parameters) : toPortable(parameters),
      strict: held.has(name),
    }));
  },

  ...createMessageRunner({
    readCall: ({ id, name, input }: ToolUseBlock) => ({ name, args: input, toolCallId: id }),
    toResult: ({ id }, result) => ({
      type: 'tool_result' as const,
      tool_use_id: id,
      content: result.text,
      is_error: isErrorResult(result),
    }),
    callsIn: ({ content }: Answer) =>
      content.filter((block): block is ContentBlock & ToolUseBlock => block.type === 'tool_use'),
    finishReasonOf: ({ stop_reason }) => stop_reason,
    toReply: (content) => (content.length > 0 ? { role: 'user' as const, content } : undefined),
  }),

  /**
   * For `client.beta.messages.toolRunner({ tools: anthropic.runnable(toolbox) })`, which then runs the tools itself.
   * With its `runToolsEagerly`, hold payments and writes back with `deferToolCall`.
   */
  runnable: (from: WithTools, { context = {}, ToolError, ...options }: AnthropicRunnableOptions = {}) =>
    anthropic.tools(toolboxOf(from, 'anthropic.runnable'), options).map((tool) => ({
      ...tool,
      // The toolbox checks.
      parse: (input: unknown) => input,
      run: async (
        input: unknown,
        running?: { readonly toolUse: { readonly id: string }; readonly signal?: AbortSignal | null | undefined },
      ) => {
        const own = { toolCallId: running?.toolUse.id, signal: running?.signal ?? undefined };
        const result = await toolboxOf(from).run(tool.name, input, mergeContexts(context, own));
        if (ToolError && isErrorResult(result)) throw new ToolError(result.text);
        return result.text;
      },
    })),
};

/** The limits of one request in strict mode: https://platform.claude.com/docs/en/build-with-claude/structured-outputs */
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
