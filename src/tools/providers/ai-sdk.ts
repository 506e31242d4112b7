/**
 * Vercel AI SDK: `generateText`, `streamText` and agents run the tools themselves, so `tools` is all that most need.
 * Arguments are checked by the toolbox and not by the SDK, so that the model reads one kind of refusal.
 *
 * @module
 */
import { mergeContexts } from '../bound-context.ts';
import type { ToolCallContext } from '../context.ts';
import { toPortable, toStrict } from '../dialects.ts';
import type { ToolResult } from '../result.ts';
import type { Toolbox } from '../toolbox.ts';
import { isErrorResult } from './error-flag.ts';
import { type UncheckedSchema, unchecked } from './unchecked-schema.ts';

/** What tools for the AI SDK are made with. */
export interface AiSdkOptions {
  /** What every run of these tools has; the id of the tool call and the SDK's signal are added: either signal cancels. */
  readonly context?: ToolCallContext;
  /** Holds the model to the schema, where its provider can. @defaultValue false */
  readonly strict?: boolean;
}

/**
 * For the `tools` of `generateText`, `streamText` and agents.
 * Their results are whole `ToolResult`s for the application; the model gets the text alone.
 *
 * @example
 * import * as aiSdk from 'voice-agent-integrations/tools/ai-sdk';
 * const { text } = await generateText({ model, messages, tools: aiSdk.tools(phoneCall.tools) });
 */
export const tools = (
  toolbox: Toolbox,
  { context = {}, strict = false }: AiSdkOptions = {},
): Record<string, AiSdkTool> =>
  Object.fromEntries(
    toolbox.tools().map(({ name, description, parameters }) => [
      name,
      {
        description,
        inputSchema: unchecked(strict ? toStrict(parameters) : toPortable(parameters)),
        ...(strict && { strict }),
        execute: (input, { toolCallId, abortSignal }) =>
          toolbox.run(name, input, mergeContexts(context, { toolCallId, signal: abortSignal })),
        toModelOutput: (given) => toModelOutput('output' in given ? given.output : given),
      },
    ]),
  );

/**
 * Runs one tool call of a loop of your own, over tools without `execute`.
 *
 * @example
 * import * as aiSdk from 'voice-agent-integrations/tools/ai-sdk';
 * messages.push({ role: 'tool', content: [await aiSdk.run(toolbox, toolCall)] });
 */
export const run = async (
  toolbox: Toolbox,
  call: AiSdkToolCall,
  context: ToolCallContext = {},
): Promise<AiSdkToolResult> =>
  toResult(call, await toolbox.run(call.toolName, call.input, { ...context, toolCallId: call.toolCallId }));

/**
 * One part of a message with the role `tool`.
 *
 * @example
 * import * as aiSdk from 'voice-agent-integrations/tools/ai-sdk';
 * const result = await toolbox.run(toolCall.toolName, toolCall.input, { toolCallId: toolCall.toolCallId });
 * messages.push({ role: 'tool', content: [aiSdk.toResult(toolCall, result)] });
 */
export const toResult = (
  { toolCallId, toolName }: Pick<AiSdkToolCall, 'toolCallId' | 'toolName'>,
  result: ToolResult,
): AiSdkToolResult => ({ type: 'tool-result', toolCallId, toolName, output: toModelOutput(result) });

const toModelOutput = (result: ToolResult): AiSdkOutput => ({
  type: isErrorResult(result) ? 'error-text' : 'text',
  value: result.text,
});

/** One of the `tools`, with its `execute`. */
export interface AiSdkTool {
  description: string;
  inputSchema: UncheckedSchema;
  strict?: boolean;
  execute: (input: unknown, options: AiSdkToolOptions) => Promise<ToolResult>;
  /** Takes what the AI SDK gives, or the bare result as Mastra does. */
  toModelOutput: (given: { output: ToolResult } | ToolResult) => AiSdkOutput;
}

/** What the SDK says about a tool call. */
export interface AiSdkToolOptions {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** What the model gets: the text of a result, marked where it is no success. */
export interface AiSdkOutput {
  type: 'text' | 'error-text';
  value: string;
}

/** A tool call as the SDK gives it in `toolCalls`. */
export interface AiSdkToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** The answer to one tool call. */
export interface AiSdkToolResult {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: AiSdkOutput;
}
