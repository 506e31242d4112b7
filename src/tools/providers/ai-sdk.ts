/**
 * Vercel AI SDK: `generateText`, `streamText` and agents run the tools themselves, so `tools` is all that most need.
 * Arguments are checked by the toolbox and not by the SDK, so that the model reads one kind of refusal.
 *
 * @module
 */
import { InvalidArgumentError } from '../../core/errors.ts';
import { mergeContexts, type ToolCallContext, type ToolResult } from '../context.ts';
import { toPortable, toStrict } from '../dialects.ts';
import { toolboxOf, type WithTools } from '../with-tools.ts';
import { type SaidMessage, seenIn } from './has-answered.ts';
import { approvalNeeded, createCallRunner, isApprovedCall, toModelOutput, unchecked } from './target.ts';

/** Options of tools for the AI SDK. */
export interface AiSdkOptions {
  /** The context of every run. The id of the tool call and the SDK's signal are added; either signal cancels. */
  readonly context?: ToolCallContext | undefined;
  /** Holds the model to the schema, where its provider can. @defaultValue false */
  readonly strict?: boolean | undefined;
}

/** Version 5 passes the result itself, which has no `output`. */
const tooOld = (): never => {
  throw new InvalidArgumentError('ai', 'is too old. Install 6.0.0 or later', { operation: 'aiSdk.tools' });
};

/** A tool call as the SDK gives it in `toolCalls`. */
interface ToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** The part of the second argument of `execute` that is used. */
interface Execution {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
  readonly messages?: readonly SaidMessage[];
}

/** An entry of version 7 for one tool. */
type ToolApproval = 'user-approval' | ((input: unknown) => 'user-approval' | undefined);

/**
 * The results of `tools` are whole `ToolResult`s for the application; the model gets the text alone. For a loop of your
 * own over tools without `execute`, `run` gives one part of a message with the role `tool`.
 *
 * @example
 * const { text } = await generateText({ model, messages, tools: aiSdk.tools(phoneCall.tools) });
 */
export const aiSdk = {
  /** For the `tools` of `generateText`, `streamText` and agents. */
  tools: (from: WithTools, { context = {}, strict = false }: AiSdkOptions = {}) =>
    Object.fromEntries(
      toolboxOf(from, 'aiSdk.tools')
        .tools()
        .map((tool) => [
          tool.name,
          {
            description: tool.description,
            inputSchema: unchecked(strict ? toStrict(tool.parameters) : toPortable(tool.parameters)),
            strict,
            /** For version 6; version 7 takes it where `toolApproval` says nothing of the tool. */
            needsApproval: approvalNeeded(tool),
            execute: (input: unknown, { toolCallId, abortSignal, messages = [] }: Execution) => {
              const own = {
                toolCallId,
                signal: abortSignal,
                ...seenIn(messages),
                approved: isApprovedCall(tool, input),
              };
              return toolboxOf(from).run(tool.name, input, mergeContexts(context, own));
            },
            toModelOutput: ({ output }: { output?: ToolResult }) => toModelOutput(output ?? tooOld()),
          },
        ]),
    ),

  /**
   * For the `toolApproval` of version 7, in toolboxes with `approve: 'framework'`: a person is asked before these tools
   * run. The tools ask without it too; with it, you can add your own.
   */
  toolApproval: (from: WithTools) =>
    Object.fromEntries(
      toolboxOf(from, 'aiSdk.toolApproval')
        .tools()
        .flatMap((tool): [string, ToolApproval][] => {
          const needed = approvalNeeded(tool);
          if (needed === false) return [];
          return [
            [tool.name, needed === true ? 'user-approval' : (input) => (needed(input) ? 'user-approval' : undefined)],
          ];
        }),
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
