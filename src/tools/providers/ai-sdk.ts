/**
 * Vercel AI SDK: `generateText`, `streamText` and agents run the tools themselves, so `tools` is all that most need.
 * Arguments are checked by the toolbox and not by the SDK, so that the model reads one kind of refusal.
 *
 * @module
 */
import { mergeContexts, type ToolCallContext, type ToolResult } from '../context.ts';
import { toPortable, toStrict } from '../dialects.ts';
import type { Toolbox } from '../toolbox.ts';
import { createCallRunner, isErrorResult, unchecked } from './target.ts';

/** What tools for the AI SDK are made with. */
export interface AiSdkOptions {
  /** What every run of these tools has; the id of the tool call and the SDK's signal are added: either signal cancels. */
  readonly context?: ToolCallContext;
  /** Holds the model to the schema, where its provider can. @defaultValue false */
  readonly strict?: boolean;
}

/** A tool call as the SDK gives it in `toolCalls`. */
interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/**
 * The results of `tools` are whole `ToolResult`s for the application; the model gets the text alone. For a loop of your
 * own over tools without `execute`, `run` gives one part of a message with the role `tool`.
 *
 * @example
 * const { text } = await generateText({ model, messages, tools: aiSdk.tools(phoneCall.tools) });
 */
export const aiSdk = {
  /** For the `tools` of `generateText`, `streamText` and agents. */
  tools: (toolbox: Toolbox, { context = {}, strict = false }: AiSdkOptions = {}) =>
    Object.fromEntries(
      toolbox.tools().map(({ name, description, parameters }) => [
        name,
        {
          description,
          inputSchema: unchecked(strict ? toStrict(parameters) : toPortable(parameters)),
          strict,
          execute: (
            input: unknown,
            {
              toolCallId,
              abortSignal,
            }: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
          ) => toolbox.run(name, input, mergeContexts(context, { toolCallId, signal: abortSignal })),
          /** Takes what the AI SDK gives, or the bare result as Mastra does. */
          toModelOutput: (given: { output: ToolResult } | ToolResult) =>
            toModelOutput('output' in given ? given.output : given),
        },
      ]),
    ),

  ...createCallRunner({
    readCall: ({ toolName, input, toolCallId }: ToolCall) => ({ name: toolName, args: input, toolCallId }),
    toResult: ({ toolCallId, toolName }, result) => ({
      type: 'tool-result' as const,
      toolCallId,
      toolName,
      output: toModelOutput(result),
    }),
  }),
};

/** What the model gets: the text of a result, marked where it is no success. */
const toModelOutput = (result: ToolResult) => ({
  type: isErrorResult(result) ? ('error-text' as const) : ('text' as const),
  value: result.text,
});
